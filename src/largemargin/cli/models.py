"""Model files, with what the command must know of the rows."""

from contextlib import suppress
from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from largemargin.cli.outputs import naming
from largemargin.cli.tasks import task_of
from largemargin.estimators.nesting import innermost, layers_of, width_of
from largemargin.production import model_files
from largemargin.tables.schemas import Schema, schema_of_record

# Shown of a model: parameters, some only for one kernel, and attributes by their names.
SHOWN = (
    *("kernel", "loss", "quantile", "nu", "C", "epsilon", "gamma"),
    *("lambda_var", "lambda_mean", "lambda_square", "mu", "theta", "lam"),
)
# Parameters that mean nothing beside another one.
UNUSED = {"quantile": "epsilon_insensitive", "epsilon": "quantile"}
NOTES = {
    "classification": "a support vector machine, because both lambdas are 0",
    "regression": "support vector regression, because both lambdas are 0",
    "outliers": "a one-class support vector machine, because both lambdas are 0",
}
SHOWN_OF_KERNEL = {"poly": ("degree", "coef0"), "sigmoid": ("coef0",)}
ATTRIBUTES = {
    "relative duality gap": "duality_gap_",
    "objective": "objective_",
    "margin mean": "margin_mean_",
    "margin variance": "margin_variance_",
    "residual mean": "residual_mean_",
    "residual variance": "residual_variance_",
    "threshold of scores": "offset_",
    "iterations": "n_iter_",
    "left out by low rank": "low_rank_residual_",
}


def save_model(model, schema, path):
    """Save a model with the schema of its rows, without scores of training rows."""
    for layer in layers_of(model):
        for name in "unseen_scores_", "unseen_predictions_":
            vars(layer).pop(name, None)
        if layer.get_params(deep=False).get("verbose"):
            layer.set_params(verbose=0)
    model.schema_ = schema.record()
    with naming(path):
        model_files.save(model, path)


def load_model(path) -> tuple[object, Schema]:
    """Return the model in a file and the schema of its rows."""
    model = model_files.load(path)
    try:
        is_fitted = can_predict(model)
    except Exception:  # an empty pipeline raises others than AttributeError
        is_fitted = False
    if not is_fitted:
        raise model_files.ModelFileError(
            f"{path} holds a {type(model).__name__} that cannot predict; expected a fitted "
            "regressor, or a classifier or outlier detector with decision_function. Fit it "
            "(a search with refit=True) and save it again."
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


def can_predict(model):
    """Return whether a model is fitted and has what the commands need."""
    needed = {
        "classification": ("predict", "decision_function", "classes_"),
        "regression": ("predict",),
        "outliers": ("predict", "decision_function"),
    }[task_of(model)]
    check_is_fitted(innermost(model))
    return all(hasattr(model, name) for name in needed)


def record_of(model):
    """Return the schema record of a model that was saved by a program."""
    if hasattr(model, "feature_names_in_"):
        names = [str(name) for name in model.feature_names_in_]
        record = {"kind": "table", "features": names, "named": True, "words": None}
        return record | {"missing": "impute"}  # missing values are up to the model
    return {"kind": "matrix", "n_features": width_of(model)}


def facts_of(model) -> dict:
    """Return the parameters and the results of a fitted model, by name."""
    layers, task = layers_of(model), task_of(model)
    machine = layers[-1]
    facts: dict[str, object] = {"task": task, "estimator": type(machine).__name__}
    if task == "classification":
        facts["classes"] = [str(label) for label in machine.classes_]
    facts["parameters"] = parameters = parameters_of(machine)
    lambdas = [value for name, value in parameters.items() if name.startswith("lambda_")]
    is_svm = parameters.get("loss") != "quantile" and parameters.get("C") != 0
    if lambdas == [0, 0] and is_svm:
        facts["note"] = NOTES[task]
    scores = [layer.best_score_ for layer in layers if hasattr(layer, "best_score_")]
    if scores:
        facts["cross-validated score"] = scores[0]
    for name, attribute in ATTRIBUTES.items():
        if getattr(machine, attribute, None) is not None:
            facts[name] = getattr(machine, attribute)
    if hasattr(machine, "support_"):
        facts["support vectors"] = len(machine.support_)
    if task == "classification":
        facts["probabilities"] = "yes" if hasattr(model, "predict_proba") else "no"
    return facts


def parameters_of(machine) -> dict:
    """Return the parameters that are shown of a fitted machine."""
    parameters = machine.get_params()
    for name in "C", "gamma", "epsilon":  # what was chosen, if that was left to the fit
        value = parameters.get(name, 0.0)
        is_open = value == "loo" if name == "gamma" else not isinstance(value, Real)
        if is_open and hasattr(machine, f"{name}_"):
            parameters[name] = as_one(getattr(machine, f"{name}_"))
    shown = [*SHOWN, *SHOWN_OF_KERNEL.get(parameters.get("kernel"), ())]
    if len(getattr(machine, "classes_", ())) > 2:
        shown.append("multi_class")
    shown = [name for name in shown if UNUSED.get(name) != parameters.get("loss", name)]
    return {name: parameters[name] for name in shown if name in parameters}


def as_one(values):
    """Return the number that all values are, or else a list of them."""
    found = np.unique(values).tolist()
    return found[0] if len(found) == 1 else np.ravel(values).tolist()
