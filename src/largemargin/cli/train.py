"""``largemargin train``: fit a model to a file and save it, or cross-validate it."""

import time

import click

from largemargin.cli import INTERRUPTED, terminal
from largemargin.cli.group import Failure
from largemargin.cli.machine_options import (
    check_options,
    machine_of_options,
    machine_options,
)
from largemargin.cli.options import (
    jobs_option,
    probability_options,
    report_options,
    rows_of,
    training_options,
)
from largemargin.cli.tasks import TASKS, decided_task, task_option

# Calibration fits in this many folds, unless a search has kept the scores of unseen rows.
CALIBRATION_FOLDS = 5


@click.command(
    epilog="Example: largemargin train heart.csv -o heart.model --label disease -c 10"
)
@click.option("-o", "--output", metavar="FILE", help="File to write the model to.")
@training_options
@task_option(*TASKS)
@machine_options
@click.option(
    "--cv",
    is_flag=True,
    help="Choose the prices and the kernel coefficient by five-fold cross-validation, "
    "except those that are given. For ldm, svm, ridge and odm.",
)
@click.option(
    "--grid",
    type=click.Choice(["scale", "wide", "paper"]),
    default="scale",
    help="Grid that --cv searches: one that follows the scale of the data, a wider one "
    "for ldm, or the paper's.",
)
@probability_options("Let the model predict probabilities.")
@click.option(
    "-v",
    "--folds",
    type=click.IntRange(2),
    metavar="K",
    help="Report the accuracy, or the errors of values, in K-fold cross-validation and "
    "write no model.",
)
@jobs_option("Number of threads, for folds or classes")
@report_options
def main(data, output, quiet, as_json, folds, **options):
    """Fit a model to DATA and write it to a file.

    -c, -t, -g, -d, -r, -p, -n, -b and -v are those of svm-train; -e is the relative duality
    gap. For --task outliers all columns of a table are features, unless --label names one.
    """
    from largemargin.cli.folds import cross_validated
    from largemargin.cli.models import facts_of, save_model
    from largemargin.cli.outputs import check_writable
    from largemargin.cli.pipelines import pipeline_of

    options["probability"] |= bool(options.pop("in_libsvm"))
    if folds is not None and output is not None:
        raise click.UsageError("-v writes no model; use either -o or -v.")
    if folds is None and output is None:
        raise click.UsageError(
            "Missing option '-o', the file for the model; -v cross-validates without one."
        )
    if output is not None:
        check_writable(output, inputs=[data])
    begin = time.perf_counter()
    verbose = folds is None and not quiet and terminal.on_terminal()
    check_options(options)
    try:
        task, reason, schema, X, y = training_rows(data, options, quiet)
        machine = machine_of_options(options, task, verbose=verbose)
        facts = {"data": data, "rows": X.shape[0], "features": schema.n_features}
        facts |= said(task, reason)
        if task == "outliers" and getattr(schema, "features", None) and not schema.label:
            facts["label"] = "none: all columns are features; --label leaves one out"
        scale = "none" if options["kernel"] == "precomputed" else options["scale"]
        model = pipeline_of(schema, scale, machine)
        if folds is None:
            model = fitted(model, X, y, options["probability"], quiet)
            save_model(model, schema, output)
        else:
            found = cross_validated(model, task, X, y, folds, options["seed"], quiet)
            facts |= {"folds": folds, **found}
    except KeyboardInterrupt:
        raise Failure("Interrupted; no model was written.", INTERRUPTED) from None
    if folds is None:
        facts |= facts_of(model) | {"model": output}
    facts["seconds"] = round(time.perf_counter() - begin, 3)
    if folds is not None and not as_json:
        if reason is not None and not quiet:
            click.echo(f"largemargin: {task}: {reason}.", err=True)
        click.echo(
            "".join(f"Cross Validation {line}\n" for line in in_words(found)), nl=False
        )
    else:
        terminal.show(facts, as_json=as_json, quiet=quiet)


def training_rows(data, options, quiet):
    """Return the task, why, and the schema, the features and the labels of a file."""
    from largemargin.tables import UnreadableFile
    from largemargin.tables.schemas import learn_schema

    rows = rows_of(data, options, quiet=quiet)
    gram = options.get("kernel") == "precomputed"
    label, missing, drop = options["label"], options["missing"], options["drop"]
    task, reason = options["task"], None
    if task == "auto":
        task, reason = decided_task(rows, label)
    labelled = task != "outliers"
    schema = learn_schema(
        rows, label=label, missing=missing, gram=gram, drop=drop, labelled=labelled
    )
    values = task == "regression"
    X, y = schema.split(rows, label=label, values=values, lenient=not labelled)
    if not labelled:
        return task, reason, schema, X, None
    if y is None:
        what = "values" if values else "labels"
        raise UnreadableFile(f"{rows.name} has no {what}; expected an array y.")
    if not values and len(set(y.tolist())) < 2:
        raise UnreadableFile(
            f"{rows.name}: all labels are {y[0]!s}; expected at least two classes. Is "
            "--label the right column? Rows of one class are for --task outliers."
        )
    return task, reason, schema, X, y


def said(task, reason):
    """Return the task as a fact, with the reason if the labels have decided it."""
    return {"task": task} | ({} if reason is None else {"decided by": reason})


def in_words(found):
    """Return the results of a cross-validation in lines, like those of svm-train."""
    for name, value in found.items():
        if name == "accuracy":
            yield f"Accuracy = {100 * value:.6g}%"
        elif name == "share of outliers":
            yield f"Share of outliers = {100 * value:.6g}%"
        elif name != "deviation":
            yield f"{name[0].upper()}{name[1:]} = {terminal.as_text(value)}"


def fitted(model, X, y, probability, quiet):
    """Return the fitted pipeline, with probabilities if they are wanted."""
    from largemargin.production.calibration import calibrate

    n_fits = n_fits_of(model[-1], y)
    if probability:
        n_fits *= 1 + CALIBRATION_FOLDS
    tol = getattr(model[-1], "tol", 1.0)  # without a tolerance, no steps are reported
    with terminal.watched("training", tol=tol, n_fits=n_fits, quiet=quiet):
        model.fit(X, y)
        return calibrate(model, X, y) if probability else model


def n_fits_of(machine, y):
    """Return how many problems a machine solves for these labels."""
    from sklearn.base import is_classifier

    from largemargin.estimators.regression import MarginRegressor, has_quantiles
    from largemargin.estimators.targets import n_problems

    if is_classifier(machine):
        classes = set(y.tolist())
        return n_problems(len(classes), getattr(machine, "multi_class", "ovr"))
    is_several = isinstance(machine, MarginRegressor) and has_quantiles(machine)
    return len(machine.quantile) if is_several else 1
