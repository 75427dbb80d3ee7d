"""What all classifiers here share: checks of what comes in, and prediction by scores."""

import warnings
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from largemargin._compat import StrOptions, check_sample_weight, fit_context
from largemargin.memory import FLOAT_BYTES, check_room

FLOATS = [np.float64, np.float32]

CLASS_WEIGHT = [StrOptions({"balanced"}), dict, None]


@contextmanager
def all_or_nothing(estimator):
    """Leave the estimator as it was if the block fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class MarginClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of one score a machine: one for two classes, else one a class.

    Subclasses learn ``classes_`` and ``intercept_`` from rows that were checked,
    ``_learn``, and tell the scores without intercept, ``_scores``.
    """

    # A method on which it would have little effect has no parameter of this name.
    class_weight = None

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
        with all_or_nothing(self):
            X, y, weight = self._validate(X, y, sample_weight)
            shortfall = self._learn(X, y, weight, weight > 0)
        if shortfall:
            warnings.warn(shortfall, ConvergenceWarning, stacklevel=3)
        return self

    def _validate(self, X, y, sample_weight, **options):
        """Return rows, labels and weights, checked, rows of no weight still among them."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=False, **options
        )
        X = canonical_rows(X)
        check_labels(y)
        return X, y, self._row_weights(X, y, sample_weight)

    def _row_weights(self, X, y, sample_weight):
        weight = np.array(check_sample_weight(sample_weight, X, dtype=np.float64))
        with np.errstate(over="ignore"):
            total = weight.sum()
        if not np.isfinite(total):
            raise ValueError(
                "The sum of sample_weight overflows; expected a finite one. Divide the "
                "weights by their largest."
            )
        if (weight < 0).any():
            raise ValueError(
                f"sample_weight must not be negative; got {weight.min():g}. Leave rows "
                "out by giving them weight 0."
            )
        if not weight.any():
            raise ValueError(
                "sample_weight must be positive somewhere; got zeros only. Pass None to "
                "count every row once."
            )
        weight *= class_weights(self.class_weight, y, weight)
        if not weight.any():
            raise ValueError(
                f"class_weight={self.class_weight!r} leaves no row with a weight; expected "
                "at least two classes above 0."
            )
        return weight

    def _signs(self, y):
        """Return the classes, and the labels of each machine as signs."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes with positive weight; "
                f"got one class only: {classes[0]!r}."
            )
        positives = classes[1:] if len(classes) == 2 else classes
        check_room(
            FLOAT_BYTES * len(positives) * len(y),
            f"y has {len(classes):,} classes in {len(y):,} rows, and a fit with this many",
            "Give labels that are classes, or fewer of them",
        )
        return classes, [np.where(y == label, 1.0, -1.0) for label in positives]

    def _keep_margins(self, margins, weight):
        """Store mean and variance of the margins of each machine."""
        means = [weight @ some / weight.sum() for some in margins]
        self.margin_mean_ = per_machine(means)
        self.margin_variance_ = per_machine(
            [
                weight @ (some - mean) ** 2 / weight.sum()
                for some, mean in zip(margins, means, strict=True)
            ]
        )

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


def check_labels(y):
    """Raise if labels look like measurements; any two values are labels."""
    if len(np.unique(y)) > 2:
        check_classification_targets(y)


def splits_of(cv, X, y, groups=None):
    """Return the splits of rows into training and test folds."""
    if y.dtype.kind == "f":
        # Scikit-learn takes labels 0.5 and 1.5 for measurements, which have no strata.
        y = np.unique(y, return_inverse=True)[1]
    return list(check_cv(cv, y, classifier=True).split(X, y, groups))


def winners_of(scores):
    """Return the number of the class that the scores of each row speak for."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return (scores.ravel() > 0).astype(int)
    return scores.argmax(axis=1)


def per_machine(values):
    """Return one number for two classes, else an array with one a machine."""
    return np.array(values) if len(values) > 1 else float(values[0])


def canonical_rows(X):
    """Return sparse rows with each entry once, or raise if they point outside themselves.

    Overflowed indices do that.
    """
    if not sp.issparse(X):
        return X
    n_rows, n_features = X.shape
    indptr, indices = X.indptr, X.indices
    regular = (
        len(indptr) == n_rows + 1
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
        and indptr[-1] <= min(len(indices), len(X.data))
    )
    if not regular:
        raise ValueError(
            f"The row pointers of the sparse X must rise from 0 to at most {len(X.data)}, "
            "one more than there are rows; these do not. Were they overflowed? Build the "
            "matrix with 64 bit indices."
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= n_features):
        raise ValueError(
            f"The column indices of the sparse X must lie in 0 .. {n_features - 1}; got "
            f"{indices.min()} .. {indices.max()}. Were they overflowed? Build the matrix "
            "with 64 bit indices."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def class_weights(class_weight, y, weight):
    """Return the factor that each row gets for its class."""
    if class_weight is None:
        return 1.0
    classes, codes = np.unique(y, return_inverse=True)
    if class_weight == "balanced":
        mass = np.bincount(codes, weight)
        with np.errstate(divide="ignore"):
            factors = mass.sum() / (np.count_nonzero(mass) * mass)
        return np.where(weight > 0, factors[codes], 0.0)
    factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()])
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise ValueError(f"class_weight must be finite and >= 0; got {class_weight!r}.")
    return factors[codes]
