"""Models with what the command must know of their rows."""

from largemargin import model_files
from largemargin.cli.matrices import MatrixSchema
from largemargin.cli.outputs import naming
from largemargin.cli.schemas import Schema, schema_of_record


def save_model(model, schema, path):
    """Write a model to a file, what its rows look like inside."""
    model.schema_ = schema.record()
    with naming(path):
        model_files.save(model, path)


def load_model(path) -> tuple[object, Schema]:
    """Return the model in a file and what its rows look like."""
    model = model_files.load(path)
    if not is_fitted_classifier(model):
        raise model_files.ModelFileError(
            f"{path} holds a {type(model).__name__} that cannot predict; expected a fitted "
            "classifier with predict, decision_function and classes_. Fit it, a search "
            "with refit=True, and save it again."
        )
    record = getattr(model, "schema_", None)
    if record is None:  # saved by a program
        record = {"kind": "matrix", "n_features": width_of(model)}
    schema = sound_schema(record)
    if schema is None:
        raise model_files.ModelFileError(
            f"{path} does not tell what the rows of its model look like; its schema_ is "
            f"{record!r}. Train the model again, or delete this attribute and save it."
        )
    return model, schema


def is_fitted_classifier(model):
    """Return whether a model can predict labels and scores."""
    try:
        return all(
            hasattr(model, name) for name in ("predict", "decision_function", "classes_")
        )
    except Exception:  # a pipeline without steps has its own
        return False


def sound_schema(record):
    """Return the schema of a record, or None if it is no record of a schema."""
    try:
        schema = schema_of_record(record)
        is_sound = is_matrix if isinstance(schema, MatrixSchema) else is_table
        return schema if is_sound(schema) else None
    except (AttributeError, KeyError, TypeError):
        return None


def is_matrix(schema):
    """Return whether all parts of a schema of numbers are what they should be."""
    return (
        type(schema.n_features) is int
        and schema.n_features > 0
        and schema.skipped in (None, 0, 1)
        and schema.dense in (None, False, True)
        and schema.missing in ("refuse", "impute")
        and schema.gram in (False, True)
    )


def is_table(schema):
    """Return whether all parts of a schema of columns are what they should be."""
    names = [*schema.features, schema.label, *schema.words]
    return (
        isinstance(schema.features, list)
        and len(schema.features) > 0
        and all(isinstance(name, str) for name in names)
        and type(schema.label_place) is int
        and 0 <= schema.label_place <= len(schema.features)
        and schema.named in (False, True)
        and schema.words.keys() <= set(schema.features)
        and all(isinstance(words, list) for words in schema.words.values())
        and schema.missing in ("refuse", "impute")
    )


def width_of(model):
    """Return how many features the rows of a model have, None if it does not tell."""
    if hasattr(model, "n_features_in_"):
        return int(model.n_features_in_)
    steps = [step for _, step in getattr(model, "steps", ()) if does_something(step)]
    inner = steps[0] if steps else inside(model)
    return None if inner is None else width_of(inner)


def does_something(step):
    """Return whether a step of a pipeline is not just a place for one."""
    return step is not None and not isinstance(step, str)


def inside(model):
    """Return the last step, or what was refitted or calibrated; None for a machine."""
    if hasattr(model, "steps"):
        return model[-1]
    return getattr(model, "best_estimator_", getattr(model, "machine_", None))


def layers_of(model):
    """Return a model, what is inside it, and so on down to the machine."""
    layers = [model]
    while (inner := inside(layers[-1])) is not None:
        layers.append(inner)
    return layers


def without_calibration(model):
    """Return what a calibrated model calibrates, else the model itself."""
    return getattr(model, "machine_", model)


def facts_of(model):
    """Return what a fitted model tells of itself, by name."""
    layers = layers_of(model)
    machine = layers[-1]
    facts = {
        "machine": type(machine).__name__,
        "classes": [str(label) for label in machine.classes_],
        "parameters": parameters_of(machine),
    }
    scores = [layer.best_score_ for layer in layers if hasattr(layer, "best_score_")]
    if scores:
        facts["cross-validated score"] = scores[0]
    for name, attribute in (
        ("relative duality gap", "duality_gap_"),
        ("objective", "objective_"),
        ("margin mean", "margin_mean_"),
        ("margin variance", "margin_variance_"),
        ("iterations", "n_iter_"),
        ("left out by low rank", "low_rank_residual_"),
    ):
        if getattr(machine, attribute, None) is not None:
            facts[name] = getattr(machine, attribute)
    if hasattr(machine, "support_"):
        facts["support rows"] = len(machine.support_)
    facts["probabilities"] = "yes" if hasattr(model, "predict_proba") else "no"
    return facts


def parameters_of(machine):
    """Return the parameters of a machine that make it what it is, by name."""
    known = machine.get_params()
    names = "kernel", "C", "gamma", "lambda_var", "lambda_mean", "mu", "theta", "lam"
    return {name: known[name] for name in names if name in known}
