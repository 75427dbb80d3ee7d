"""Prices of diamonds."""

from benchmarks.datasets.value_table import ValueTable


class Diamonds(ValueTable):
    """Six measurements; cut, colour and clarity as indicators."""

    name = "diamonds"
    n_rows = 53_940
    table = "ggplot2/diamonds"
    values = "price"
