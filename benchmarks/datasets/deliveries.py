"""Minutes until a meal is delivered."""

from benchmarks.datasets.value_table import ValueTable


class Deliveries(ValueTable):
    """The hour, the day, the distance, and how many of each of 27 items."""

    name = "deliveries"
    n_rows = 10_012
    table = "modeldata/deliveries"
    values = "time_to_delivery"
