"""Target 1: the linear SVM against LIBLINEAR, the same problem to the same accuracy."""

from benchmarks.competitors import LiblinearSVM, OurLinear, fewest_epochs
from benchmarks.objectives import Prices
from benchmarks.settings import TOL
from benchmarks.targets.base import (
    Column,
    Target,
    at_least,
    at_most,
    column,
    geometric_mean,
)


def race(bench, name, n_rows, C):
    """Return how ours and LIBLINEAR fare until within TOL of the optimum; run once."""
    return bench.once(("race", name, n_rows, C), lambda: _race(bench, name, n_rows, C))


def _race(bench, name, n_rows, C):
    prices = Prices(C)
    rows, objective, bound = bench.linear(name, n_rows, prices)

    def above(machine):
        return bound.above(objective.value(machine.coef_[0]).total)

    def is_good(machine):
        return above(machine) <= TOL

    search = fewest_epochs(rows.X, rows.y, C, is_good, bench.settings.cap)
    ours = OurLinear(prices, TOL)
    theirs = LiblinearSVM(C, search.epochs)
    runs = {"ours": lambda: ours.fit(rows.X, rows.y)}
    if search.reached:
        runs["theirs"] = lambda: theirs.fit(rows.X, rows.y)
    timings = bench.time(runs)
    # A run that went to its limit is not worth repeating.
    seconds = timings["theirs"].best if search.reached else search.seconds
    machine = timings["theirs"].result if search.reached else search.machine
    return {
        "data": rows.source,
        "rows": len(rows.y),
        "speedup": seconds / timings["ours"].best,
        "ours_seconds": timings["ours"].best,
        "theirs_seconds": seconds,
        "epochs": search.epochs,
        "reached": search.reached,
        "ours_above": above(timings["ours"].result),
        "theirs_above": above(machine),
    }


def at_limit(key, form):
    """Return how to show a number that is a lower bound where LIBLINEAR fell short."""

    def show(row):
        if key not in row:
            return "-"
        return ("" if row["reached"] else "> ") + format(row[key], form)

    return show


RACE_COLUMNS = (
    column("data", "data"),
    Column("LinearSVC / ours", at_limit("speedup", ".3g")),
    column("ours, s", "ours_seconds", ".4f"),
    Column("LinearSVC, s", at_limit("theirs_seconds", ".4f")),
    column("epochs", "epochs"),
    column("ours above", "ours_above", ".1e"),
    column("LinearSVC above", "theirs_above", ".1e"),
)


class Linear(Target):
    """Times until the objective is within 1e-3 of the optimum."""

    name = "linear"
    title = "1. Linear"
    about = (
        "Time until the objective is within 1e-3 of the optimum, zero lambdas, "
        "no intercept. LinearSVC runs the smallest number of epochs that gets there (found "
        "beforehand); '>' means that it did not get there in the time allowed."
    )
    columns = (column("set", "set"), column("C", "C", "g"), *RACE_COLUMNS)

    def cells(self, bench):
        """Return every data set at every C."""
        settings = bench.settings
        return [{"set": name, "C": C} for name in settings.sets for C in settings.Cs]

    def measure(self, bench, **cell):
        """Return the race on one data set."""
        return race(bench, cell["set"], None, cell["C"])

    def claims(self, rows):
        """Claim a geometric mean, a worst cell and an accuracy."""
        speedups = [row["speedup"] for row in rows]
        return [
            at_least("LinearSVC / ours, geometric mean", 5, geometric_mean(speedups)),
            at_least("LinearSVC / ours, worst cell", round(1 / 1.5, 3), speedups, ".3g"),
            at_most("ours above the bound", TOL, (r["ours_above"] for r in rows), ".1e"),
        ]
