"""Prices of computers."""

from benchmarks.datasets.value_table import ValueTable


class Computers(ValueTable):
    """Six numbers and three yes or no."""

    name = "computers"
    n_rows = 6259
    table = "Ecdat/Computers"
    values = "price"
