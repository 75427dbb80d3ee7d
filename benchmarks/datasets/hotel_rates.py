"""Prices of hotel rooms."""

from benchmarks.datasets.value_table import ValueTable


class HotelRates(ValueTable):
    """What was booked, by whom and how: 50 columns, most of them indicators."""

    name = "hotel-rates"
    n_rows = 15_238
    table = "modeldata/hotel_rates"
    values = "avg_price_per_room"
