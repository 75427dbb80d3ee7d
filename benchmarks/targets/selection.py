"""Target 10: a search over all prices against a grid search."""

from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from benchmarks.targets.base import Target, at_least, at_most, column, reported
from largemargin import LDMClassifier, LDMClassifierCV

SET = "german"
N_ROWS = 500
N_POINTS = 735


class Selection(Target):
    """The paper's grid on half of german, in as many folds for all."""

    name = "selection"
    title = "10. Model selection"
    about = (
        "The paper's whole rbf grid (735 points; fewer in a quick run) on half of german "
        "by LDMClassifierCV, against GridSearchCV over the 15 points that SVC has in it, "
        "and against GridSearchCV over LDMClassifier, on the same folds. No refit."
    )
    columns = (
        column("set", "set"),
        column("m", "m"),
        column("data", "data"),
        column("folds", "folds"),
        column("points", "points"),
        column("ours / SVC's 15", "svc_ratio", ".2f"),
        column("LDM grid / ours", "speedup", ".1f"),
        column("ours, s", "ours_seconds", ".3f"),
        column("SVC grid, s", "svc_seconds", ".3f"),
        column("LDM grid, s", "plain_seconds", ".2f"),
        column("scores differ by", "difference", ".4f"),
        column("best score", "best", ".4f"),
    )

    def cells(self, bench):
        """Return the one search."""
        return [{"set": SET, "folds": bench.settings.selection_folds}]

    def guess(self, bench, cell):
        """Return about what the searches took in earlier runs."""
        return 45.0

    def measure(self, bench, **cell):
        """Return the times of the three searches, and how far scores lie apart."""
        X, y, source = bench.rows(SET, N_ROWS)
        folds = StratifiedKFold(cell["folds"], shuffle=True, random_state=0)
        lambdas = bench.settings.selection_lambdas
        ours = LDMClassifierCV(
            "paper", lambda_vars=lambdas, lambda_means=lambdas, cv=folds, refit=False
        ).fit(X, y)
        points = {
            name: list(dict.fromkeys(ours.cv_results_[f"param_{name}"]))
            for name in ours.best_params_
        }
        svc = {name: points[name] for name in ("C", "gamma")}
        options = {"cv": folds, "refit": False}
        timings = bench.time(
            {
                "ours": lambda: ours.fit(X, y),
                "svc": lambda: GridSearchCV(SVC(), svc, **options).fit(X, y),
            }
        )
        plain = bench.time(
            {"plain": lambda: GridSearchCV(LDMClassifier(), points, **options).fit(X, y)},
            warm=(),
        )["plain"]
        scores = [
            result.cv_results_["mean_test_score"]
            for result in (timings["ours"].result, plain.result)
        ]
        seconds = timings["ours"].best
        return {
            "m": len(y),
            "data": source,
            "points": len(scores[0]),
            "svc_ratio": seconds / timings["svc"].best,
            "speedup": plain.best / seconds,
            "ours_seconds": seconds,
            "svc_seconds": timings["svc"].best,
            "plain_seconds": plain.best,
            "difference": abs(scores[0] - scores[1]).max(),
            "best": ours.best_score_,
        }

    def claims(self, rows):
        """Claim both ratios; report how much scores differ at the same tolerance."""
        whole = [row["speedup"] for row in rows if row["points"] == N_POINTS]
        return [
            at_most("ours / GridSearchCV(SVC)", 5, (row["svc_ratio"] for row in rows)),
            at_least("GridSearchCV(LDM) / ours, 735 points", 50, whole, ".1f"),
            *(reported("mean scores differ by", row["difference"], ".4f") for row in rows),
        ]
