"""Models with what the command must know of their rows."""

from largemargin import model_files
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
    record = getattr(model, "schema_", None)
    if record is None:  # saved by a program
        record = {"kind": "matrix", "n_features": int(model.n_features_in_)}
    return model, schema_of_record(record)


def without_calibration(model):
    """Return what a calibrated model calibrates, else the model itself."""
    from largemargin.calibration import CalibratedMachine

    return model.machine_ if isinstance(model, CalibratedMachine) else model


def facts_of(model):
    """Return what a fitted model tells of itself, by name."""
    from largemargin.margins import machine_of

    last = without_calibration(model)
    last = last[-1] if hasattr(last, "steps") else last
    machine = machine_of(last)
    facts = {
        "machine": type(machine).__name__,
        "classes": [str(label) for label in machine.classes_],
        "parameters": parameters_of(machine),
    }
    if machine is not last:
        facts["cross-validated score"] = last.best_score_
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
