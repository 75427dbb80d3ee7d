"""Target 11: the leave-one-out error against a cold fit for each row."""

from sklearn.model_selection import LeaveOneOut, cross_val_score

from benchmarks.objectives import gamma_scale
from benchmarks.targets.base import Target, column, geometric_mean, reported
from largemargin import (
    LDMClassifier,
    LinearLDMClassifier,
    leave_one_out_bound,
    leave_one_out_error,
)

SET = "german"
PRICES = {"svm": 0.0, "paper": 2**-4, "scale": "scale"}


class LeaveOne(Target):
    """Warm fits without each row in turn, against cold ones."""

    name = "leave_one_out"
    title = "11. Leave-one-out error"
    about = (
        "leave_one_out_error, which starts each fit from the model of all rows, against "
        "cross_val_score(cv=LeaveOneOut()), a cold fit for each row. C = 10."
    )
    columns = (
        column("machine", "machine"),
        column("prices", "prices"),
        column("m", "m"),
        column("data", "data"),
        column("cold / warm", "speedup", ".1f"),
        column("warm, s", "warm_seconds", ".3f"),
        column("cold, s", "cold_seconds", ".3f"),
        column("error", "error", ".4f"),
        column("error, cold", "cold_error", ".4f"),
        column("bound", "bound", ".4f"),
        column("stable bound", "stable", ".4f"),
    )

    def cells(self, bench):
        """Return both machines at three kinds of prices."""
        return [
            {"machine": machine, "prices": prices}
            for machine in ("rbf", "linear")
            for prices in PRICES
        ]

    def guess(self, bench, cell):
        """Return about what a cell took in earlier runs."""
        return 10.0

    def measure(self, bench, **cell):
        """Return both times, both errors, and the bound."""
        X, y, source = bench.rows(SET, bench.settings.leave_one_out_rows)
        price = PRICES[cell["prices"]]
        options = {"lambda_var": price, "lambda_mean": price, "fit_intercept": price != 0}
        if cell["machine"] == "linear":
            machine = LinearLDMClassifier(10.0, **options)
        else:
            machine = LDMClassifier(10.0, gamma=gamma_scale(X), **options)
        machine.fit(X, y)
        timings = bench.time(
            {
                "ours": lambda: leave_one_out_error(machine, X, y),
                "cold": lambda: 1 - cross_val_score(machine, X, y, cv=LeaveOneOut()).mean(),
            }
        )
        return {
            "m": len(y),
            "data": source,
            "speedup": timings["cold"].best / timings["ours"].best,
            "warm_seconds": timings["ours"].best,
            "cold_seconds": timings["cold"].best,
            "error": timings["ours"].result,
            "cold_error": timings["cold"].result,
            "bound": leave_one_out_bound(machine, X, y),
            "stable": leave_one_out_bound(machine, X, y, kind="stable"),
        }

    def claims(self, rows):
        """Report how much warm starts save."""
        means = geometric_mean(row["speedup"] for row in rows)
        return [reported("cold / warm, geometric mean", mean, ".1f") for mean in means]
