"""Target 1: the linear SVM against LIBLINEAR, the same problem to the same accuracy."""

from functools import partial

import numpy as np

from benchmarks.competitors import (
    LiblinearSVM,
    MulticoreSVM,
    OurLinear,
    SnapSVM,
    converted,
    fewest_epochs,
)
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

# What makes the peer of a number of epochs, on given rows at a given C.
PEERS = {
    "LinearSVC": lambda rows, C: partial(LiblinearSVM, C),
    "snapml": lambda rows, C: partial(SnapSVM, C),
    "liblinear-multicore": lambda rows, C: partial(
        MulticoreSVM, C, problem=converted(rows.X, rows.y)
    ),
}


def race(bench, name, n_rows, C, peer="LinearSVC", cap=None):
    """Return how ours and a peer fare until within TOL of the optimum; run once."""
    return bench.once(
        ("race", name, n_rows, C, peer),
        lambda: _race(bench, name, n_rows, C, peer, cap or bench.settings.cap),
    )


def _race(bench, name, n_rows, C, peer, cap):
    prices = Prices(C)
    competitor = PEERS[peer](bench.rows(name, n_rows), C)
    rows, objective, bound = bench.linear(name, n_rows, prices)

    def above(machine):
        return bound.above(objective.value(np.ravel(machine.coef_)).total)

    return race_between(bench, rows, OurLinear(prices, TOL), competitor, above, cap)


def race_between(bench, rows, ours, competitor, above, cap):
    """Return the times of ours and of ``competitor(epochs)`` until within TOL.

    ``above`` is how far a machine is above the optimum; the fewest epochs are found first.
    """

    def is_good(machine):
        return above(machine) <= TOL

    search = fewest_epochs(rows.X, rows.y, competitor, is_good, cap)
    theirs = competitor(search.epochs)
    runs = {"ours": lambda: ours.fit(rows.X, rows.y)}
    if search.reached:
        runs["theirs"] = lambda: theirs.fit(rows.X, rows.y)
    timings = bench.time(runs)
    # A run that went to its limit is not worth repeating.
    seconds = timings["theirs"].best if search.reached else search.seconds
    machine = timings["theirs"].result if search.reached else search.machine
    row = {
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
    row["ours_cpu_seconds"] = timings["ours"].best_cpu
    if search.reached:
        row["theirs_cpu_seconds"] = timings["theirs"].best_cpu
    return row


def at_limit(key, form):
    """Return how to show a number that is a lower bound where the peer fell short."""

    def show(row):
        if key not in row:
            return "-"
        return ("" if row["reached"] else "> ") + format(row[key], form)

    return show


def race_columns(peer):
    """Return the columns of a race."""
    return (
        column("data", "data"),
        Column(f"{peer} / ours", at_limit("speedup", ".3g")),
        column("ours, s", "ours_seconds", ".4f"),
        Column(f"{peer}, s", at_limit("theirs_seconds", ".4f")),
        column("epochs", "epochs"),
        column("ours above", "ours_above", ".1e"),
        column(f"{peer} above", "theirs_above", ".1e"),
    )


RACE_COLUMNS = race_columns("LinearSVC")


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

    def guess(self, bench, cell):
        """Return about what the search for epochs took in earlier runs."""
        return 2.0 if cell["set"] not in ("covtype", "news20-rebuilt", "skin") else 10.0

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
