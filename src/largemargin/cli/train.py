"""``largemargin train``: fit a model to a file and save it, or cross-validate it."""

import time
from statistics import fmean, stdev

import click

from largemargin.cli import INTERRUPTED, terminal
from largemargin.cli.group import Failure
from largemargin.cli.machine_options import machine_of_options, machine_options
from largemargin.cli.options import (
    jobs_option,
    probability_options,
    report_options,
    rows_of,
    training_options,
)

# Calibration fits in this many folds, unless a search has kept the scores of unseen rows.
CALIBRATION_FOLDS = 5


@click.command(
    epilog="Example: largemargin train heart.csv -o heart.model --label disease -c 10"
)
@click.option("-o", "--output", metavar="FILE", help="File to write the model to.")
@training_options
@machine_options
@click.option(
    "--cv",
    is_flag=True,
    help="Choose the prices and the kernel coefficient by five-fold cross-validation, "
    "except those that are given. For ldm, svm and odm.",
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
    help="Report the accuracy in K-fold cross-validation and write no model.",
)
@jobs_option("Number of threads, for folds or classes")
@report_options
def main(data, output, quiet, as_json, folds, **options):
    """Fit a model to DATA and write it to a file.

    -c, -t, -g, -d, -r, -b and -v are those of svm-train; -e is the relative duality gap.
    """
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
    machine = machine_of_options(options, verbose=verbose)
    try:
        schema, X, y = training_rows(data, options, quiet)
        facts = {"data": data, "rows": X.shape[0], "features": schema.n_features}
        scale = "none" if options["kernel"] == "precomputed" else options["scale"]
        model = pipeline_of(schema, scale, machine)
        if folds is None:
            model = fitted(model, X, y, options["probability"], quiet)
            save_model(model, schema, output)
        else:
            shares = cross_validated(model, X, y, folds, options["seed"], quiet)
            facts |= {"folds": folds, "accuracy": fmean(shares)}
            facts["deviation"] = stdev(shares)
    except KeyboardInterrupt:
        raise Failure("Interrupted; no model was written.", INTERRUPTED) from None
    if folds is None:
        facts |= facts_of(model) | {"model": output}
    facts["seconds"] = round(time.perf_counter() - begin, 3)
    if folds is not None and not as_json:
        click.echo(f"Cross Validation Accuracy = {100 * facts['accuracy']:.6g}%")
    else:
        terminal.show(facts, as_json=as_json, quiet=quiet)


def training_rows(data, options, quiet):
    """Return the schema, the features and the labels of a file."""
    from largemargin.tables import UnreadableFile
    from largemargin.tables.schemas import learn_schema

    rows = rows_of(data, options, quiet=quiet)
    gram = options.get("kernel") == "precomputed"
    label, missing, drop = options["label"], options["missing"], options["drop"]
    schema = learn_schema(rows, label=label, missing=missing, gram=gram, drop=drop)
    X, y = schema.split(rows, label=label)
    if y is None:
        raise UnreadableFile(f"{rows.name} has no labels; expected an array y.")
    if len(set(y.tolist())) < 2:
        raise UnreadableFile(
            f"{rows.name}: all labels are {y[0]!s}; expected at least two classes. Is "
            "--label the right column?"
        )
    return schema, X, y


def fitted(model, X, y, probability, quiet):
    """Return the fitted pipeline, with probabilities if they are wanted."""
    from largemargin.estimators.targets import n_problems
    from largemargin.production.calibration import calibrate

    n_fits = n_problems(len(set(y.tolist())), getattr(model[-1], "multi_class", "ovr"))
    if probability:
        n_fits *= 1 + CALIBRATION_FOLDS
    tol = getattr(model[-1], "tol", 1.0)  # without a tolerance, no steps are reported
    with terminal.watched("training", tol=tol, n_fits=n_fits, quiet=quiet):
        model.fit(X, y)
        return calibrate(model, X, y) if probability else model


def cross_validated(model, X, y, folds, seed, quiet):
    """Return the accuracy in each fold."""
    from sklearn.model_selection import cross_val_score

    from largemargin.cli.tuning import stratified_splits

    shares = []
    with terminal.bar("cross-validation", quiet=quiet) as move:
        for split in stratified_splits(y, folds, seed):
            shares += [*cross_val_score(model, X, y, cv=[split], error_score="raise")]
            move(len(shares), folds)
    return shares
