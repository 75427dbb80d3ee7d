"""What is inside pipelines, searches and calibrations, down to the machine."""

from sklearn.pipeline import Pipeline


def inside(model):
    """Return the last step, or what was refitted or calibrated; None for a machine."""
    if isinstance(model, Pipeline):
        return model.steps[-1][1] if model.steps else None
    return getattr(model, "best_estimator_", getattr(model, "machine_", None))


def layers_of(model):
    """Return a model, what is inside it, and so on down to the machine."""
    layers = [model]
    while (inner := inside(layers[-1])) is not None:
        layers.append(inner)
    return layers


def machine_of(model):
    """Return the machine inside pipelines, searches and calibrations."""
    return layers_of(model)[-1]


def machine_and_rows(model, X):
    """Return the machine inside a model, and the rows that reach it."""
    for layer in layers_of(model):
        if isinstance(layer, Pipeline) and len(layer) > 1:
            X = layer[:-1].transform(X)
    return machine_of(model), X


def width_of(model):
    """Return how many features the rows of a model have, None if it does not tell."""
    if hasattr(model, "n_features_in_"):
        return int(model.n_features_in_)
    steps = [step for step in steps_in(model) if does_something(step)]
    inner = steps[0] if steps else inside(model)
    return None if inner is None else width_of(inner)


def steps_in(model):
    """Return the steps of a pipeline, or nothing."""
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else []


def does_something(step):
    """Return whether a step of a pipeline is not just a place for one."""
    return step is not None and not isinstance(step, str)
