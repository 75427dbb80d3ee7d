"""``largemargin predict``: labels, scores and probabilities of the rows of a file."""

import csv
import io

import click

from largemargin.cli.options import json_option, prediction_options, quiet_option

BLOCK_ROWS = 20_000


@click.command(
    epilog="Example: largemargin predict heart.model new.csv -o labels.txt",
)
@click.argument("model")
@click.argument("data")
@click.option(
    "-o",
    "--output",
    default="-",
    help="File of the labels; '-', the default, is standard output.",
)
@click.option("--scores", is_flag=True, help="A table, with the score of each machine.")
@click.option("-b", "as_in_libsvm", type=bool, help="1: as --probability.")
@click.option(
    "--probability",
    is_flag=True,
    help="A table, with the probability of each class.",
)
@prediction_options
@json_option
@quiet_option
def main(model, data, output, scores, as_json, quiet, **options):
    """Predict the label of each row of DATA.

    MODEL is what train has written. Labels come one a line; --scores and --probability make
    it a table with a header. If DATA have labels, the accuracy is told on standard error.
    """
    from largemargin.cli import terminal
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import check_writable, written

    check_writable(output, inputs=[model, data], may_be_shown=True)
    model_path = model
    model, schema = load_model(model_path)
    probability = options["probability"] or options["as_in_libsvm"]
    if probability and not hasattr(model, "predict_proba"):
        raise ValueError(f"{model_path} has no probabilities; train it with --probability.")
    X, y = rows_for(schema, data, options, quiet=quiet)
    found = answers(model, X, probability=probability, quiet=quiet)
    if not scores:
        del found["score"]
    columns = {}
    for name, values in found.items():
        columns |= columns_of(name, values, model.classes_)
    text = terminal.json_of(columns) + "\n" if as_json else text_of(columns)
    with written(output) as stream:
        stream.write(text.encode())
    if y is not None and not quiet:
        right = int((columns["label"] == as_labels(y, model.classes_)).sum())
        told = f"Accuracy = {100 * right / len(y):.6g}% ({right}/{len(y)})"
        click.echo(f"{told} (classification)", err=True)


def answers(model, X, *, probability=False, quiet=False):
    """Return the labels, scores and, if they are wanted, probabilities of rows, by name.

    Rows go in block by block, so that a bar can tell how many are left.
    """
    import numpy as np

    from largemargin.cli import terminal

    rows = X.iloc if hasattr(X, "iloc") else X
    blocks = []
    with terminal.bar("predicting", quiet=quiet) as move:
        for start in range(0, X.shape[0], BLOCK_ROWS):
            block = rows[start : start + BLOCK_ROWS]
            blocks.append(answers_for(model, block, probability))
            move(start + block.shape[0], X.shape[0])
    return {name: np.concatenate([part[name] for part in blocks]) for name in blocks[0]}


def answers_for(model, X, probability):
    """Return what a model says of some rows, whose kernel values are computed once."""
    from largemargin.estimators.base import MarginClassifier
    from largemargin.estimators.nesting import machine_of
    from largemargin.estimators.targets import winners_of
    from largemargin.production.calibration import CalibratedMachine

    scores = model.decision_function(X)
    # Of other machines, such as SVC, the largest score need not be what is predicted.
    is_ours = isinstance(machine_of(model), MarginClassifier)
    label = model.classes_[winners_of(scores)] if is_ours else model.predict(X)
    found = {"label": label, "score": scores}
    if probability and isinstance(model, CalibratedMachine):
        found["probability"] = model.probabilities_of(scores)
    elif probability:
        found["probability"] = model.predict_proba(X)
    return found


def rows_for(schema, data, options, *, classes=None, quiet=False):
    """Return the features and the labels of a file for a model of this schema.

    Parameters
    ----------
    schema : MatrixSchema or TableSchema
        What the rows of the model look like.

    data : str
        The file.

    options : dict
        What ``prediction_options`` has read.

    classes : ndarray, default=None
        What the labels must be; None means that they need not be there.

    quiet : bool, default=False
        Whether to show no bar.
    """
    from functools import partial

    from largemargin.cli import terminal
    from largemargin.tables import UnreadableFile
    from largemargin.tables.reading import read
    from largemargin.tables.rows import some

    bar = partial(terminal.bar, quiet=quiet)
    rows = read(data, kind=options["kind"], header=options["header"], progress=bar)
    X, y = schema.split(
        rows,
        label=options["label"],
        unknown=options["unknown"],
        lenient=classes is None,
    )
    if classes is None:
        return X, y
    y = None if y is None else as_labels(y, classes)
    if y is None:
        raise UnreadableFile(f"{rows.name} has no labels; name their column by --label.")
    strange = sorted(set(y.tolist()) - set(classes.tolist()), key=str)
    if strange:
        raise UnreadableFile(
            f"{rows.name} has the labels {some(strange)}; the model knows "
            f"{some(classes.tolist())}. Is --label the right column?"
        )
    return X, y


def as_labels(y, classes):
    """Return labels of a file as those of a model that they mean, however spelled."""
    import numpy as np

    by_number = {number_of(label): label for label in classes.tolist()}
    by_text = {str(label): label for label in classes.tolist()}
    meant = {
        label: by_text.get(str(label), by_number.get(number_of(label), label))
        for label in set(y.tolist())
    }
    dtype = classes.dtype if set(meant.values()) <= set(by_text.values()) else object
    return np.array([meant[label] for label in y.tolist()], dtype=dtype)


def number_of(label):
    """Return the number that a label spells, else the label."""
    try:
        return float(label)
    except ValueError:
        return label


def columns_of(name, values, classes):
    """Return columns of a table: one for two classes of scores, else one a class."""
    if values.ndim == 1:
        return {name: values}
    return {f"{name} {label}": values[:, k] for k, label in enumerate(classes)}


def text_of(columns):
    """Return labels one a line, or a table with commas if there is more."""
    if len(columns) == 1:
        return "".join(f"{label}\n" for label in columns["label"].tolist())
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
