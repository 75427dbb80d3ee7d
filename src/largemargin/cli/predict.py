"""``largemargin predict``: labels or values, scores and probabilities of rows."""

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
from largemargin.cli.tasks import task_of

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
    """Predict the label or value of each row of DATA.

    MODEL is a file written by train. The output has one label or value per line or, with
    --scores, --probability or several quantiles, is a CSV table with a header. Labels of
    outliers are -1, those of other rows 1. If DATA has labels or values, the accuracy or
    the error is printed on standard error.
    """
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import check_writable, written

    check_writable(output, inputs=[model, data], may_be_shown=True)
    model_path = model
    model, schema = load_model(model_path)
    task = task_of(model)
    probability = options["probability"] or options["in_libsvm"]
    if probability and task != "classification":
        raise ValueError(f"{model_path} is for {task} and has no probabilities.")
    if probability and not hasattr(model, "predict_proba"):
        raise ValueError(f"{model_path} has no probabilities; train it with --probability.")
    if scores and task == "regression":
        raise ValueError(
            f"{model_path} is for regression; its values are its scores: leave --scores "
            "out."
        )
    X, y = rows_for(schema, data, options, task=task, quiet=quiet)
    found = answers(model, X, probability=probability, quiet=quiet)
    if not scores:
        found.pop("score", None)
    columns = {}
    for name, values in found.items():
        if values.ndim == 1:
            columns[name] = values
        else:
            named = zip(names_of_columns(model, values), values.T, strict=True)
            columns |= {f"{name} {label}": column for label, column in named}
    text = terminal.json_of(columns) + "\n" if as_json else text_of(columns)
    with written(output) as stream:
        stream.write(text.encode())
    if not quiet:
        for line in summary(task, model, found, y):
            click.echo(line, err=True)


def names_of_columns(model, values):
    """Return what the columns of predictions or scores stand for."""
    from largemargin.cli.measures import levels_of

    if task_of(model) == "classification":
        return model.classes_
    quantiles = levels_of(model) or []
    named = [f"{level:g}" for level in quantiles]
    return named if len(named) == values.shape[1] else [*range(values.shape[1])]


def summary(task, model, found, y):
    """Yield lines on how good predictions are, those of classes as svm-predict does."""
    from largemargin.cli.measures import levels_of, value_facts

    if task == "outliers":
        n_outliers, n_rows = int((found["label"] < 0).sum()), len(found["label"])
        share = f"{100 * n_outliers / n_rows:.6g}% ({n_outliers}/{n_rows})"
        yield f"Outliers = {share}"
    elif y is None:
        return
    elif task == "regression":
        if found["value"].ndim == 1 or levels_of(model):
            facts = value_facts(y, found["value"], levels_of(model))
            told = (f"{name} = {terminal.as_text(one)}" for name, one in facts.items())
            yield f"{'; '.join(told)} (regression)"
    else:
        right = int((found["label"] == as_labels(y, model.classes_)).sum())
        share = f"{100 * right / len(y):.6g}% ({right}/{len(y)})"
        yield f"Accuracy = {share} (classification)"


def labelled_answers(model, schema, data, options):
    """Return the labels, predictions, scores and margins of the rows of a file."""
    from largemargin.inspection.margins import distribution_of_scores

    X, y = rows_for(schema, data, options, task="classification", classes=model.classes_)
    predicted, scores, of_problems = answers(model, X, problems=True).values()
    return y, predicted, scores, distribution_of_scores(model, of_problems, y)


def valued_answers(path, model, schema, data, options):
    """Return the values of the rows of a file, their predictions, and the residuals."""
    from largemargin.cli.measures import levels_of
    from largemargin.inspection.residuals import distribution_of_predictions

    X, y = rows_for(schema, data, options, task="regression", must=True)
    (predicted,) = answers(model, X).values()
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    if predicted.ndim == 2 and not levels_of(model):
        raise ValueError(
            f"{path} predicts {predicted.shape[1]} values for each row, and a file has one "
            "to compare with; use predict, and compare them by a program."
        )
    return y, predicted, distribution_of_predictions(model, predicted, y)


def scored_answers(model, schema, data, options):
    """Return the labels of the rows of a file, if there are any, and the answers."""
    X, y = rows_for(schema, data, options, task="outliers")
    return y, answers(model, X)


def answers(model, X, *, probability=False, problems=False, quiet=False):
    """Return the labels, scores and, if wanted, probabilities of rows, by name.

    Of a regressor, return the values. With ``problems``, also return the scores of pairs of
    classes, if the model has those.

    Rows are predicted in blocks, so that a bar can show the progress, and their kernel
    values are computed once.
    """
    import numpy as np

    rows = X.iloc if hasattr(X, "iloc") else X
    answer = ANSWERS[task_of(model)]
    blocks = []
    with terminal.bar("predicting", quiet=quiet) as move:
        for start in range(0, X.shape[0], BLOCK_ROWS):
            block = rows[start : start + BLOCK_ROWS]
            blocks.append(answer(model, block, probability, problems))
            move(start + block.shape[0], X.shape[0])
    return {name: np.concatenate([part[name] for part in blocks]) for name in blocks[0]}


def answer_classes(model, rows, probability, problems):
    """Return the labels, scores and whatever else is wanted of some rows."""
    from largemargin.estimators.base import MarginClassifier
    from largemargin.estimators.nesting import decided, innermost, scores_of_problems
    from largemargin.estimators.targets import winners_of
    from largemargin.production.calibration import CalibratedMachine

    of_problems = scores_of_problems(model, rows)
    scores = decided(model, of_problems)
    # For other estimators, such as SVC, the largest score need not be the prediction.
    is_ours = isinstance(innermost(model), MarginClassifier)
    label = model.classes_[winners_of(scores)] if is_ours else model.predict(rows)
    found = {"label": label, "score": scores}
    if probability and isinstance(model, CalibratedMachine):
        found["probability"] = model.probabilities_of(of_problems)
    elif probability:
        found["probability"] = model.predict_proba(rows)
    if problems:
        found["score of problems"] = of_problems
    return found


def answer_values(model, rows, *_):
    """Return the values of some rows."""
    return {"value": model.predict(rows)}


def answer_outliers(model, rows, *_):
    """Return the labels, 1 or -1 for outliers, and scores of some rows."""
    import numpy as np

    scores = model.decision_function(rows)
    return {"label": np.where(scores < 0, -1, 1), "score": scores}


ANSWERS = {
    "classification": answer_classes,
    "regression": answer_values,
    "outliers": answer_outliers,
}


def rows_for(schema, data, options, *, task, classes=None, must=False, quiet=False):
    """Return the features, and the labels or values, of a file for a model of this schema.

    With ``classes``, all rows must have labels that are among them. Values must be there if
    ``must``; otherwise, labels and values are optional.
    """
    from largemargin.tables import UnreadableFile
    from largemargin.tables.rows import some

    rows = rows_of(data, options, quiet=quiet)
    must, values = must or classes is not None, task == "regression"
    options = {"label": options["label"], "unknown": options["unknown"]}
    X, y = schema.split(rows, lenient=not must, values=values, **options)
    if y is None and must:
        what = "values to compare with" if values else "labels"
        raise UnreadableFile(f"{rows.name} has no {what}; name their column with --label.")
    if classes is None:
        return X, y
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
    """Return one label or value per line, or a CSV table if there are other columns."""
    if columns.keys() <= {"label", "value"}:
        (column,) = columns.values()
        return "".join(f"{one}\n" for one in column.tolist())
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
