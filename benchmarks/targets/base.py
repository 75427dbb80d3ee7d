"""What targets share: cells, how one is measured, and what is claimed of all."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Column(NamedTuple):
    """A column of a table: its title and how it shows a row."""

    title: str
    show: Callable[[dict], str]


def column(title, key, form=""):
    """Return the column of a value; what is missing is shown as a dash."""

    def show(row):
        value = row.get(key)
        return "-" if value is None else format(value, form)

    return Column(title, show)


class Claim(NamedTuple):
    """What was wanted and what was reached; ``ok`` is None if nothing is claimed."""

    what: str
    wanted: str
    reached: str
    ok: bool | None


def at_most(what, limit, values, form=".2f"):
    """Claim that the largest of some values does not exceed a limit."""
    return _claim(what, "<=", limit, max, values, form)


def at_least(what, limit, values, form=".2f"):
    """Claim that the smallest of some values does not fall below a limit."""
    return _claim(what, ">=", limit, min, values, form)


def reported(what, value, form=".2f"):
    """Return a number that is only reported, not claimed."""
    return Claim(what, "", format(value, form), None)


def _claim(what, relation, limit, extreme, values, form):
    values = list(values)
    wanted = f"{relation} {limit:g}"
    if not values:
        return Claim(what, wanted, "not measured", None)
    value = extreme(values)
    holds = value <= limit if relation == "<=" else value >= limit
    return Claim(what, wanted, format(value, form), bool(holds))


def geometric_mean(values):
    """Return a list of the geometric mean, empty if there are no values."""
    values = list(values)
    return [float(np.exp(np.mean(np.log(values))))] if values else []


def median(values):
    """Return a list of the median, empty if there are no values."""
    values = list(values)
    return [float(np.median(values))] if values else []


class Target:
    """A claim to be measured; a cell of its table is a dictionary, as is a row."""

    name: str
    title: str
    about: str
    columns: tuple

    def skipped(self, bench):
        """Return why there is nothing to measure in this run, or None."""
        return None

    def cells(self, bench):
        """Return the cells to measure."""
        raise NotImplementedError

    def limit(self, bench, cell):
        """Return after how many seconds the measurement of a cell is given up."""
        return bench.settings.cell_limit

    def guess(self, bench, cell):
        """Return about how many seconds a cell takes, for a first run."""
        return 3.0

    def hopeless(self, cell, rows):
        """Return why a cell is not worth measuring after the rows so far, or None."""
        return None

    def measure(self, bench, **cell):
        """Return the measurements of one cell, or raise ``Missing``."""
        raise NotImplementedError

    def compared(self, row, rows):
        """Return a row with what follows from it and the rows measured before it."""
        return row

    def summary(self, rows):
        """Return the titles and the lines of a shorter table, or None."""
        return None

    def claims(self, rows):
        """Return what the rows say about the claim."""
        raise NotImplementedError

    def finish(self, bench, rows):
        """Write files that belong to the table, such as figures; return their names."""
        return []
