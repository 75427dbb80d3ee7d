"""Target 14: the searches of 0.1.0's default grid against grid searches over SVMs."""

import time
import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

from benchmarks.competitors import accepted
from benchmarks.objectives import gamma_scale
from benchmarks.targets.base import Target, at_most, column, geometric_mean
from largemargin import LDMClassifierCV, LinearLDMClassifierCV
from largemargin.estimators.ldm import SCALES

# The default grid of 0.1.0, in units of C times the rows; the SVM is a point too.
CS = tuple(2.0**k for k in range(-6, 9, 2))
K_VARS, K_MEANS = (0.03, 0.3, 3.0), (0.0, 0.3, 1.0)
WIDTHS = 1 / 16, 1 / 4, 1, 4
N_POINTS = {"kernel": 320, "linear": 80}
# As many values of C for SVC, over the same range.
SVC_CS = tuple(2.0 ** (-6 + 2.8 * k) for k in range(6))
LOSSES = "hinge", "squared_hinge"
WARM_SECONDS = 5.0
MEAN_LIMIT, WORST_LIMIT = 3, 6


def multiple(k, name):
    """Return ``k`` times C times the rows in the words of the library."""
    return f"{k / SCALES[name]:g}*scale" if k else 0.0


class SvmToo:
    """Adds the SVM to a written-out grid, as the default one of 0.1.0 has it."""

    def _points(self, *args):
        points = super()._points(*args)
        svm = [{**point, "lambda_var": 0.0, "lambda_mean": 0.0} for point in points]
        return [*(p for i, p in enumerate(svm) if p not in svm[:i]), *points]


class KernelSearch(SvmToo, LDMClassifierCV):
    """The search with a kernel."""


class LinearSearch(SvmToo, LinearLDMClassifierCV):
    """The search without one."""


def our_search(machine, loss, time_limit):
    """Return the search of ours."""
    cls, plain = {
        "kernel": (KernelSearch, LDMClassifierCV),
        "linear": (LinearSearch, LinearLDMClassifierCV),
    }[machine]
    widths = {"gammas": [f"{width:g}*scale" for width in WIDTHS]}
    return cls(
        Cs=CS,
        lambda_vars=[multiple(k, "lambda_var") for k in K_VARS],
        lambda_means=[multiple(k, "lambda_mean") for k in K_MEANS],
        **(widths if machine == "kernel" else {}),
        **accepted(plain, loss=loss),
        cv=5,
        refit=False,
        n_jobs=1,
        time_limit=time_limit,
    )


def their_search(machine, X):
    """Return the grid search over an SVM."""
    if machine == "linear":
        return GridSearchCV(LinearSVC(), {"C": CS}, cv=5, refit=False, n_jobs=1)
    gammas = [width * gamma_scale(X) for width in WIDTHS]
    grid = {"C": SVC_CS, "gamma": gammas}
    return GridSearchCV(SVC(), grid, cv=5, refit=False, n_jobs=1)


class Searches(Target):
    """``LDMClassifierCV`` and ``LinearLDMClassifierCV`` on one core each."""

    name = "searches"
    title = "14. Searches"
    about = (
        "The default grid of 0.1.0 (C in 2^-6 .. 2^8, the SVM, k_var in 0.03, 0.3, 3 and "
        "k_mean in 0, 0.3, 1, four kernel widths: 320 points, 80 without widths), written "
        "out, with n_jobs=1, against GridSearchCV over 24 points of SVC (6 C, 4 widths) or "
        "8 of LinearSVC. Five folds, no refit. 'Points' are those fitted in all folds in "
        "the time allowed."
    )
    columns = (
        column("machine", "machine"),
        column("set", "set"),
        column("m", "m"),
        column("loss", "loss"),
        column("data", "data"),
        column("ours / SVM's", "ratio", ".2f"),
        column("ours, s", "ours_seconds", ".2f"),
        column("SVM's, s", "theirs_seconds", ".2f"),
        column("points", "points"),
        column("our best", "ours_score", ".4f"),
        column("SVM's best", "theirs_score", ".4f"),
    )

    def cells(self, bench):
        """Return the sets of both machines with both losses."""
        return [
            {"machine": machine, "set": name, "rows": n_rows, "loss": loss}
            for machine, name, n_rows in bench.settings.searches
            for loss in LOSSES
        ]

    def limit(self, bench, cell):
        """Allow for the other search and for what cannot be interrupted."""
        return 2.5 * bench.settings.search_limit + 30.0

    def guess(self, bench, cell):
        """Return what the targets would take."""
        return 30.0 if cell["set"] in ("digits", "adult-a") else 8.0

    def measure(self, bench, **cell):
        """Return the times of both searches; theirs is run once for both losses."""
        machine, limit = cell["machine"], bench.settings.search_limit
        X, y, source = bench.rows(cell["set"], cell["rows"])
        timed(our_search(machine, cell["loss"], WARM_SECONDS), X[:100], y[:100])
        ours, seconds = timed(our_search(machine, cell["loss"], limit), X, y)
        theirs, their_seconds = bench.once(
            ("searched", machine, cell["set"], cell["rows"]),
            lambda: timed(their_search(machine, X), X, y),
        )
        points = len(ours.cv_results_["params"])
        return {
            "m": len(y),
            "data": source,
            "ratio": seconds / their_seconds,
            "ours_seconds": seconds,
            "theirs_seconds": their_seconds,
            "points": points,
            "complete": points >= N_POINTS[machine],
            "ours_score": float(ours.best_score_),
            "theirs_score": float(theirs.best_score_),
        }

    def claims(self, rows):
        """Claim a mean and a worst set for each machine and loss."""
        claims = []
        for machine in N_POINTS:
            for loss in LOSSES:
                same = {"machine": machine, "loss": loss}.items()
                here = [row for row in rows if same <= row.items()]
                ratios = [row["ratio"] for row in here]
                what = f"{machine}, {loss.replace('_', ' ')}: ours / SVM's"
                mean = geometric_mean(ratios)
                claims.append(at_most(f"{what}, geometric mean", MEAN_LIMIT, mean))
                worst = WORST_LIMIT if machine == "kernel" else MEAN_LIMIT
                claims.append(at_most(f"{what}, worst set", worst, ratios))
        unfinished = [int(not row["complete"]) for row in rows]
        return [*claims, at_most("a search did not finish", 0, unfinished, "d")]


def timed(search, X, y):
    """Return a fitted search and its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.perf_counter()
        return search.fit(X, y), time.perf_counter() - begin
