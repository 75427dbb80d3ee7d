"""``largemargin train``: fit a machine to a file and keep it, or cross-validate it."""

import time
from contextlib import contextmanager

import click

from largemargin.cli import INTERRUPTED
from largemargin.cli.group import Failure
from largemargin.cli.machine_options import machine_of_options, machine_options
from largemargin.cli.options import (
    jobs_option,
    json_option,
    quiet_option,
    training_options,
)

# Of the calibration, unless a search has scores of unseen rows already.
CALIBRATION_FOLDS = 5


@click.command(
    epilog="Example: largemargin train heart.csv -o heart.model --label disease -c 10"
)
@click.argument("data")
@click.option("-o", "--output", help="File to keep the model in.")
@training_options
@machine_options
@click.option(
    "--cv",
    is_flag=True,
    help="Choose the prices and the kernel width that are not given by five-fold "
    "cross-validation, where the method has a search.",
)
@click.option(
    "--grid",
    type=click.Choice(["scale", "paper"]),
    default="scale",
    show_default=True,
    help="Where --cv searches.",
)
@click.option("-b", "as_in_libsvm", type=bool, help="1: as --probability.")
@click.option("--probability", is_flag=True, help="Add probabilities.")
@click.option(
    "-v", "--folds", type=click.IntRange(2), help="Only tell the accuracy in so many folds."
)
@jobs_option("Threads over folds or classes.")
@json_option
@quiet_option
def main(data, output, quiet, as_json, **options):
    """Fit a machine to DATA and keep it in a file.

    -c, -t, -g, -d, -r, -b and -v mean what they mean to svm-train; -e is the tolerance.
    """
    from largemargin.cli import terminal
    from largemargin.cli.models import facts_of

    folds = options.pop("folds")
    options["probability"] |= bool(options.pop("as_in_libsvm"))
    check_output(output, data, folds)
    begin = time.perf_counter()
    verbose = folds is None and not quiet and terminal.on_terminal()
    machine = machine_of_options(options, verbose=verbose)
    with without_file():
        schema, X, y = training_rows(data, options, quiet)
        if folds is None:
            model = fitted(schema, machine, X, y, options, quiet)
            save(model, schema, output)
        else:
            shares = cross_validated(schema, machine, X, y, folds, options, quiet)
    facts = {"data": data, "rows": X.shape[0], "features": schema.n_features}
    if folds is None:
        facts |= facts_of(model) | {"model": output}
    else:
        facts |= {"folds": folds, "accuracy": shares.mean()}
        facts["deviation"] = shares.std(ddof=1)
    facts["seconds"] = round(time.perf_counter() - begin, 3)
    if folds is not None and not as_json:
        click.echo(f"Cross Validation Accuracy = {100 * facts['accuracy']:.6g}%")
    else:
        terminal.show(facts, as_json=as_json, quiet=quiet)


def check_output(output, data, folds):
    """Raise, before any work is done, if there is no good file for the model."""
    from largemargin.cli.outputs import check_writable

    if folds is not None and output is not None:
        raise click.UsageError("-v writes no model; leave -o out, or -v.")
    if folds is None and output is None:
        raise click.UsageError("Missing option '-o': a file for the model; or -v for none.")
    if output is not None:
        check_writable(output, inputs=[data])


@contextmanager
def without_file():
    """Let an interrupt say that no model was written."""
    try:
        yield
    except KeyboardInterrupt:
        raise Failure("Interrupted; no model was written.", INTERRUPTED) from None


def training_rows(data, options, quiet):
    """Return the schema, the features and the labels of a file."""
    from functools import partial

    from largemargin.cli import terminal
    from largemargin.tables import UnreadableFile
    from largemargin.tables.reading import read
    from largemargin.tables.schemas import learn_schema

    bar = partial(terminal.bar, quiet=quiet)
    rows = read(data, kind=options["kind"], header=options["header"], progress=bar)
    gram = options.get("kernel") == "precomputed"
    schema = learn_schema(
        rows,
        label=options["label"],
        missing=options["missing"],
        gram=gram,
        drop=options["drop"],
    )
    X, y = schema.split(rows, label=options["label"])
    if y is None:
        raise UnreadableFile(f"{rows.name} has no labels; expected an array y.")
    if len(set(y.tolist())) < 2:
        raise UnreadableFile(
            f"{rows.name}: all labels are {y[0]!s}; expected two classes at least. Is "
            "--label the right column?"
        )
    return schema, X, y


def pipeline_of(schema, machine, options):
    """Return the preparation of the rows and the machine, not fitted."""
    from sklearn.pipeline import Pipeline

    from largemargin.cli.pipelines import preparation

    scale = "none" if options["kernel"] == "precomputed" else options["scale"]
    return Pipeline([*preparation(schema, scale), ("machine", machine)])


def fitted(schema, machine, X, y, options, quiet):
    """Return the fitted pipeline, with probabilities if they are wanted."""
    from largemargin.cli import terminal
    from largemargin.production.calibration import calibrate

    model = pipeline_of(schema, machine, options)
    n_classes = len(set(y.tolist()))
    n_fits = n_classes if n_classes > 2 else 1
    if options["probability"]:
        n_fits *= 1 + CALIBRATION_FOLDS
    tol = getattr(machine, "tol", 1.0)  # one without it tells of no steps
    with terminal.watched("training", tol=tol, n_fits=n_fits, quiet=quiet):
        model.fit(X, y)
        return calibrate(model, X, y) if options["probability"] else model


def save(model, schema, output):
    """Keep a model, as silent as any other and without a number for every row."""
    from largemargin.cli.models import save_model
    from largemargin.estimators.nesting import layers_of

    for layer in layers_of(model):
        vars(layer).pop("unseen_scores_", None)
        if layer.get_params(deep=False).get("verbose"):
            layer.set_params(verbose=0)
    save_model(model, schema, output)


def cross_validated(schema, machine, X, y, folds, options, quiet):
    """Return the accuracy in each fold."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    from largemargin._compat import safe_split
    from largemargin.cli import terminal

    model = pipeline_of(schema, machine, options)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=options["seed"])
    shares = []
    with terminal.bar("cross-validation", quiet=quiet) as move:
        for train, test in splitter.split(np.zeros(len(y)), y):
            fold = clone(model).fit(*safe_split(model, X, y, train))
            shares.append(fold.score(*safe_split(model, X, y, test, train)))
            move(len(shares), folds)
    return np.array(shares)
