"""Axes to draw on, and lines that differ in style and marker, not in colour alone."""

from typing import Any

from largemargin.numerics.extras import optional_module

STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
COLOURS = ("black", "tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple")
MARKERS = ("o", "s", "^", "D", "v", "x")
# A white background keeps the legend readable where it covers a curve.
LEGEND = {"loc": "best", "framealpha": 0.9, "edgecolor": "none"}


def begin(ax):
    """Return axes to draw on, new ones for None, and their figure."""
    plt = optional_module("matplotlib.pyplot", "Displays", extra="plot")
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    return ax, ax.figure


def style(number: int, *, marked: bool = False) -> dict[str, Any]:
    """Return the options of ``plot`` for the line of this number."""
    marker = {"marker": MARKERS[number % len(MARKERS)], "markersize": 5} if marked else {}
    return {
        "linestyle": STYLES[number % len(STYLES)],
        "color": COLOURS[number % len(COLOURS)],
        **marker,
    }
