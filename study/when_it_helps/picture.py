"""The picture: how far our machines are ahead of or behind the SVMs, by condition."""

from study.when_it_helps.conditions import CONDITIONS, FIXED, SELF_TUNED, SELF_TUNED_SVM

# Okabe and Ito's, which the colour-blind can distinguish, also by their darkness.
LOOKS = {
    ("SVC search", SELF_TUNED): ("self-tuned LDM, minus tuned SVM", "#0072b2", "o"),
    ("SVC", SELF_TUNED): ("self-tuned LDM, minus SVC()", "#56b4e9", "s"),
    (SELF_TUNED_SVM, SELF_TUNED): (
        "self-tuned LDM, minus the same without a price",
        "k",
        "x",
    ),
    ("SVC search", FIXED): ("fixed prices, minus tuned SVM", "#d55e00", "^"),
    ("LinearSVC search", "linear loo, squared, k 0"): (
        "self-tuned linear, no price, minus tuned LinearSVC",
        "#009e73",
        "D",
    ),
    ("LinearSVC search", "linear loo, squared, k 0.1"): (
        "self-tuned linear, k = 0.1, minus tuned LinearSVC",
        "#e69f00",
        "v",
    ),
}
WIDTH_INCHES, DOTS_PER_INCH = 9, 100
# Comparisons under one condition are drawn at up to so many places, so far apart.
N_PLACES, STEP = 4, 0.17


def place(condition):
    """Return the place of a condition among the rows; one kind of sets comes after all."""
    name, _, kind = condition.partition(", ")
    return list(CONDITIONS).index(name), kind


def draw(found):
    """Return a figure with a row for each condition and a point for each comparison.

    Parameters
    ----------
    found : list of Comparison
        Of accuracies in per cent.

    Returns
    -------
    figure : matplotlib Figure
        The bars are standard errors over sets.
    """
    from matplotlib.figure import Figure

    shown = sorted({one.condition for one in found}, key=place)
    size = WIDTH_INCHES, 1.6 + 0.5 * len(shown)
    figure = Figure(figsize=size, dpi=DOTS_PER_INCH, layout="constrained")
    ax = figure.subplots()
    ax.axvline(0, color="0.4", linewidth=1)
    for number, (pair, (label, colour, marker)) in enumerate(LOOKS.items()):
        points = [one for one in found if (one.theirs, one.ours) == pair]
        if points:
            shift = STEP * (number % N_PLACES - (N_PLACES - 1) / 2)
            ax.errorbar(
                [one.mean for one in points],
                [shown.index(one.condition) + shift for one in points],
                xerr=[one.error for one in points],
                **{"fmt": marker, "color": colour, "label": label, "capsize": 3},
            )
    ax.set_yticks(range(len(shown)), shown)
    ax.invert_yaxis()
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.set_xlabel("points of test accuracy, mean and standard error over sets")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
