"""What a search found, in the form of scikit-learn's ``cv_results_``."""

import warnings

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning

from largemargin.problem import NoMinimum
from largemargin.solvers.path import OutOfTime


class Table:
    """Scores and seconds, a row a point and a column a fold; and what went wrong."""

    def __init__(self, n_points, splits):
        self.splits = splits
        shape = n_points, len(splits)
        self.scores = np.full(shape, np.nan)
        self.seconds = np.zeros(shape)
        self.score_seconds = np.zeros(shape)
        self.errors = {}
        self.passed_over = {}
        self.unseen = {}
        self.n_short = 0

    def put(self, task, outcome):
        """Take in the outcome of a task."""
        numbers, fold = task.numbers, task.fold
        self.scores[numbers, fold] = outcome.scores
        self.seconds[numbers, fold] = outcome.seconds
        self.score_seconds[numbers, fold] = outcome.score_seconds
        self.n_short += outcome.n_short
        for k, error in outcome.errors.items():
            kind = self.errors
            if isinstance(error, NoMinimum | OutOfTime):
                kind = self.passed_over
            kind[numbers[k], fold] = error
        for k, scores in outcome.unseen.items():
            self.unseen[numbers[k], fold] = scores

    def unseen_scores(self, point, shape):
        """Return the scores that a point gave to rows outside its training folds.

        NaN is where no fold tests a row, or that one lacked a class; where several test
        it, the first counts.
        """
        scores = np.full(shape, np.nan)
        rows = np.arange(len(scores))
        for fold, (_, test) in reversed(list(enumerate(self.splits))):
            found = self.unseen.get((point, fold))
            if found is not None and found.shape[1] == shape[1]:
                scores[rows[test]] = found
        return scores[:, 0] if shape[1] == 1 else scores

    def settle(self, error_score, name):
        """Put the error score where something failed; warn, or raise if told to.

        Prices without a minimum have no machine to score: they are passed over, as are
        those that the time did not suffice for.
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
            raise ValueError(f"All {self._tell(failed, name)}")
        if self.errors:
            if error_score == "raise":
                raise self.errors[min(self.errors)]
            told = f"{self._tell(self.errors, name)} Their score is {error_score}."
            warnings.warn(told, FitFailedWarning, stacklevel=4)
            for place in self.errors:
                self.scores[place] = error_score
        if self.n_short:
            warnings.warn(
                f"{self.n_short} of {self.scores.size} fits of {name} did not reach tol. "
                "Scale the features, raise max_iter, or raise tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _tell(self, failed, name):
        point, fold = min(failed)
        error = failed[point, fold]
        return (
            f"{len(failed)} of {self.scores.size} fits of {name} failed; the first one, "
            f"point {point} in fold {fold}, with {type(error).__name__}: {error}"
        )

    def results(self, points):
        """Return scores, ranks and times in scikit-learn's form."""
        means = self.scores.mean(axis=1)
        if np.isnan(means).all():
            raise ValueError(
                "No point of the grid has a score: in at least one fold each of them "
                "failed, or its score was NaN. Look at the warnings above, or set "
                "error_score='raise' to see the first error."
            )
        # NaN is worse than anything else and never wins.
        ranked = np.where(np.isnan(means), -np.inf, means)
        results = {
            "mean_fit_time": self.seconds.mean(axis=1),
            "std_fit_time": self.seconds.std(axis=1),
            "mean_score_time": self.score_seconds.mean(axis=1),
            "std_score_time": self.score_seconds.std(axis=1),
        }
        for name in points[0]:
            values = np.empty(len(points), dtype=object)
            values[:] = [point[name] for point in points]
            results[f"param_{name}"] = np.ma.MaskedArray(values, mask=False)
        results["params"] = points
        for fold, scores in enumerate(self.scores.T):
            results[f"split{fold}_test_score"] = scores
        results["mean_test_score"] = means
        results["std_test_score"] = self.scores.std(axis=1)
        results["rank_test_score"] = rankdata(-ranked, method="min").astype(np.int32)
        return results
