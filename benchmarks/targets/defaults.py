"""Target 16: default machines against scikit-learn's, on two classes."""

from benchmarks.targets.base import Target, at_most, column, geometric_mean, reported
from benchmarks.targets.classes import OURS, RACE_COLUMNS, default_race

# Choosing C and gamma should not take longer than the fit, or than this many seconds.
SHORT_CHOICE = 0.3
# With so many rows, choosing and fitting should together take less time than one SVC().
MANY, FAST_SETS = 10_000, ("adult-a", "covtype")


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
        fast = f"kernel, {MANY:,} rows of {' and '.join(FAST_SETS)}: time, ours / theirs"
        ratios = [row["ratio"] for row in rows if is_fast(row)]
        return [
            *claims,
            at_most("time of choosing / time allowed, worst", 1, map(share, rows)),
            at_most(fast, 1, ratios),
        ]


def share(row):
    """Return the time of choosing, as a share of what it may take."""
    choosing = row["tuning_seconds"]
    return choosing / max(row["ours_seconds"] - choosing, SHORT_CHOICE)


def is_fast(row):
    """Return whether the self-tuned machine should be faster than ``SVC()`` here."""
    is_large = row["machine"] == "kernel" and row["rows"] == MANY
    return is_large and row["set"] in FAST_SETS
