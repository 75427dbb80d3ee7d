"""Target 2: what the margin distribution costs beyond our own SVM."""

from benchmarks.competitors import OurLinear
from benchmarks.objectives import Prices
from benchmarks.settings import TOL
from benchmarks.targets.base import Target, at_most, column, geometric_mean

LIMITS = {"paper": 1.5, "scale": 3}


class Price(Target):
    """The same linear fits with lambdas of 2^-4 and of 0.1 C m."""

    name = "price"
    title = "2. The cost of the margin distribution"
    about = (
        "Linear fits to a gap of 1e-3 with lambdas of 2^-4 ('paper') and 0.1 C m ('scale', "
        "ten times the library's default), against our own SVM."
    )
    columns = (
        column("set", "set"),
        column("C", "C", "g"),
        column("data", "data"),
        column("paper / svm", "paper_ratio", ".2f"),
        column("scale / svm", "scale_ratio", ".2f"),
        column("svm, s", "svm_seconds", ".4f"),
        column("paper, s", "paper_seconds", ".4f"),
        column("scale, s", "scale_seconds", ".4f"),
        column("svm above", "svm_above", ".1e"),
        column("paper above", "paper_above", ".1e"),
        column("scale above", "scale_above", ".1e"),
    )

    def cells(self, bench):
        """Return every data set at every C."""
        settings = bench.settings
        return [{"set": name, "C": C} for name in settings.sets for C in settings.Cs]

    def measure(self, bench, **cell):
        """Return the times of three fits on one data set."""
        name, C = cell["set"], cell["C"]
        rows = bench.rows(name)
        prices = {
            "svm": Prices(C),
            "paper": Prices.paper(C),
            "scale": Prices.scale(C, len(rows.y)),
        }
        references = {key: bench.linear(name, None, p)[1:] for key, p in prices.items()}
        machines = {key: OurLinear(p, TOL) for key, p in prices.items()}
        timings = bench.time(
            {key: lambda m=m: m.fit(rows.X, rows.y) for key, m in machines.items()},
            warm=machines,
        )
        row = {"data": rows.source}
        for key, timing in timings.items():
            objective, bound = references[key]
            row[f"{key}_seconds"] = timing.best
            row[f"{key}_ratio"] = timing.best / timings["svm"].best
            row[f"{key}_above"] = bound.above(objective.value(timing.result.coef_[0]).total)
        return row

    def claims(self, rows):
        """Claim the worst cell of each, and the mean."""
        claims = []
        for key, limit in LIMITS.items():
            ratios = [row[f"{key}_ratio"] for row in rows]
            mean = geometric_mean(ratios)
            claims.append(at_most(f"{key} / svm, worst cell", limit, ratios))
            claims.append(at_most(f"{key} / svm, geometric mean", limit, mean))
        above = [row[f"{key}_above"] for row in rows for key in ("svm", *LIMITS)]
        claims.append(at_most("above the bound, largest", TOL, above, ".1e"))
        return claims
