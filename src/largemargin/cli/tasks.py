"""What is predicted: classes, values or outliers, decided by the labels or asked for."""

import click

# Names of tasks on the command line, and those in the table of estimators.
TASKS = {"classification": "classes", "regression": "values", "outliers": "outliers"}
# Whole numbers are values rather than classes if there are more different ones than this,
# and more than this share of the rows.
MANY_CLASSES, MANY_SHARE = 20, 0.2

AUTO = (
    "auto: values (regression) if the labels are numbers that are not whole, or very many "
    "whole numbers; otherwise classes."
)
OUTLIERS = "outliers: rows unlike the others; labels are not needed."


def task_option(*names):
    """Return the option for the task, one of these."""
    text = f"What to predict. {AUTO}" + (f" {OUTLIERS}" if "outliers" in names else "")
    kind = click.Choice(["auto", *names])
    return click.option("--task", type=kind, default="auto", help=text)


def decided_task(rows, label):
    """Return the task that the labels of training rows are for, and why, in words."""
    from largemargin.tables.rows import MatrixRows, short

    matrix = isinstance(rows, MatrixRows)
    name = None if matrix else list(rows.columns)[rows.place_of(label)]
    numbers = rows.numeric_labels(name)
    if numbers is None or not are_values(numbers):
        return "classification", None
    if not matrix:
        refuse_words(rows, name)
    place = "y" if matrix else f"column {short(name)}"
    return (
        "regression",
        f"{place} holds {count(numbers)} different numbers, which are taken for values; "
        "--task classification takes them for classes",
    )


def refuse_words(rows, name):
    """Raise for a word among the values of a column, with its line."""
    from largemargin.tables import UnreadableFile

    try:
        rows.numbers(name)
    except UnreadableFile as error:
        raise UnreadableFile(
            f"{error} Correct it, or train with --task classification."
        ) from None


def are_values(numbers):
    """Return whether numbers look like values rather than labels of classes."""
    import numpy as np

    numbers = numbers[np.isfinite(numbers)]
    found = count(numbers)
    if found > 2 and (numbers != np.round(numbers)).any():
        return True
    return found > max(MANY_CLASSES, MANY_SHARE * len(numbers))


def count(numbers):
    """Return how many different numbers there are."""
    return len(set(numbers.tolist()))


def task_of(model):
    """Return the task of a fitted model."""
    from sklearn.base import is_outlier_detector, is_regressor

    if is_regressor(model):
        return "regression"
    return "outliers" if is_outlier_detector(model) else "classification"
