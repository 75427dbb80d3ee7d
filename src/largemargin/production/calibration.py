"""Calibrated probabilities that agree with the predicted classes."""

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted, column_or_1d

from largemargin._compat import StrOptions, check_sample_weight, fit_context
from largemargin.estimators.documentation import described_like
from largemargin.estimators.nesting import decided, is_pairwise, score_blocks
from largemargin.estimators.targets import winners_of
from largemargin.production.pair_probabilities import PairMap
from largemargin.production.unseen_scores import as_columns, fit_weighted, unseen_scores


class CalibratedMachine(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier with calibrated probabilities that agree with its predictions.

    The map from scores to probabilities is scikit-learn's, fitted to the scores of held-out
    rows. With ``multi_class="ovo"`` and more than two classes, each pair has a map, and
    what they say of the pairs is coupled, see Notes.

    Where the map contradicts the prediction, the probabilities are moved to the nearest
    ones that agree: the predicted class and all classes ahead of it get the same share.
    With two classes, that concerns the rows between the threshold of the classifier and
    that of the map, and gives them a probability of one half; all other probabilities stay.
    There are many such rows if ``class_weight`` has moved the threshold of the classifier.

    Parameters
    ----------
    machine : classifier
        A classifier of this library, or a scikit-learn pipeline or search around one.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        ``"sigmoid"`` fits two numbers and suits small data; ``"isotonic"`` fits any
        increasing function and needs a thousand rows or more. With more than two classes
        each one, or each pair, has its own map. The values of those of classes are divided
        by their sum.
    cv : int, splitter or iterable of splits, default=None
        Folds for the scores of held-out rows. None means the folds of the search, if the
        classifier is one, else five stratified folds. Folds by groups must be given as an
        iterable of splits. Folds need not cover all rows.

    Attributes
    ----------
    machine_ : classifier
        The classifier, fitted on all rows.
    calibration_ : CalibratedClassifierCV or PairMap
        The map from its scores to probabilities; a PairMap takes those of pairs.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    A search of this library has kept the scores of held-out rows, ``unseen_scores_``; if
    several folds test a row, the score in the first. Other classifiers, and pipelines with
    steps that may learn from labels, need one fit per fold, with the parameters that the
    search found.

    The map of a pair is fitted to the rows of its two classes and gives their odds. They
    are coupled by the rule of Price, Knerr, Personnaz and Dreyfus: class i gets
    ``1 / (1 + sum_j odds of j against i)``, which is its probability if the odds of all
    pairs agree. These numbers are raised to one power, which fits the held-out rows best,
    and divided by their sum. The class with the most votes may not be the one that is most
    probable; then the probabilities are moved as above.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from largemargin import CalibratedMachine, LinearLDMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = CalibratedMachine(LinearLDMClassifier()).fit(X, y)
    >>> machine.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"sigmoid", "isotonic"})],
        "cv": ["cv_object"],
    }

    def __init__(self, machine, *, method: str = "sigmoid", cv=None):
        self.machine = machine
        self.method = method
        self.cv = cv

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit the classifier on all rows, and the map on its scores of held-out rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or their Gram matrix for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the classifier and for the map.
        """
        machine = fit_weighted(clone(self.machine), X, y, sample_weight)
        return self._calibrate(machine, X, y, sample_weight)

    def _calibrate(self, machine, X, y, sample_weight):
        """Fit the map for a classifier that was fitted on these rows."""
        if not hasattr(machine, "decision_function"):
            raise TypeError(
                "Probabilities are made of scores; expected a classifier with "
                f"decision_function, or a search with refit=True, got {machine!r}."
            )
        X, y, sample_weight = indexable(X, column_or_1d(y, warn=True), sample_weight)
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, X, dtype=np.float64)
        tested, scores = unseen_scores(machine, X, y, sample_weight, cv=self.cv)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        scores, numbers, weight = counted_rows(
            scores, y[tested], weight[tested], machine.classes_
        )
        fit = fit_pair_map if is_pairwise(machine) else fit_map
        self.calibration_ = fit(scores, numbers, weight, method=self.method)
        self.machine_ = machine
        self.classes_ = machine.classes_
        for name in "n_features_in_", "feature_names_in_":
            vars(self).pop(name, None)
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        return self

    def predict(self, X) -> np.ndarray:
        """Return the class that the classifier predicts for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.
        """
        check_is_fitted(self)
        return self.machine_.predict(X)

    def decision_function(self, X) -> np.ndarray:
        """Return the scores: positive for ``classes_[1]``, or one column per class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.
        """
        check_is_fitted(self)
        return self.machine_.decision_function(X)

    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            One column per class, in the order of ``classes_``; ``predict`` returns the
            class of the largest.
        """
        check_is_fitted(self)
        blocks = score_blocks(self.machine_, X)
        return np.concatenate([self.probabilities_of(scores) for scores in blocks])

    def probabilities_of(self, scores: np.ndarray) -> np.ndarray:
        """Return ``predict_proba`` of rows whose scores are known.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,) or (n_samples, n_problems)
            The result of ``decision_function``; for a classifier with one machine per pair
            of classes, the scores of the pairs.
        """
        check_is_fitted(self)
        of_classes = decided(self.machine_, scores)
        has_pairs = isinstance(self.calibration_, PairMap)
        given = scores if has_pairs else as_columns(of_classes)
        probabilities = self.calibration_.predict_proba(given)
        return side_with(winners_of(of_classes), probabilities)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.machine).input_tags
        return tags


@described_like(CalibratedMachine)
def calibrate(
    machine, X, y, *, method: str = "sigmoid", cv=None, sample_weight=None
) -> CalibratedMachine:
    """Add probabilities to a fitted classifier without changing its predictions.

    Parameters
    ----------
    machine : fitted classifier
        A classifier of this library, or a scikit-learn pipeline or search around one.
    X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
        The training rows and their labels; ``X`` may be a sparse matrix.
    method, cv
    sample_weight : array-like of shape (n_samples,), default=None
        The weights used in training.

    Returns
    -------
    calibrated : CalibratedMachine
        Fitted; its ``machine_`` is the given classifier itself, not a copy.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier, calibrate
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> calibrated = calibrate(LDMClassifier(C=10).fit(X, y), X, y)
    >>> print(f"{calibrated.predict_proba(X)[0, 0]:.2f}")
    0.96
    """
    check_is_fitted(machine)
    calibrated = CalibratedMachine(clone(machine), method=method, cv=cv)
    calibrated._validate_params()
    return calibrated._calibrate(machine, X, y, sample_weight)


class GivenScores(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are scores already, so that scikit-learn can map them."""

    def fit(self, X, y, sample_weight=None):
        """Store the classes."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        """Return the scores themselves."""
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X):
        """Return the class of the largest score; cross_val_predict needs this method."""
        return self.classes_[winners_of(X)]


def counted_rows(scores, y, weight, classes):
    """Return scores, numbers of classes and weights of the rows that count.

    Raise if they lack a class.
    """
    # The classifier has no class whose rows all have weight zero.
    counted = (weight > 0) & np.isin(y, classes)
    scores, y, weight = scores[counted], y[counted], weight[counted]
    missing = np.setdiff1d(classes, y)
    if len(missing):
        raise ValueError(
            f"The test folds must hold every class; {missing.tolist()} are in none. Use "
            "another cv, or more rows of these classes."
        )
    return scores, np.searchsorted(classes, y), weight


def fit_pair_map(scores, numbers, weight, *, method):
    """Fit the map from scores of pairs to probabilities."""
    return PairMap(method).fit(scores, numbers, weight)


def fit_map(scores, numbers, weight, *, method):
    """Fit scikit-learn's map from scores to probabilities."""
    every = np.arange(len(numbers))
    calibration = CalibratedClassifierCV(
        GivenScores(), method=method, cv=[(every, every)], ensemble=False
    )
    with config_context(enable_metadata_routing=False):
        calibration.fit(as_columns(scores), numbers, sample_weight=weight)
    return calibration.set_params(cv=None)  # to keep the splits out of model files


def side_with(winners, probabilities):
    """Return the nearest probabilities that are largest at the winners.

    Where other classes are ahead, they and the winner get the mean of their probabilities:
    the projection on the probabilities with that argmax.
    """
    out = probabilities.copy()
    rows = np.flatnonzero(out.argmax(axis=1) != winners)
    winners = winners[rows]
    others = out[rows]
    own = others[np.arange(len(rows)), winners]
    others[np.arange(len(rows)), winners] = -np.inf
    ranked = np.column_stack([own, -np.sort(-others, axis=1)[:, :-1]])
    # The mean rises as long as the next class is ahead of it.
    level = (np.cumsum(ranked, axis=1) / np.arange(1, ranked.shape[1] + 1)).max(axis=1)
    out[rows] = np.minimum(out[rows], level[:, None])
    # Of equal classes the first would win.
    out[rows, winners] = np.nextafter(level, 1.0)
    return out
