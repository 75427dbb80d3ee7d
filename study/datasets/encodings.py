"""From tables of text to numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Recipe:
    """How the raw table of a data set becomes numbers.

    Parameters
    ----------
    columns : int
        Number of columns of the raw table, without the label.

    positive, negative : str
        The labels of the two classes; rows of other classes are left out.

    orders : mapping of int to sequence of str, default={}
        For each column of words its values in order.

    one_hot : bool, default=False
        Whether such a column becomes one 0/1 column per value; otherwise it becomes one
        column with the position of the value, 1 for the first. Two values always become
        one column, 0 for the first and 1 for the second.

    max_missing : int, default=None
        Columns with more missing values are left out.

    without : tuple of int, default=()
        Further columns that are left out.

    fill : bool, default=False
        Whether missing values become the mean or the most frequent value of their column;
        otherwise rows with missing values are left out.
    """

    columns: int
    positive: str
    negative: str
    orders: Mapping[int, Sequence[str]] = field(default_factory=dict)
    one_hot: bool = False
    max_missing: int | None = None
    without: tuple = ()
    fill: bool = False


def encode(table, recipe):
    """Return the rows as numbers and the labels as signs.

    Parameters
    ----------
    table : RawTable
        The raw table.

    recipe : Recipe
        What to do with it.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.

    y : ndarray of shape (n_samples,)
        -1.0 or 1.0.
    """
    if len(table.names) != recipe.columns + 1:
        raise ValueError(
            f"The table has {len(table.names)} columns; expected {recipe.columns} and the "
            "label."
        )
    kept = kept_columns(table, recipe)
    rows = rows_of_two_classes(table, recipe)
    if not recipe.fill:
        rows = [row for row in rows if all(row[number] for number in kept)]
    blocks = [encode_column(rows, number, table.names[number], recipe) for number in kept]
    y = np.where([row[-1] == recipe.positive for row in rows], 1.0, -1.0)
    return np.column_stack(blocks), y


def rows_of_two_classes(table, recipe):
    """Return the rows of the two classes of the recipe."""
    classes = recipe.positive, recipe.negative
    if not {*classes} <= {*table.labels}:
        raise ValueError(
            f"The labels {classes} are expected; found {sorted({*table.labels})[:10]}."
        )
    return [row for row in table.rows if row[-1] in classes]


def kept_columns(table, recipe):
    """Return the numbers of the columns that a recipe uses."""
    limit = len(table.rows) if recipe.max_missing is None else recipe.max_missing
    return [
        number
        for number in range(recipe.columns)
        if number not in recipe.without and table.column(number).count("") <= limit
    ]


def encode_column(rows, number, name, recipe):
    """Return a column as one or several columns of numbers."""
    cells = [row[number] for row in rows]
    if number not in recipe.orders:
        return numbers(cells, name)
    known = Counter(cell for cell in cells if cell)
    cells = [cell or known.most_common(1)[0][0] for cell in cells]
    order = recipe.orders[number]
    if not {*known} <= {*order}:
        raise ValueError(
            f"Column {name!r} holds {sorted({*known} - {*order})[:5]}; expected only "
            f"{[*order]}."
        )
    position = np.array([order.index(cell) for cell in cells], dtype=float)
    if len(order) == 2:
        return position
    return position[:, None] == np.arange(len(order)) if recipe.one_hot else position + 1


def numbers(cells, name):
    """Return cells as numbers, missing ones as the mean of the others."""
    try:
        values = np.array([float(cell or "nan") for cell in cells])
    except ValueError as error:
        raise ValueError(f"Column {name!r} is not numeric: {error}.") from error
    missing = np.isnan(values)
    if missing.any():
        values[missing] = values[~missing].mean()
    return values
