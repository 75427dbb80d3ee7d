"""Axes to draw on; lines that differ in style and marks, not in colour alone."""

STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
SHADES = ("black", "tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple")
MARKS = ("o", "s", "^", "D", "v", "x")
# On white, so that a legend can be read across a curve.
LEGEND = {"loc": "best", "framealpha": 0.9, "edgecolor": "none"}


def begin(ax):
    """Return axes to draw on, and their figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Displays need matplotlib: pip install 'largemargin[plot]'."
        ) from None
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    return ax, ax.figure


def style(number, marked=False):
    """Return how the line of this number looks."""
    marks = {"marker": MARKS[number % len(MARKS)], "markersize": 5} if marked else {}
    return {
        "linestyle": STYLES[number % len(STYLES)],
        "color": SHADES[number % len(SHADES)],
        **marks,
    }
