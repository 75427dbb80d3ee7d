"""Target 18: linear regression against LIBLINEAR, and flat in C."""

from functools import partial

import numpy as np

from benchmarks.competitors import LiblinearSVR, OurLinearRegressor
from benchmarks.objectives import RegressionObjective, RegressionPrices
from benchmarks.settings import TOL
from benchmarks.targets.base import (
    Target,
    at_least,
    at_most,
    column,
    geometric_mean,
    reported,
)
from benchmarks.targets.growth import exponent
from benchmarks.targets.linear import race_between, race_columns

# Zero lambdas; and k_var, k_square in units of C times the rows over the scale u.
SVM, SCALE = "svm", "0.01, 0.01"
SLOWEST = 2.5
# Power of C that times may grow with.
FLAT = 0.1


class LinearRegression(Target):
    """Times until the objective of linear regression is within 1e-3 of the optimum."""

    name = "linear_regression"
    title = "18. Linear regression"
    about = (
        "Time until the objective is within 1e-3 of the optimum, on all standardised rows "
        "with values in their own units, of scale u and median 0, no intercept; C as given "
        "times u, epsilon 0.1 u. LinearSVR runs the smallest number of epochs that gets "
        "there (found beforehand); '>' means that it did not in the time allowed. Prices: "
        "zero lambdas ('svm'), or k_var, k_square in units of C m / u, where the time of "
        "LinearSVR is that at zero lambdas."
    )
    columns = (
        column("set", "set"),
        column("C / u", "C", "g"),
        column("prices", "prices"),
        column("m", "rows"),
        *race_columns("LinearSVR"),
        column("CPU, LinearSVR / ours", "cpu_speedup", ".3g"),
        column("iterations", "n_iter"),
    )

    def cells(self, bench):
        """Return every data set at every C."""
        settings = bench.settings
        return [
            {"set": name, "C": C, "prices": prices}
            for name in settings.linear_value_sets
            for C in settings.flat_Cs
            for prices in (SVM, SCALE)
        ]

    def guess(self, bench, cell):
        """Return about what the search for epochs takes."""
        return bench.settings.cap if cell["prices"] == SVM else 0.5

    def measure(self, bench, **cell):
        """Return the race at zero lambdas, or the time of ours at others."""
        name, C = cell["set"], cell["C"]
        race = bench.once(("svr race", name, C), lambda: svr_race(bench, name, C))
        if cell["prices"] == SVM:
            return with_cpu_ratio(race)
        rows = bench.rows(name)
        prices = RegressionPrices.named(cell["prices"], C, rows.y)
        ours = OurLinearRegressor(prices, TOL)
        timing = bench.time({"ours": lambda: ours.fit(rows.X, rows.y)})["ours"]
        machine, objective = timing.result, RegressionObjective(rows.X, rows.y, prices)
        w = np.ravel(machine.coef_)
        above = objective.linear_bound(w, machine.dual_beta_).above(
            objective.linear_value(w).total
        )
        ours = {
            "speedup": race["theirs_seconds"] / timing.best,
            "ours_seconds": timing.best,
            "ours_cpu_seconds": timing.best_cpu,
            "ours_above": above,
            "n_iter": machine.n_iter_,
        }
        return with_cpu_ratio({**race, **ours})

    def claims(self, rows):
        """Claim a mean, a worst cell, an accuracy, and that time does not depend on C."""
        svm, priced = ([r for r in rows if r["prices"] == kind] for kind in (SVM, SCALE))
        claims = []
        for kind, fits in (SVM, svm), (SCALE, priced):
            speedups, what = [row["speedup"] for row in fits], f"{kind}: LinearSVR / ours"
            mean = geometric_mean(speedups)
            claims += [
                at_least(f"{what}, geometric mean", 1, mean),
                at_least(f"{what}, worst cell", 1 / SLOWEST, speedups),
            ]
            what, seconds = f"{kind}: exponent of time over C", powers(fits, "ours_seconds")
            claims.append(at_most(f"{what}, largest", FLAT, seconds))
            cpu = powers(fits, "ours_cpu_seconds")
            claims += [reported(f"{what}, CPU, largest", max(cpu)) for _ in cpu[:1]]
        return [
            *claims,
            at_most("ours above the bound", TOL, (r["ours_above"] for r in rows), ".1e"),
        ]


def svr_race(bench, name, C):
    """Return how ours and ``LinearSVR`` fare until within TOL of the optimum."""
    rows = bench.rows(name)
    prices = RegressionPrices.named(SVM, C, rows.y)
    objective = RegressionObjective(rows.X, rows.y, prices)
    tight = OurLinearRegressor(prices, bench.settings.tight).fit(rows.X, rows.y)
    bound = objective.linear_bound(np.ravel(tight.coef_), tight.dual_beta_)

    def above(machine):
        return bound.above(objective.linear_value(np.ravel(machine.coef_)).total)

    ours = OurLinearRegressor(prices, TOL)
    competitor = partial(LiblinearSVR, prices)
    return race_between(bench, rows, ours, competitor, above, bench.settings.cap)


def with_cpu_ratio(race):
    """Return a race with the ratio of processor times, if the peer got there."""
    theirs = race.get("theirs_cpu_seconds")
    if theirs is None:
        return race
    return {**race, "cpu_speedup": theirs / race["ours_cpu_seconds"]}


def powers(rows, key):
    """Return, for each set with several C, the power of C that our time grows with."""
    sets = {}
    for row in rows:
        sets.setdefault(row["set"], []).append(row)
    return [exponent(group, "C", key) for group in sets.values() if group[1:]]
