"""Prices of houses."""

from benchmarks.datasets.value_table import ValueTable


class Ames(ValueTable):
    """Many words: 301 columns for 2,930 rows."""

    name = "ames"
    n_rows = 2930
    table = "modeldata/ames"
    values = "Sale_Price"
