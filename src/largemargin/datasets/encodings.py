"""Tables of text into numbers, by the encodings that give the sizes of Table 1."""

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
        How many columns the raw table has beside the label.

    positive, negative : str
        The labels of the two classes; rows of other classes are left out.

    orders : mapping of int to sequence of str, default={}
        For each column of words its values in order.

    one_hot : bool, default=False
        Whether such a column becomes one 0/1 column a value, and not one column that
        holds the position of the value, 1 for the first. Two values are always one
        column, 0 for the first and 1 for the second.

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
    table : Table
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


def ordered(orders):
    """Return the values of columns from their text, in which "|" separates them."""
    return {number: values.split("|") for number, values in orders.items()}


CREDIT_APPROVAL = ordered(
    {
        0: "b|a",
        3: "u|y|l",
        4: "g|p|gg",
        5: "c|d|cc|i|j|k|m|r|q|w|x|e|aa|ff",
        6: "v|h|bb|j|n|z|dd|ff|o",
        8: "t|f",
        9: "t|f",
        11: "t|f",
        12: "g|p|s",
    }
)
HORSES = ordered(
    {
        0: "yes|no",
        1: "adult|young",
        5: "normal|warm|cool|cold",
        6: "normal|increased|reduced|absent",
        7: "normal pink|bright pink|pale pink|pale cyanotic|bright red|dark cyanotic",
        8: "<3|>=3|meaning unknown",
        9: "alert no pain|depressed|intermittent mild pain|intermittent severe pain|"
        "continuous severe pain",
        10: "hypermotile|normal|hypomotile|absent",
        11: "none|slight|moderate|severe",
        21: "lived|died|euthanized",
    }
)
PATIENTS = ordered(
    {
        0: "10-19|20-29|30-39|40-49|50-59|60-69|70-79|80-89|90-99",
        1: "lt40|ge40|premeno",
        2: "0-4|5-9|10-14|15-19|20-24|25-29|30-34|35-39|40-44|45-49|50-54|55-59",
        3: "0-2|3-5|6-8|9-11|12-14|15-17|18-20|21-23|24-26|27-29|30-32|33-35|36-39",
        4: "yes|no",
        6: "left|right",
        7: "left_up|left_low|right_up|right_low|central",
        8: "yes|no",
    }
)
DEBTORS = ordered(
    {
        0: "<0|0<=X<200|>=200|no checking",
        2: "no credits/all paid|all paid|existing paid|delayed previously|"
        "critical/other existing credit",
        3: "new car|used car|furniture/equipment|radio/tv|domestic appliance|repairs|"
        "education|retraining|business|other",
        5: "<100|100<=X<500|500<=X<1000|>=1000|no known savings",
        6: "unemployed|<1|1<=X<4|4<=X<7|>=7",
        8: "male div/sep|female div/dep/mar|male single|male mar/wid",
        9: "none|co applicant|guarantor",
        11: "real estate|life insurance|car|no known property",
        13: "bank|stores|none",
        14: "rent|own|for free",
        16: "unemp/unskilled non res|unskilled resident|skilled|high qualif/self emp/mgmt",
        18: "none|yes",
        19: "yes|no",
    }
)
VOTES = Recipe(16, "democrat", "republican", orders=dict.fromkeys(range(16), "ny"))
RECIPES = {
    "promoters": Recipe(57, "+", "-", orders=dict.fromkeys(range(57), "acgt")),
    "planning-relax": Recipe(12, "1", "2"),
    "colic": Recipe(
        22,
        "yes",
        "no",
        orders=HORSES,
        max_missing=83,
        without=(2, 4),  # rectal temperature, respiratory rate
    ),
    "parkinsons": Recipe(22, "1", "0"),
    "colic.ORIG": Recipe(27, "1", "2", max_missing=65),
    "sonar": Recipe(60, "Mine", "Rock"),
    "vote": VOTES,
    "house": VOTES,
    "heart": Recipe(13, "present", "absent"),
    "breast-cancer": Recipe(
        9,
        "recurrence-events",
        "no-recurrence-events",
        orders=PATIENTS,
    ),
    "haberman": Recipe(
        3,
        "1",
        "2",
        orders=ordered({1: "58|59|60|61|62|63|64|65|66|67|68|69"}),
        one_hot=True,
    ),
    "vehicle": Recipe(18, "bus", "saab"),
    "clean1": Recipe(166, "1", "0"),
    "isolet": Recipe(617, "1", "2"),
    "credit-a": Recipe(15, "+", "-", orders=CREDIT_APPROVAL),
    "austra": Recipe(14, "1", "0"),
    "australian": Recipe(15, "+", "-", orders=CREDIT_APPROVAL, one_hot=True, fill=True),
    "german": Recipe(
        20,
        "bad",
        "good",
        orders=DEBTORS,
        one_hot=True,
    ),
}
