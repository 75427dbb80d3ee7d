"""The readings of the paper's objective, as factors of its three prices.

The paper writes ``|w|^2 / 2 + lambda_1 spread - lambda_2 mean + C sum(losses)``. Its text
prints the spread twice: as a double sum over pairs of rows, and, on the next line, as that
sum divided by the square of the number of rows, which is twice the variance.
"""

from dataclasses import dataclass

from sklearn.model_selection import ParameterGrid

from largemargin.estimators.grids import GRIDS, PAPER_LAMBDAS
from largemargin.estimators.table import SVM_PRICES


@dataclass(frozen=True)
class Reading:
    """A way to read the objective.

    Each price of the paper is multiplied by a power of the number of rows m, that of the
    rows of each fit, to become the price of this library.

    Parameters
    ----------
    label : str
        What is read how.

    C, lambda_var, lambda_mean : int, default=0
        The power of m for each price.
    """

    label: str
    C: int = 0
    lambda_var: int = 0
    lambda_mean: int = 0

    def prices(self, values, n_rows):
        """Return values of the paper's prices, by name, as prices of this library."""
        return {
            name: [value * float(n_rows) ** getattr(self, name) for value in some]
            for name, some in values.items()
        }


READINGS = {
    "literal": Reading("losses summed, variance and mean averaged"),
    "averaged": Reading("losses averaged too: C / m", C=-1),
    "summed": Reading("variance and mean summed too: lambdas times m", 0, 1, 1),
    "pairs": Reading("variance as a double sum: its lambda times m squared", lambda_var=2),
}
CS = GRIDS["paper"]["Cs"]
# The values that the paper chooses from, by method.
GRID = {
    "svm": {"C": CS, **{name: (value,) for name, value in SVM_PRICES.items()}},
    "ldm": {"C": CS, "lambda_var": PAPER_LAMBDAS, "lambda_mean": PAPER_LAMBDAS},
}
# The literal methods have the names of the paper's study, whose results they share. An SVM
# has no lambdas: it differs from the literal one only where C does.
METHODS = {
    method if name == "literal" else f"{method}, {name}": (method, reading)
    for method in GRID
    for name, reading in READINGS.items()
    if method == "ldm" or name == "literal" or reading.C
}


def method_by(name, method):
    """Return the name of the SVM or the LDM by a reading.

    Examples
    --------
    >>> method_by("summed", "ldm"), method_by("summed", "svm")
    ('ldm, summed', 'svm')
    """
    by_reading = f"{method}, {name}"
    return by_reading if by_reading in METHODS else method


def points(method):
    """Return the points of the paper's grid, in the order in which a search has them."""
    return list(ParameterGrid(GRID[method]))
