"""Target 15: many classes, default machines against scikit-learn's."""

import numpy as np
from sklearn.svm import SVC, LinearSVC

from benchmarks.competitors import Competitor
from benchmarks.targets.base import Target, at_most, column, geometric_mean, reported
from benchmarks.work_log import collected
from largemargin import LDMClassifier, LinearLDMClassifier

SETS = "digits", "isolet-letters", "vehicle", "mnist_5k"
OURS = {"kernel": LDMClassifier, "linear": LinearLDMClassifier}
THEIRS = {"kernel": SVC, "linear": LinearSVC}
LIMITS = {"kernel": 2, "linear": 1}
# "default" passes nothing, so that the machine tunes itself; the others have a fixed price
# and width.
FIXED = {"kernel": {"C": 1.0, "gamma": "scale"}, "linear": {"C": 1.0}}
KINDS = "default", "fixed", "fixed, ovr"
# Share of the rows that machines are trained on.
TRAINED = 0.7
# Enough for the loops over a float64 and a float32 Gram matrix to be compiled.
WARM_ROWS, FLOAT32_WARM_ROWS = 2000, 5000


class Default(Competitor):
    """An estimator with its default parameters, but for those given."""

    def __init__(self, cls, **options):
        self.cls, self.options = cls, options

    def machine(self, X):
        """Return the estimator."""
        return self.cls(**self.options)


def default_race(bench, machine, name, n_rows, options):
    """Return times and accuracies of ours and of scikit-learn's, which is run once."""
    X, y, source = bench.rows(name, n_rows)
    n_trained = int(TRAINED * len(y))
    here, there = (X[:n_trained], y[:n_trained]), (X[n_trained:], y[n_trained:])
    ours = Default(OURS[machine], time_limit=bench.settings.fit_limit, **options)
    warm = WARM_ROWS if n_trained < FLOAT32_WARM_ROWS else FLOAT32_WARM_ROWS
    ours.fit(here[0][:warm], here[1][:warm])
    with collected() as work:
        timing = bench.time({"ours": lambda: ours.fit(*here)}, warm=())["ours"]
    tuning = work.get("tuning_seconds", 0.0) / len(timing.seconds)
    theirs = bench.once(
        ("defaults", machine, name, n_rows),
        lambda: bench.time(
            {"theirs": lambda: Default(THEIRS[machine]).fit(*here)}, warm=()
        )["theirs"],
    )
    return {
        "data": source,
        "n_trained": n_trained,
        "n_classes": len(np.unique(y)),
        "ratio": timing.best / theirs.best,
        "ours_seconds": timing.best,
        "tuning_seconds": tuning,
        "theirs_seconds": theirs.best,
        "gap": float(np.max(timing.result.duality_gap_)),
        "ours_accuracy": timing.result.score(*there),
        "theirs_accuracy": theirs.result.score(*there),
    }


RACE_COLUMNS = (
    column("data", "data"),
    column("m", "n_trained"),
    column("classes", "n_classes"),
    column("time, ours / theirs", "ratio", ".2f"),
    column("ours, s", "ours_seconds", ".3f"),
    column("of it choosing, s", "tuning_seconds", ".3f"),
    column("theirs, s", "theirs_seconds", ".3f"),
    column("gap", "gap", ".1e"),
    column("our accuracy", "ours_accuracy", ".4f"),
    column("their accuracy", "theirs_accuracy", ".4f"),
)


class Classes(Target):
    """Our default machines against ``SVC()`` and ``LinearSVC()``."""

    name = "classes"
    title = "15. Many classes"
    about = (
        "LDMClassifier() against SVC(), LinearLDMClassifier() against LinearSVC(), on 70 % "
        "of the rows, scored on the others: ours by default, which chooses C and gamma, "
        "with a fixed price and width (C=1, gamma='scale'), and these one against rest."
    )
    columns = (
        column("machine", "machine"),
        column("set", "set"),
        column("parameters", "kind"),
        *RACE_COLUMNS,
    )

    def cells(self, bench):
        """Return every set with both machines."""
        sets = SETS if bench.settings.mode == "full" else ("digits", "vehicle")
        return [
            {"machine": machine, "set": name, "kind": kind}
            for name in sets
            for machine in OURS
            for kind in KINDS
        ]

    def guess(self, bench, cell):
        """Return what the targets would take."""
        return 20.0 if cell["set"] == "mnist_5k" else 4.0

    def measure(self, bench, **cell):
        """Return both times and accuracies; theirs is run once for all of ours."""
        machine, kind = cell["machine"], cell["kind"]
        options = {} if kind == "default" else dict(FIXED[machine])
        if kind == "fixed, ovr":
            options["multi_class"] = "ovr"
        return default_race(bench, machine, cell["set"], None, options)

    def claims(self, rows):
        """Claim the slowest set at a fixed price and width; report the others."""
        claims = []
        for machine, limit in LIMITS.items():
            for kind in KINDS:
                same = {"machine": machine, "kind": kind}.items()
                ratios = [row["ratio"] for row in rows if same <= row.items()]
                what = f"{machine}, {kind}: time, ours / theirs"
                if kind == "fixed":
                    claims.append(at_most(f"{what}, worst set", limit, ratios))
                claims += [
                    reported(f"{what}, geometric mean", mean)
                    for mean in geometric_mean(ratios)
                ]
        return claims
