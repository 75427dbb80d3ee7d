"""Results of a search, in the form of scikit-learn's ``cv_results_``."""

import warnings

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning

from largemargin.problem import NoMinimum
from largemargin.solvers.path import OutOfTime


class SearchResults:
    """Results of a search, in arrays with one row per point and one column per fold.

    ``short`` marks fits that did not reach ``tol``. By point and fold, ``errors`` has the
    fits that failed, ``passed_over`` those left out because the problem has no minimum or
    time ran out, and ``unseen`` the scores of the test rows.
    """

    def __init__(self, n_points, splits):
        self.splits = splits
        shape = n_points, len(splits)
        self.scores, self.short = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        self.seconds, self.score_seconds = np.zeros(shape), np.zeros(shape)
        self.errors, self.passed_over, self.unseen = {}, {}, {}

    def fail(self, points, fold, error):
        """Record the error of some points, which have no score in this fold."""
        is_passed_over = isinstance(error, NoMinimum | OutOfTime)
        failed = self.passed_over if is_passed_over else self.errors
        for point in points:
            failed[point, fold] = error
            self.scores[point, fold] = np.nan

    def unseen_scores(self, point, shape):
        """Return the scores of a point for rows outside its training folds.

        They are NaN for rows that no fold tests, or whose training fold lacks a class. If
        several folds test a row, the first one counts.
        """
        scores = np.full(shape, np.nan)
        rows = np.arange(len(scores))
        for fold, (_, test) in reversed(list(enumerate(self.splits))):
            found = self.unseen.get((point, fold))
            if found is not None and found.shape[1] == shape[1]:
                scores[rows[test]] = found
        return scores[:, 0] if shape[1] == 1 else scores

    def settle(self, error_score, name):
        """Set the error score of fits that failed, with a warning, or raise their error.

        Points whose problem has no minimum, or that were not fitted in time, get no score.
        """
        n_late = sum(isinstance(one, OutOfTime) for one in self.passed_over.values())
        if n_late:
            warnings.warn(
                f"{name} reached its time_limit: {n_late} of {self.scores.size} fits were "
                "left out, and points that lack one cannot win. Raise time_limit, or "
                "search fewer points.",
                ConvergenceWarning,
                stacklevel=4,
            )
        failed = {**self.passed_over, **self.errors}
        if len(failed) == self.scores.size:
            raise ValueError(f"All {self._describe(failed, name)}")
        if self.errors:
            if error_score == "raise":
                raise self.errors[min(self.errors)]
            message = f"{self._describe(self.errors, name)} Their score is {error_score}."
            warnings.warn(message, FitFailedWarning, stacklevel=4)
            for place in self.errors:
                self.scores[place] = error_score
        if self.short.any():
            warnings.warn(
                f"{self.short.sum()} of {self.scores.size} fits of {name} did not reach "
                "tol. Scale the features, raise max_iter, or raise tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _describe(self, failed, name):
        point, fold = min(failed)
        error = failed[point, fold]
        return (
            f"{len(failed)} of {self.scores.size} fits of {name} failed; the first one, "
            f"point {point} in fold {fold}, with {type(error).__name__}: {error}"
        )

    def as_dict(self, points):
        """Return scores, ranks and times in scikit-learn's form."""
        means = self.scores.mean(axis=1)
        if np.isnan(means).all():
            raise ValueError(
                "No point of the grid has a score: in at least one fold each of them "
                "failed, or its score was NaN. Look at the warnings above, or set "
                "error_score='raise' to see the first error."
            )
        # NaN is worse than any number.
        ranked = np.where(np.isnan(means), -np.inf, means)
        results = {
            "mean_fit_time": self.seconds.mean(axis=1),
            "std_fit_time": self.seconds.std(axis=1),
            "mean_score_time": self.score_seconds.mean(axis=1),
            "std_score_time": self.score_seconds.std(axis=1),
        }
        for name in points[0]:
            values = [point[name] for point in points]
            kind = object if any(isinstance(value, str) for value in values) else None
            results[f"param_{name}"] = np.ma.MaskedArray(values, mask=False, dtype=kind)
        results["params"] = points
        for fold, scores in enumerate(self.scores.T):
            results[f"split{fold}_test_score"] = scores
        results["mean_test_score"] = means
        results["std_test_score"] = self.scores.std(axis=1)
        results["rank_test_score"] = rankdata(-ranked, method="min").astype(np.int32)
        return results
