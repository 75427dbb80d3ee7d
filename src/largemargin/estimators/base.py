"""The base classes of all estimators: fit, and prediction by scores."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from largemargin._compat import Interval, StrOptions, fit_context
from largemargin.estimators.fitting import fit_machine
from largemargin.estimators.keywords import HintingClassifier, HintingEstimator
from largemargin.estimators.rows import FLOATS
from largemargin.estimators.self_tuning import WORD
from largemargin.estimators.targets import class_scores, n_pairs, winners_of
from largemargin.kernels import KERNELS
from largemargin.problem.losses import LOSSES

# The types of parameters that several classifiers have.
ClassWeight = dict[Any, float] | str | None
KernelChoice = str | Callable[..., Any]
Seed = int | np.random.RandomState | None

POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")
# The values of parameters that several classifiers have; each has some of them.
CONSTRAINTS = {
    "C": [Interval(Real, 0, None, closed="both"), StrOptions({WORD})],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "degree": [Interval(Integral, 0, None, closed="left")],
    "epsilon": [NOT_NEGATIVE, str],
    "fit_intercept": ["boolean"],
    "gamma": [POSITIVE, str],
    "kernel": [StrOptions(set(KERNELS)), callable],
    "lambda_mean": [NOT_NEGATIVE, str],
    "lambda_square": [NOT_NEGATIVE, str],
    "lambda_var": [NOT_NEGATIVE, str],
    "loss": [StrOptions(set(LOSSES))],
    "max_iter": [AT_LEAST_ONE, None],
    "multi_class": [StrOptions({"ovr", "ovo"})],
    "n_jobs": [Integral, None],
    "quantile": [Interval(Real, 0, 1, closed="neither"), "array-like"],
    "random_state": ["random_state"],
    "time_limit": [POSITIVE, None],
    "tol": [POSITIVE],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
}
# Scores of pairs of classes are computed for so many rows that they are about this many.
MAX_PAIR_SCORES = 1 << 23


class MarginMachine(HintingEstimator):
    """An estimator whose predictions follow from scores, one per problem.

    A subclass has a recipe, see ``recipe``. Its method ``_scores`` returns the scores of
    rows without the intercept.
    """

    # Models in files of 0.1.0 have no such parameter.
    time_limit: float | None = None

    def _validated(self, X):
        return validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)

    def _finite_scores(self, X):
        scores = self._scores(X) + self.intercept_
        if not np.isfinite(scores).all():
            raise ValueError(
                f"{type(self).__name__} gives scores that are not finite to these rows. "
                "Are they scaled like the training rows, and is the kernel finite?"
            )
        return scores

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class MarginClassifier(HintingClassifier, MarginMachine):
    """A classifier with one score for two classes, and otherwise one score per class.

    A subclass without a recipe has a method ``_learn``, which sets ``classes_`` and
    ``intercept_`` from validated rows and returns the text of a warning or None.
    """

    _parameter_constraints: dict = CONSTRAINTS
    # Models in files of 0.1.0 have no such parameter.
    multi_class: str = "ovr"
    # Whether the last fit had one problem per pair of classes.
    _one_vs_one: bool = False

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or their Gram matrix for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. A weight of 2 equals the row twice, 0 its absence.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return fit_machine(self, X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            One of ``classes_`` for each row.
        """
        winners = winners_of(self.decision_function(X))
        return self.classes_[winners]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the signed score of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]``; with more than two classes, one column per class.
            With ``multi_class="ovo"``, that is the number of pairs of classes that the
            class wins, plus a number between -1/3 and 1/3 that rises with the sum of its
            scores there, as in ``SVC``. ``predict`` returns the class of the largest
            score, the first one of equals.
        """
        check_is_fitted(self)
        return self._decide(X)

    def _decide(self, X):
        if self._one_vs_one:
            n_classes = len(self.classes_)
            blocks = [class_scores(one, n_classes) for one in self._pair_scores(X)]
            return np.concatenate(blocks)
        scores = self._finite_scores(self._validated(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _pair_scores(self, X):
        """Yield the scores of blocks of rows, with one column per pair of classes."""
        X = self._validated(X)
        height = max(1, MAX_PAIR_SCORES // n_pairs(len(self.classes_)))
        for start in range(0, X.shape[0], height):
            yield self._finite_scores(X[start : start + height])
