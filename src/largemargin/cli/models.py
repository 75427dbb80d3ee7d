"""Model files, with what the command must know of the rows."""

from contextlib import suppress

from largemargin.cli.outputs import naming
from largemargin.estimators.nesting import layers_of, width_of
from largemargin.production import model_files
from largemargin.tables.schemas import Schema, schema_of_record

# Shown of a model: parameters, some only for one kernel, and attributes by their names.
SHOWN = "kernel", "loss", "C", "gamma", "lambda_var", "lambda_mean", "mu", "theta", "lam"
SHOWN_OF_KERNEL = {"poly": ("degree", "coef0"), "sigmoid": ("coef0",)}
ATTRIBUTES = {
    "relative duality gap": "duality_gap_",
    "objective": "objective_",
    "margin mean": "margin_mean_",
    "margin variance": "margin_variance_",
    "iterations": "n_iter_",
    "left out by low rank": "low_rank_residual_",
}


def save_model(model, schema, path):
    """Save a model with the schema of its rows, without scores of training rows."""
    for layer in layers_of(model):
        vars(layer).pop("unseen_scores_", None)
        if layer.get_params(deep=False).get("verbose"):
            layer.set_params(verbose=0)
    model.schema_ = schema.record()
    with naming(path):
        model_files.save(model, path)


def load_model(path) -> tuple[object, Schema]:
    """Return the model in a file and the schema of its rows."""
    model = model_files.load(path)
    try:
        needed = "predict", "decision_function", "classes_"
        is_fitted = all(hasattr(model, name) for name in needed)
    except Exception:  # an empty pipeline raises others than AttributeError
        is_fitted = False
    if not is_fitted:
        raise model_files.ModelFileError(
            f"{path} holds a {type(model).__name__} that cannot predict; expected a fitted "
            "classifier with predict, decision_function and classes_. Fit it (a search "
            "with refit=True) and save it again."
        )
    record = getattr(model, "schema_", None)
    with suppress(AttributeError, KeyError, TypeError):  # if it is no record of a schema
        schema = schema_of_record(record_of(model) if record is None else record)
        if schema.is_sound():
            return model, schema
    raise model_files.ModelFileError(
        f"{path} does not say what the rows of its model look like; its schema_ is "
        f"{record!r}. Train the model again, or delete this attribute and save it."
    )


def record_of(model):
    """Return the schema record of a model that was saved by a program."""
    if hasattr(model, "feature_names_in_"):
        names = [str(name) for name in model.feature_names_in_]
        record = {"kind": "table", "features": names, "named": True, "words": None}
        return record | {"missing": "impute"}  # missing values are up to the model
    return {"kind": "matrix", "n_features": width_of(model)}


def facts_of(model) -> dict:
    """Return the parameters and the results of a fitted model, by name."""
    layers = layers_of(model)
    machine = layers[-1]
    parameters = machine.get_params()
    for name in "C", "gamma":  # what was chosen, if that was left to the fit
        if parameters.get(name) == "loo" and hasattr(machine, f"{name}_"):
            parameters[name] = getattr(machine, f"{name}_")
    shown = [*SHOWN, *SHOWN_OF_KERNEL.get(parameters.get("kernel"), ())]
    if len(machine.classes_) > 2:
        shown.append("multi_class")
    facts: dict[str, object] = {
        "estimator": type(machine).__name__,
        "classes": [str(label) for label in machine.classes_],
        "parameters": {name: parameters[name] for name in shown if name in parameters},
    }
    if parameters.get("lambda_var") == parameters.get("lambda_mean") == 0:
        facts["note"] = "a support vector machine, because both lambdas are 0"
    scores = [layer.best_score_ for layer in layers if hasattr(layer, "best_score_")]
    if scores:
        facts["cross-validated score"] = scores[0]
    for name, attribute in ATTRIBUTES.items():
        if getattr(machine, attribute, None) is not None:
            facts[name] = getattr(machine, attribute)
    if hasattr(machine, "support_"):
        facts["support vectors"] = len(machine.support_)
    facts["probabilities"] = "yes" if hasattr(model, "predict_proba") else "no"
    return facts
