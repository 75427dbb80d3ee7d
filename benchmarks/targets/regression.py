"""Target 17: regression with a kernel against LIBSVM and oneDAL."""

from benchmarks.competitors import LibsvmSVR, OneDalSVR, OurRegressor
from benchmarks.datasets import DATASETS
from benchmarks.objectives import (
    RegressionObjective,
    RegressionPrices,
    certified,
    gamma_scale,
    robust_scale,
)
from benchmarks.settings import TOL
from benchmarks.targets.base import (
    Target,
    at_least,
    at_most,
    column,
    geometric_mean,
    reported,
)
from benchmarks.targets.peers import FIT_COLUMNS, given_up, timed_fit, values, with_ratios

PEERS = {"SVR": LibsvmSVR, "oneDAL": OneDalSVR}
RATIOS = {"SVR": "speedup", "oneDAL": "onedal_speedup"}
# Zero lambdas; and k_var, k_square in units of C times the rows over the scale u.
PRICES = "svm", "0.01, 0.01"
# A cell of ours may be this many times slower than SVR.
SLOWEST = 2.5


class Regression(Target):
    """Regression with an rbf kernel against ``SVR`` and oneDAL's."""

    name = "regression"
    title = "17. Regression"
    about = (
        "rbf, gamma='scale', on standardised rows with values in their own units, of scale "
        "u; C as given times u, epsilon 0.1 u. LDMRegressor to a gap <= 1e-3, Gram "
        "included, against SVR(tol=1e-3 u, cache_size=2000), whose tolerance is one of "
        "residuals, and oneDAL's (scikit-learn-intelex) with the same options, measured "
        "once per set, m and C. Prices: zero lambdas ('svm'), or k_var, k_square in units "
        "of C m / u ('0.01, 0.01' is 'scale'). Ratios above 1: ours is faster; 'CPU' is "
        "that of processor times. 'Above' is relative to our lower bound, computed without "
        "the library up to 2,000 rows; a peer's refers to zero lambdas."
    )
    columns = (
        column("set", "set"),
        column("m", "m"),
        column("C / u", "C", "g"),
        column("machine", "machine"),
        column("prices", "prices"),
        column("SVR / this", "speedup", ".3g"),
        column("CPU", "cpu_speedup", ".3g"),
        column("oneDAL / this", "onedal_speedup", ".3g"),
        *FIT_COLUMNS,
    )

    def cells(self, bench):
        """Return every size that a set has, at every C; the peers first."""
        settings = bench.settings
        machines = [(peer, "svm") for peer in PEERS]
        machines += [("ours", prices) for prices in PRICES]
        return [
            {"set": name, "m": n_rows, "C": C, "machine": machine, "prices": prices}
            for n_rows in settings.value_rows
            for name in settings.value_sets
            if n_rows <= DATASETS[name].n_rows
            for C in settings.value_Cs
            for machine, prices in machines
        ]

    def limit(self, bench, cell):
        """Allow for peers without a limit of their own."""
        return 3.0 * bench.settings.fit_limit + 30.0

    def guess(self, bench, cell):
        """Return about what cells took in an earlier run."""
        return 0.2 + 10.0 * (cell["m"] / 10_000) ** 2

    def hopeless(self, cell, rows):
        """Give up on sizes above one that took the whole time."""
        return given_up(cell, rows, ("set", "C", "machine", "prices"))

    def measure(self, bench, **cell):
        """Return the time of one machine, and what it reached."""
        X, y, source = bench.rows(cell["set"], cell["m"])
        gamma = gamma_scale(X)
        prices = RegressionPrices.named(cell["prices"], cell["C"], y)
        if cell["machine"] == "ours":
            fitting = OurRegressor(prices, gamma, TOL, bench.settings.fit_limit)
        else:
            fitting = PEERS[cell["machine"]](prices, gamma, TOL * robust_scale(y))
        machine, row = timed_fit(bench, fitting, (X, y), warm=[cell["prices"]])
        if len(y) <= bench.settings.reference_rows:
            row["above"] = self._above(bench, X, y, gamma, prices, machine, cell)
        return {"data": source, "gamma": gamma, **row}

    def _above(self, bench, X, y, gamma, prices, machine, cell):
        objective = RegressionObjective(X, y, prices)

        def bound():
            tight = OurRegressor(prices, gamma, bench.settings.tight).fit(X, y)
            return certified(tight, objective.kernel_value(tight, gamma))

        key = (cell[name] for name in ("set", "m", "C", "prices"))
        found = bench.once(("regression bound", *key), bound)
        return found.above(objective.kernel_value(machine, gamma).total)

    def compared(self, row, rows):
        """Add the ratios to the peers on the same rows at the same C."""
        return with_ratios(row, rows, ("set", "m", "C"), RATIOS)

    def claims(self, rows):
        """Claim means and worst cells against ``SVR``; report those against oneDAL."""
        claims = []
        for prices in PRICES:
            fits = [r for r in rows if r["machine"] == "ours" and r["prices"] == prices]
            speedups = values(fits, "speedup")
            claims += [
                at_least(
                    f"{prices}: SVR / ours, geometric mean", 1, geometric_mean(speedups)
                ),
                at_least(f"{prices}: SVR / ours, worst cell", 1 / SLOWEST, speedups),
            ]
            for what, key in (
                ("SVR / ours, CPU", "cpu_speedup"),
                (
                    "oneDAL / ours",
                    "onedal_speedup",
                ),
            ):
                claims += [
                    reported(f"{prices}: {what}, geometric mean", mean)
                    for mean in geometric_mean(values(fits, key))
                ]
        return [*claims, at_most("our gap, largest", TOL, values(rows, "gap"), ".1e")]

    def summary(self, rows):
        """Return one line per set and prices: all m and C together."""
        titles = "set", "prices", "SVR / ours, mean", "worst", "oneDAL / ours, mean"
        groups = {}
        for row in rows:
            if row["machine"] == "ours":
                groups.setdefault((row["set"], row["prices"]), []).append(row)
        return [*titles, "slowest, s"], [
            [*key, *summarised(group)] for key, group in groups.items()
        ]


def summarised(rows):
    """Return the last cells of a line of the summary."""
    speedups = values(rows, "speedup")
    numbers = (
        geometric_mean(speedups),
        speedups and [min(speedups)],
        geometric_mean(values(rows, "onedal_speedup")),
        [max(row["seconds"] for row in rows)],
    )
    return [f"{found[0]:.2f}" if found else "-" for found in numbers]
