"""Target 19: linear quantile regression against linear programming."""

import numpy as np
from sklearn.metrics import mean_pinball_loss

from benchmarks.competitors import OurQuantile, ScikitQuantile
from benchmarks.datasets import DATASETS
from benchmarks.objectives import robust_scale
from benchmarks.settings import TOL
from benchmarks.targets.base import (
    Target,
    at_least,
    at_most,
    column,
    geometric_mean,
    reported,
)

# So large, in units of the scale of the values, that the penalty of ours hardly matters.
C_SCALES = 1000
QUANTILES = 0.1, 0.5, 0.9
SLOWEST = 2.5


class Quantiles(Target):
    """Quantiles without a penalty against ``QuantileRegressor(alpha=0)``."""

    name = "quantiles"
    title = "19. Quantiles"
    about = (
        "Linear quantile regression of standardised rows. QuantileRegressor has an L1 "
        "penalty and ours an L2 penalty, so they are compared where neither matters: at "
        f"alpha=0, an exact linear programme, and at C = {C_SCALES} u to a gap of 1e-3, u "
        "being the scale of the values. 'Above' is how far our mean pinball loss on the "
        "training rows is above that of the linear programme, relative to it."
    )
    columns = (
        column("set", "set"),
        column("m", "m"),
        column("features", "n_features"),
        column("quantile", "quantile", "g"),
        column("QuantileRegressor / ours", "speedup", ".3g"),
        column("CPU", "cpu_speedup", ".3g"),
        column("ours, s", "ours_seconds", ".4f"),
        column("QuantileRegressor, s", "theirs_seconds", ".4f"),
        column("ours above", "above", ".1e"),
        column("gap", "gap", ".1e"),
        column("iterations", "n_iter"),
        column("data", "data"),
    )

    def cells(self, bench):
        """Return every size that a set has, at every quantile."""
        settings = bench.settings
        return [
            {"set": name, "m": n_rows, "quantile": quantile}
            for n_rows in settings.quantile_rows
            for name in settings.value_sets
            if n_rows <= DATASETS[name].n_rows
            for quantile in QUANTILES
        ]

    def guess(self, bench, cell):
        """Return about what a linear programme of this size takes."""
        return 10.0 * (cell["m"] / 5000) ** 1.5

    def measure(self, bench, **cell):
        """Return both times, and how near ours is to the linear programme."""
        X, y, source = bench.rows(cell["set"], cell["m"])
        quantile = cell["quantile"]
        ours = OurQuantile(quantile, C_SCALES * robust_scale(y), TOL)
        theirs = ScikitQuantile(quantile)
        runs = {"ours": lambda: ours.fit(X, y), "theirs": lambda: theirs.fit(X, y)}
        timings = bench.time(runs)
        ours, theirs = timings["ours"], timings["theirs"]
        ours_loss, theirs_loss = (
            mean_pinball_loss(y, timing.result.predict(X), alpha=quantile)
            for timing in (ours, theirs)
        )
        return {
            "data": source,
            "n_features": X.shape[1],
            "speedup": theirs.best / ours.best,
            "cpu_speedup": theirs.best_cpu / ours.best_cpu,
            "ours_seconds": ours.best,
            "theirs_seconds": theirs.best,
            "above": (ours_loss - theirs_loss) / theirs_loss,
            "gap": float(np.max(ours.result.duality_gap_)),
            "n_iter": ours.result.n_iter_,
        }

    def claims(self, rows):
        """Claim the worst cell and that ours gets there; report the mean."""
        speedups, what = [row["speedup"] for row in rows], "QuantileRegressor / ours"
        means = geometric_mean(speedups)
        return [
            *(reported(f"{what}, geometric mean", mean) for mean in means),
            at_least(f"{what}, worst cell", 1 / SLOWEST, speedups),
            at_most("ours above, largest", TOL, (row["above"] for row in rows), ".1e"),
        ]
