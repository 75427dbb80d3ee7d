"""What all classifiers here share: fit, and prediction by scores."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from largemargin._compat import Interval, StrOptions, fit_context
from largemargin.estimators.fitting import fit_machine
from largemargin.estimators.rows import FLOATS
from largemargin.estimators.targets import winners_of

CLASS_WEIGHT = [StrOptions({"balanced"}), dict, None]


class MarginClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of one score per machine: one for two classes, else one per class.

    Subclasses have a recipe, see ``recipe``, or learn ``classes_`` and ``intercept_`` from
    rows that were checked by themselves, ``_learn``, which returns what there is to warn
    of. They give the scores of rows without intercept, ``_scores``.
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or their Gram matrix for ``kernel="precomputed"``.

        y : array-like of shape (n_samples,)
            Labels of any type.

        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 equals the row twice, 0 its absence.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return fit_machine(self, X, y, sample_weight)

    def predict(self, X):
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

    def decision_function(self, X):
        """Return the signed score of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]``; with more than two classes a column a class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        scores = self._scores(X) + self.intercept_
        if not np.isfinite(scores).all():
            raise ValueError(
                f"{type(self).__name__} gives scores that are not finite to these rows. "
                "Are they scaled as those of training were, and the kernel's values finite?"
            )
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class CertifiedClassifier(MarginClassifier):
    """A classifier that is fitted by its recipe and keeps the certificate."""

    _parameter_constraints: dict = {
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    # So that models of older files have one.
    time_limit = None
