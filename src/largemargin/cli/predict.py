"""``largemargin predict``: labels, scores and probabilities of the rows of a file."""

import csv
import io

import click

from largemargin.cli import terminal
from largemargin.cli.options import (
    prediction_options,
    probability_options,
    report_options,
    rows_of,
)

BLOCK_ROWS = 20_000


@click.command(epilog="Example: largemargin predict heart.model new.csv -o labels.txt")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="File to write to; '-' is standard output.",
)
@click.option("--scores", is_flag=True, help="Write a table that includes the scores.")
@probability_options("Write a table that includes the probability of each class.")
@prediction_options
@report_options
def main(model, data, output, scores, as_json, quiet, **options):
    """Predict the label of each row of DATA.

    MODEL is a file written by train. The output has one label per line or, with --scores or
    --probability, is a CSV table with a header. If DATA has labels, the accuracy is printed
    on standard error.
    """
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import check_writable, written

    check_writable(output, inputs=[model, data], may_be_shown=True)
    model_path = model
    model, schema = load_model(model_path)
    probability = options["probability"] or options["in_libsvm"]
    if probability and not hasattr(model, "predict_proba"):
        raise ValueError(f"{model_path} has no probabilities; train it with --probability.")
    X, y = rows_for(schema, data, options, quiet=quiet)
    found = answers(model, X, probability=probability, quiet=quiet)
    if not scores:
        del found["score"]
    columns = {}
    for name, values in found.items():
        if values.ndim == 1:
            columns[name] = values
        else:
            named = zip(model.classes_, values.T, strict=True)
            columns |= {f"{name} {label}": column for label, column in named}
    text = terminal.json_of(columns) + "\n" if as_json else text_of(columns)
    with written(output) as stream:
        stream.write(text.encode())
    if y is not None and not quiet:
        right = int((columns["label"] == as_labels(y, model.classes_)).sum())
        share = f"{100 * right / len(y):.6g}% ({right}/{len(y)})"
        click.echo(f"Accuracy = {share} (classification)", err=True)


def labelled_answers(path, data, options):
    """Return the model in a file, and labels, predictions, scores and margins of rows."""
    from largemargin.cli.models import load_model
    from largemargin.inspection.margins import distribution_of_scores

    model, schema = load_model(path)
    X, y = rows_for(schema, data, options, classes=model.classes_)
    predicted, scores, of_problems = answers(model, X, problems=True).values()
    return model, y, predicted, scores, distribution_of_scores(model, of_problems, y)


def answers(model, X, *, probability=False, problems=False, quiet=False):
    """Return the labels, scores and, if wanted, probabilities of rows, by name.

    With ``problems``, also return the scores of pairs of classes, if the model has those.

    Rows are predicted in blocks, so that a bar can show the progress, and their kernel
    values are computed once.
    """
    import numpy as np

    from largemargin.estimators.base import MarginClassifier
    from largemargin.estimators.nesting import decided, innermost, scores_of_problems
    from largemargin.estimators.targets import winners_of
    from largemargin.production.calibration import CalibratedMachine

    # For other estimators, such as SVC, the largest score need not be the prediction.
    is_ours = isinstance(innermost(model), MarginClassifier)
    rows = X.iloc if hasattr(X, "iloc") else X
    blocks = []
    with terminal.bar("predicting", quiet=quiet) as move:
        for start in range(0, X.shape[0], BLOCK_ROWS):
            block = rows[start : start + BLOCK_ROWS]
            of_problems = scores_of_problems(model, block)
            scores = decided(model, of_problems)
            label = model.classes_[winners_of(scores)] if is_ours else model.predict(block)
            blocks.append({"label": label, "score": scores})
            if probability and isinstance(model, CalibratedMachine):
                blocks[-1]["probability"] = model.probabilities_of(of_problems)
            elif probability:
                blocks[-1]["probability"] = model.predict_proba(block)
            if problems:
                blocks[-1]["score of problems"] = of_problems
            move(start + block.shape[0], X.shape[0])
    return {name: np.concatenate([part[name] for part in blocks]) for name in blocks[0]}


def rows_for(schema, data, options, *, classes=None, quiet=False):
    """Return the features and labels of a file for a model of this schema.

    With ``classes``, all rows must have labels that are among them; without, labels are
    optional.
    """
    from largemargin.tables import UnreadableFile
    from largemargin.tables.rows import some

    rows = rows_of(data, options, quiet=quiet)
    label, unknown, lenient = options["label"], options["unknown"], classes is None
    X, y = schema.split(rows, label=label, unknown=unknown, lenient=lenient)
    if classes is None:
        return X, y
    if y is None:
        raise UnreadableFile(f"{rows.name} has no labels; name their column with --label.")
    y = as_labels(y, classes)
    strange = sorted(set(y.tolist()) - set(classes.tolist()), key=str)
    if strange:
        raise UnreadableFile(
            f"{rows.name} has the labels {some(strange)}; the model knows "
            f"{some(classes.tolist())}. Is --label the right column?"
        )
    return X, y


def as_labels(y, classes):
    """Return the labels of a file as the model spells them, such as 1 for "1.0"."""
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


def text_of(columns):
    """Return one label per line, or a CSV table if there are other columns."""
    if len(columns) == 1:
        return "".join(f"{label}\n" for label in columns["label"].tolist())
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
