"""Target 20: one class with a kernel against LIBSVM."""

from benchmarks.competitors import LibsvmOneClass, OurOneClass
from benchmarks.measure import Missing
from benchmarks.objectives import (
    OneClassObjective,
    OneClassPrices,
    certified,
    gamma_scale,
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

PEER = "OneClassSVM"
# Zero lambdas; and lambda_var, lambda_mean, both as "scale" has them where k(x, x) is 1.
PRICES = "svm", "0.01, 0.01"
SLOWEST = 2.5


class OneClass(Target):
    """The machine of one class with an rbf kernel against ``OneClassSVM``."""

    name = "one_class"
    title = "20. One class"
    about = (
        "rbf, gamma='scale', on the larger class of a set. OneClassLDM to a gap <= 1e-3, "
        "Gram included, against OneClassSVM(tol=1e-3, cache_size=2000), measured once per "
        "set, m and nu. Prices: zero lambdas ('svm'), or lambda_var, lambda_mean ('0.01, "
        "0.01' is 'scale'). Ratios above 1: ours is faster; 'CPU' is that of processor "
        "times. 'Above' is relative to our lower bound, computed without the library up to "
        "2,000 rows; OneClassSVM's refers to zero lambdas."
    )
    columns = (
        column("set", "set"),
        column("m", "m"),
        column("nu", "nu", "g"),
        column("machine", "machine"),
        column("prices", "prices"),
        column("OneClassSVM / this", "speedup", ".3g"),
        column("CPU", "cpu_speedup", ".3g"),
        *FIT_COLUMNS,
    )

    def cells(self, bench):
        """Return every size and set at every nu; the peer first."""
        settings = bench.settings
        machines = [(PEER, "svm"), *(("ours", prices) for prices in PRICES)]
        return [
            {"set": name, "m": n_rows, "nu": nu, "machine": machine, "prices": prices}
            for n_rows in settings.one_class_rows
            for name in settings.one_class_sets
            for nu in settings.nus
            for machine, prices in machines
        ]

    def limit(self, bench, cell):
        """Allow for a peer without a limit of its own."""
        return 3.0 * bench.settings.fit_limit + 30.0

    def guess(self, bench, cell):
        """Return about what cells took in an earlier run."""
        return 0.2 + 5.0 * (cell["m"] / 10_000) ** 2

    def hopeless(self, cell, rows):
        """Give up on sizes above one that took the whole time."""
        return given_up(cell, rows, ("set", "nu", "machine", "prices"))

    def measure(self, bench, **cell):
        """Return the time of one machine, and what it reached."""
        X, source = rows_of_class(bench, cell["set"], cell["m"])
        gamma = gamma_scale(X)
        prices = OneClassPrices.named(cell["prices"], cell["nu"])
        unit = 1.0
        if cell["machine"] == "ours":
            fitting = OurOneClass(prices, gamma, TOL, bench.settings.fit_limit)
        else:
            fitting = LibsvmOneClass(cell["nu"], gamma)
            unit = cell["nu"] * X.shape[0]
        machine, row = timed_fit(bench, fitting, (X,), warm=[cell["prices"]])
        if X.shape[0] <= bench.settings.reference_rows:
            objective = OneClassObjective(X, gamma, prices)

            def bound():
                tight = OurOneClass(prices, gamma, bench.settings.tight).fit(X)
                return certified(tight, objective.value(tight))

            key = (cell[name] for name in ("set", "m", "nu", "prices"))
            found = bench.once(("one class bound", *key), bound)
            row["above"] = found.above(objective.value(machine, unit).total)
        return {"data": source, "gamma": gamma, **row}

    def compared(self, row, rows):
        """Add the ratio to ``OneClassSVM`` on the same rows at the same nu."""
        return with_ratios(row, rows, ("set", "m", "nu"), {PEER: "speedup"})

    def claims(self, rows):
        """Claim the worst cell; report the means."""
        claims = []
        for prices in PRICES:
            fits = [r for r in rows if r["machine"] == "ours" and r["prices"] == prices]
            speedups = values(fits, "speedup")
            what = f"{prices}: {PEER} / ours"
            claims.append(at_least(f"{what}, worst cell", 1 / SLOWEST, speedups))
            for name, key in (what, "speedup"), (f"{what}, CPU", "cpu_speedup"):
                claims += [
                    reported(f"{name}, geometric mean", mean)
                    for mean in geometric_mean(values(fits, key))
                ]
        return [*claims, at_most("our gap, largest", TOL, values(rows, "gap"), ".1e")]


def rows_of_class(bench, name, n_rows):
    """Return the first rows of the larger class, and where they are from."""
    X, y, source = bench.rows(name)
    larger = y > 0 if (y > 0).mean() > 0.5 else y < 0
    if larger.sum() < n_rows:
        raise Missing(f"{name} has {larger.sum()} rows of one class")
    X = X[larger][:n_rows]
    return X, source
