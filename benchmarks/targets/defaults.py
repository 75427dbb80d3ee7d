"""Target 16: default machines against scikit-learn's, on two classes."""

from benchmarks.targets.base import Target, column, geometric_mean, reported
from benchmarks.targets.classes import OURS, RACE_COLUMNS, default_race


class Defaults(Target):
    """What a user meets first: no parameter is given."""

    name = "defaults"
    title = "16. Default machines"
    about = (
        "LDMClassifier() against SVC() and LinearLDMClassifier() against LinearSVC(), no "
        "parameter given, each to its own tolerance, on 70 % of the rows, scored on the "
        "others."
    )
    columns = (column("machine", "machine"), column("set", "set"), *RACE_COLUMNS)

    def cells(self, bench):
        """Return every set and size with both machines."""
        return [
            {"machine": machine, "set": name, "rows": n_rows}
            for machine in OURS
            for name, n_rows in bench.settings.default_cases
        ]

    def measure(self, bench, **cell):
        """Return both times and accuracies."""
        return default_race(bench, cell["machine"], cell["set"], cell["rows"], {})

    def claims(self, rows):
        """Report the geometric mean and the slowest set of each machine."""
        claims = []
        for machine in OURS:
            here = [row for row in rows if row["machine"] == machine]
            ratios = [row["ratio"] for row in here]
            gains = [row["ours_accuracy"] - row["theirs_accuracy"] for row in here]
            what = f"{machine}: time, ours / theirs"
            if here:
                mean = sum(gains) / len(gains)
                claims += [
                    reported(f"{what}, geometric mean", *geometric_mean(ratios)),
                    reported(f"{what}, worst set", max(ratios)),
                    reported(f"{machine}: accuracy, ours - theirs, mean", mean, "+.4f"),
                ]
        return claims
