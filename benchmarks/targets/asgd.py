"""Target 4: averaged stochastic gradient descent against scikit-learn's."""

from benchmarks.competitors import OurASGD, ScikitSGD
from benchmarks.objectives import Prices
from benchmarks.targets.base import Target, at_most, column, median, reported


class ASGD(Target):
    """Five epochs of the paper's Algorithm 2 against five of ``SGDClassifier``."""

    name = "asgd"
    title = "4. Averaged SGD"
    about = (
        "Five epochs at zero lambdas against "
        "SGDClassifier(average=True, max_iter=5, tol=None) on the same objective."
    )
    columns = (
        column("set", "set"),
        column("C", "C", "g"),
        column("data", "data"),
        column("time, ours / SGD", "time_ratio", ".2f"),
        column("objective, ours / SGD", "objective_ratio", ".4f"),
        column("ours, s", "ours_seconds", ".4f"),
        column("SGD, s", "theirs_seconds", ".4f"),
        column("ours above", "ours_above", ".1e"),
        column("SGD above", "theirs_above", ".1e"),
    )

    def cells(self, bench):
        """Return every data set at every C."""
        settings = bench.settings
        return [{"set": name, "C": C} for name in settings.sets for C in settings.Cs]

    def measure(self, bench, **cell):
        """Return both times and objectives."""
        prices = Prices(cell["C"])
        rows, objective, bound = bench.linear(cell["set"], None, prices)
        ours, theirs = OurASGD(prices), ScikitSGD(prices.C)
        timings = bench.time(
            {
                "ours": lambda: ours.fit(rows.X, rows.y),
                "theirs": lambda: theirs.fit(rows.X, rows.y),
            }
        )
        totals = {
            key: objective.value(timing.result.coef_[0]).total
            for key, timing in timings.items()
        }
        return {
            "data": rows.source,
            "time_ratio": timings["ours"].best / timings["theirs"].best,
            "objective_ratio": totals["ours"] / totals["theirs"],
            "ours_seconds": timings["ours"].best,
            "theirs_seconds": timings["theirs"].best,
            "ours_above": bound.above(totals["ours"]),
            "theirs_above": bound.above(totals["theirs"]),
        }

    def claims(self, rows):
        """Claim medians; report the slowest cell too."""
        times = [row["time_ratio"] for row in rows]
        objectives = [row["objective_ratio"] for row in rows]
        return [
            at_most("time, ours / SGD, median", 1.5, median(times)),
            *(
                reported("time, ours / SGD, worst cell", time)
                for time in sorted(times)[-1:]
            ),
            at_most("objective, ours / SGD, median", 1, median(objectives), ".4f"),
        ]
