"""Target 8: how time grows with the rows and with C."""

import numpy as np

from benchmarks.targets.base import Target, at_most, column, reported
from benchmarks.targets.linear import RACE_COLUMNS, race

GREY = "0.45"


def exponent(rows, axis, key):
    """Return the slope of the logarithms of time over ``axis``."""
    x, seconds = ([row[name] for row in rows] for name in (axis, key))
    return float(np.polyfit(np.log(x), np.log(seconds), 1)[0])


class Growth(Target):
    """Times of the linear SVM over m and over C, ours beside LIBLINEAR's."""

    name = "growth"
    title = "8. Growth"
    about = (
        "Time until within 1e-3 of the optimum, as a function of the number of rows and of "
        "C, for ours and LIBLINEAR, as in target 1."
    )
    columns = (
        column("over", "over"),
        column("set", "set"),
        column("m", "rows"),
        column("C", "C", "g"),
        *RACE_COLUMNS,
    )

    def cells(self, bench):
        """Return a series over m and one over C."""
        settings = bench.settings
        name, fixed = settings.growth_set, settings.growth_C_rows
        over_rows = [("m", n_rows, 1) for n_rows in settings.growth_rows]
        over_C = [("C", fixed, C) for C in settings.growth_Cs]
        return [
            {"over": over, "set": name, "first": n_rows, "C": C}
            for over, n_rows, C in over_rows + over_C
        ]

    def guess(self, bench, cell):
        """Return about what the search for epochs took in earlier runs."""
        return 4.0

    def measure(self, bench, **cell):
        """Return the race at one place."""
        return race(bench, cell["set"], cell["first"], cell["C"])

    def claims(self, rows):
        """Claim exponents; that over m without the smaller half, which is overhead."""
        over_rows = [row for row in rows if row["over"] == "m"]
        over_C = [row for row in rows if row["over"] == "C"]
        large = over_rows[len(over_rows) // 2 - 1 :]
        claims = []
        for series, axis, limit in (large, "rows", 1.2), (over_C, "C", 0.1):
            if len(series) < 2:
                continue
            ours = exponent(series, axis, "ours_seconds")
            theirs = exponent(series, axis, "theirs_seconds")
            name = "m" if axis == "rows" else axis
            claims.append(at_most(f"exponent of time over {name}, ours", limit, [ours]))
            claims.append(reported(f"exponent of time over {name}, LinearSVC", theirs))
        return claims

    def finish(self, bench, rows):
        """Draw both series."""
        if len(rows) < 2:
            return []
        prefix = "" if bench.settings.mode == "full" else f"{bench.settings.mode}-"
        name = f"{prefix}growth.png"
        draw(rows, bench.settings.cap, bench.output / name)
        return [name]


def draw(rows, cap, path):
    """Save a picture of time over m and over C, both on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for ax, over, key, label in zip(
        axes, "mC", ("rows", "C"), ("rows m", "C"), strict=True
    ):
        series = [row for row in rows if row["over"] == over]
        if not series:
            continue
        x = np.array([row[key] for row in series], dtype=float)
        ours = np.array([row["ours_seconds"] for row in series])
        theirs = np.array([row["theirs_seconds"] for row in series])
        short = np.array([not row["reached"] for row in series])
        ax.loglog(x, theirs, "--", color=GREY, lw=1.8)
        marks = {"color": GREY, "marker": "s", "ms": 7, "ls": "none", "mew": 1.5}
        ax.loglog(x[~short], theirs[~short], label="LinearSVC", **marks)
        if short.any():
            ax.loglog(
                x[short],
                theirs[short],
                mfc="white",
                label=f"LinearSVC, not there after {cap:g} s",
                **marks,
            )
        ax.loglog(x, ours, "-o", color="black", lw=1.8, ms=6, label="largemargin")
        if over == "m":
            line = ours[-1] * x / x[-1]
            ax.loglog(x, line, ":", color="black", lw=1.2, label="slope 1")
            where = f"C = {series[0]['C']:g}"
        else:
            where = f"m = {series[0]['rows']:,}"
        ax.set_title(f"{series[0]['set']} ({series[0]['data']}), {where}")
        ax.set_xlabel(label)
        ax.grid(True, which="major", color="0.88", lw=0.7)
        ax.legend(frameon=False)
    axes[0].set_ylabel("seconds until within 1e-3")
    figure.savefig(path, dpi=120)
