"""Model files, with what the command must know of the rows."""

from largemargin.cli.outputs import naming
from largemargin.estimators.nesting import layers_of, width_of
from largemargin.production import model_files
from largemargin.tables.schemas import Schema, schema_of_record

TOLD = "kernel", "C", "gamma", "lambda_var", "lambda_mean", "mu", "theta", "lam"
TOLD_OF_KERNEL = {"poly": ("degree", "coef0"), "sigmoid": ("coef0",)}


def save_model(model, schema, path):
    """Write a model to a file, together with the schema of its rows."""
    model.schema_ = schema.record()
    with naming(path):
        model_files.save(model, path)


def load_model(path) -> tuple[object, Schema]:
    """Return the model in a file and the schema of its rows."""
    model = model_files.load(path)
    if not is_fitted_classifier(model):
        raise model_files.ModelFileError(
            f"{path} holds a {type(model).__name__} that cannot predict; expected a fitted "
            "classifier with predict, decision_function and classes_. Fit it, a search "
            "with refit=True, and save it again."
        )
    record = getattr(model, "schema_", None)
    schema = sound_schema(record_of(model) if record is None else record)
    if schema is None:
        raise model_files.ModelFileError(
            f"{path} does not say what the rows of its model look like; its schema_ is "
            f"{record!r}. Train the model again, or delete this attribute and save it."
        )
    return model, schema


def record_of(model):
    """Return the schema record of a model that was saved by a program."""
    if hasattr(model, "feature_names_in_"):
        names = [str(name) for name in model.feature_names_in_]
        record = {"kind": "table", "features": names, "named": True, "words": None}
        return record | {"missing": "impute"}  # missing values are up to the model
    return {"kind": "matrix", "n_features": width_of(model)}


def is_fitted_classifier(model):
    """Return whether a model can predict labels and scores."""
    try:
        return all(
            hasattr(model, name) for name in ("predict", "decision_function", "classes_")
        )
    except Exception:  # a pipeline without steps raises its own
        return False


def sound_schema(record):
    """Return the schema of a record, or None if it is no record of a schema."""
    try:
        schema = schema_of_record(record)
        return schema if schema.is_sound() else None
    except (AttributeError, KeyError, TypeError):
        return None


def facts_of(model):
    """Return what is worth knowing about a fitted model, by name."""
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
        facts["support vectors"] = len(machine.support_)
    facts["probabilities"] = "yes" if hasattr(model, "predict_proba") else "no"
    return facts


def parameters_of(machine):
    """Return the parameters of a machine that define it, by name."""
    known = machine.get_params()
    names = *TOLD, *TOLD_OF_KERNEL.get(known.get("kernel"), ())
    return {name: known[name] for name in names if name in known}
