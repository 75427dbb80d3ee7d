"""Nitrogen oxides beside a motorway."""

from benchmarks.datasets.value_table import ValueTable


class NoxEmissions(ValueTable):
    """Three numbers per hour: the day, emissions of cars, and the speed of the wind."""

    name = "nox"
    n_rows = 8088
    table = "robustbase/NOxEmissions"
    values = "LNOx"
