"""Target 6: prediction with an rbf kernel against SVC's."""

import numpy as np
from scipy.linalg.lapack import dpstrf

from benchmarks.competitors import LibsvmSVM, OurKernel
from benchmarks.objectives import Prices, gamma_scale, rbf
from benchmarks.settings import TOL
from benchmarks.targets.base import Target, at_most, column

N_PREDICTED = 10_000
# A C so small that every row of two equally large classes becomes a support vector.
TINY_C = 1e-6
# Widening the kernel by this factor on gamma gives it a small numerical rank.
WIDE = 0.01
WIDE_CELL = "cod-rna", "wide", "paper"
# Of our fits; the second ones are active, k_var and k_mean in units of C times the rows.
PRICES = "paper", "0.1, 0"


def balanced(rows, n_rows):
    """Return rows of which one half is positive."""
    halves = [np.flatnonzero(rows.y == sign)[: n_rows // 2] for sign in (-1, 1)]
    chosen = np.sort(np.concatenate(halves))
    return rows.X[chosen], rows.y[chosen]


def numerical_rank(X, gamma):
    """Return how many pivots leave nothing that float32 could show."""
    tol = float(np.finfo(np.float32).eps)
    return int(dpstrf(rbf(X, X, gamma), tol=tol, overwrite_a=True)[2])


class Prediction(Target):
    """``decision_function`` on 10,000 rows, as many support vectors on both sides."""

    name = "prediction"
    title = "6. Prediction"
    about = (
        "decision_function with an rbf kernel on 10,000 rows. SVC is trained so that all "
        "training rows are its support vectors. The Gram matrix of the wide kernel "
        "(gamma / 100) has a small numerical rank: pivots above the precision of float32."
    )
    columns = (
        column("set", "set"),
        column("kernel", "kernel"),
        column("prices", "prices"),
        column("data", "data"),
        column("time, ours / SVC", "time_ratio", ".2f"),
        column("ours, s", "ours_seconds", ".3f"),
        column("SVC, s", "theirs_seconds", ".3f"),
        column("our support", "ours_support"),
        column("SVC support", "theirs_support"),
        column("rank", "rank"),
        column("our gap", "gap", ".1e"),
    )

    def cells(self, bench):
        """Return the data sets at two kinds of prices, and one wide kernel."""
        sets = bench.settings.kernel_sets
        cells = [(name, "scale", prices) for prices in PRICES for name in sets]
        keys = "set", "kernel", "prices"
        return [dict(zip(keys, cell, strict=True)) for cell in [*cells, WIDE_CELL]]

    def measure(self, bench, **cell):
        """Return both times on the same rows."""
        rows = bench.rows(cell["set"])
        X, y = balanced(rows, bench.settings.prediction_support)
        is_wide = cell["kernel"] == "wide"
        gamma = gamma_scale(X) * (WIDE if is_wide else 1.0)
        ours = OurKernel(Prices.named(cell["prices"], 1.0, len(y)), gamma, TOL).fit(X, y)
        theirs = LibsvmSVM(TINY_C, gamma).fit(X, y)
        new = rows.X[-N_PREDICTED:]
        timings = bench.time(
            {
                "ours": lambda: ours.decision_function(new),
                "theirs": lambda: theirs.decision_function(new),
            }
        )
        return {
            "data": rows.source,
            "trained_on": len(y),
            "time_ratio": timings["ours"].best / timings["theirs"].best,
            "ours_seconds": timings["ours"].best,
            "theirs_seconds": timings["theirs"].best,
            "ours_support": len(ours.support_),
            "theirs_support": len(theirs.support_),
            "rank": numerical_rank(X, gamma) if is_wide else None,
            "gap": ours.duality_gap_,
        }

    def claims(self, rows):
        """Claim the slowest cell, and that a small rank is made use of."""
        wide = [row for row in rows if row["kernel"] == "wide"]
        kept = [row["ours_support"] / row["trained_on"] for row in wide]
        return [
            at_most("time, ours / SVC, worst cell", 1, (r["time_ratio"] for r in rows)),
            at_most("support vectors / rows, wide kernel", 0.5, kept),
        ]
