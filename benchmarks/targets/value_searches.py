"""Target 21: a search over regressors against a grid search over ``SVR``."""

import time
import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVR

from benchmarks.objectives import gamma_scale, robust_scale
from benchmarks.targets.base import Target, at_most, column, geometric_mean, reported
from largemargin import LDMRegressorCV

CS = tuple(4.0**k for k in range(-1, 5))
EPSILONS = 0.03, 0.1, 0.3
WIDTHS = 1 / 16, 1 / 4, 1, 4
# The values of lambda_var: of support vector regression alone, and with a price.
PRICES = {"svm": [0.0], "svm and 30*scale": [0.0, "30*scale"]}
LIMIT = 3
WARM_ROWS = 150


def our_search(prices):
    """Return the search of ours."""
    return LDMRegressorCV(
        Cs=CS,
        epsilons=EPSILONS,
        lambda_vars=PRICES[prices],
        lambda_squares=[0.0],
        gammas=[f"{width:g}*scale" for width in WIDTHS],
        cv=5,
        refit=False,
        n_jobs=1,
    )


def their_search(X):
    """Return the grid search over ``SVR``."""
    widths = [width * gamma_scale(X) for width in WIDTHS]
    grid = {"C": CS, "epsilon": EPSILONS, "gamma": widths}
    return GridSearchCV(SVR(), grid, cv=5, refit=False, n_jobs=1)


class ValueSearches(Target):
    """``LDMRegressorCV`` on one core."""

    name = "value_searches"
    title = "21. Searches over regressors"
    about = (
        "Six C, three epsilon and four kernel widths, on standardised rows and values "
        "divided by their scale: LDMRegressorCV at zero lambdas (72 points), and with "
        "lambda_var='30*scale' besides (144), against GridSearchCV(SVR()) over the 72 "
        "points. Five folds, no refit, n_jobs=1. Ratios are of processor times."
    )
    columns = (
        column("set", "set"),
        column("m", "m"),
        column("prices", "prices"),
        column("ours / SVR's, CPU", "ratio", ".2f"),
        column("ours, CPU s", "ours_seconds", ".2f"),
        column("SVR's, CPU s", "theirs_seconds", ".2f"),
        column("points", "points"),
        column("our best R2", "ours_score", ".4f"),
        column("SVR's best R2", "theirs_score", ".4f"),
        column("data", "data"),
    )

    def cells(self, bench):
        """Return the sets with both prices."""
        return [
            {"set": name, "rows": n_rows, "prices": prices}
            for name, n_rows in bench.settings.value_searches
            for prices in PRICES
        ]

    def limit(self, bench, cell):
        """Return a limit for two searches, which cannot be interrupted."""
        return 10.0 * bench.settings.search_limit

    def guess(self, bench, cell):
        """Return about what cells took in an earlier run."""
        return 10.0 + 30.0 * ((cell["rows"] or 0) / 1000) ** 2

    def measure(self, bench, **cell):
        """Return the times of both searches; theirs is run once per set."""
        X, y, source = bench.rows(cell["set"], cell["rows"])
        y = y / robust_scale(y)
        cpu_timed(our_search(cell["prices"]), X[:WARM_ROWS], y[:WARM_ROWS])
        ours, seconds = cpu_timed(our_search(cell["prices"]), X, y)
        theirs, their_seconds = bench.once(
            ("searched values", cell["set"], cell["rows"]),
            lambda: cpu_timed(their_search(X), X, y),
        )
        return {
            "m": len(y),
            "data": source,
            "ratio": seconds / their_seconds,
            "ours_seconds": seconds,
            "theirs_seconds": their_seconds,
            "points": len(ours.cv_results_["params"]),
            "ours_score": float(ours.best_score_),
            "theirs_score": float(theirs.best_score_),
        }

    def claims(self, rows):
        """Claim the ratio with a price; report it without."""
        claims = []
        for prices in PRICES:
            here = [row["ratio"] for row in rows if row["prices"] == prices]
            what = f"{prices}: ours / SVR's, CPU"
            claims += [
                reported(f"{what}, geometric mean", mean) for mean in geometric_mean(here)
            ]
            claims.append(at_most(f"{what}, worst set", LIMIT, here))
        return claims


def cpu_timed(search, X, y):
    """Return a fitted search and its processor time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.process_time()
        return search.fit(X, y), time.process_time() - begin
