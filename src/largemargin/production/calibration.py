"""Probabilities that can be trusted, and that agree with what is predicted."""

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted, column_or_1d

from largemargin._compat import StrOptions, check_sample_weight, fit_context
from largemargin.estimators.targets import winners_of
from largemargin.production.unseen_scores import as_columns, fit_weighted, unseen_scores


def calibrate(machine, X, y, *, method="sigmoid", cv=None, sample_weight=None):
    """Return a fitted classifier with probabilities added, its predictions as they were.

    Parameters
    ----------
    machine : fitted classifier
        One of this library, or a scikit-learn pipeline or search around one.

    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows it was fitted on.

    y : array-like of shape (n_samples,)
        Their labels.

    method : {"sigmoid", "isotonic"}, default="sigmoid"
        As in :class:`CalibratedMachine`.

    cv : int, splitter or iterable of splits, default=None
        As in :class:`CalibratedMachine`.

    sample_weight : array-like of shape (n_samples,), default=None
        The weights it was fitted with.

    Returns
    -------
    calibrated : CalibratedMachine
        Fitted, with the machine itself in ``machine_``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier
    >>> from largemargin.production.calibration import calibrate
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> machine = LDMClassifier(C=10).fit(X, y)
    >>> calibrated = calibrate(machine, X, y)
    >>> print(f"{calibrated.predict_proba(X)[0, 0]:.2f}")
    0.97
    """
    check_is_fitted(machine)
    calibrated = CalibratedMachine(clone(machine), method=method, cv=cv)
    calibrated._validate_params()
    return calibrated._calibrate(machine, X, y, sample_weight)


class CalibratedMachine(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier with calibrated probabilities, whose argmax is what it predicts.

    The map from scores to probabilities is scikit-learn's, fitted to scores of rows that
    the machine which gave them had not seen. Where it contradicts the prediction, the
    probabilities are the nearest that do not: the predicted class and those ahead of it
    share theirs evenly. So all are as calibrated as without this rule but, of two classes,
    those of rows between the machine's threshold and that of the map, which are one half.
    A machine whose threshold was moved on purpose, by ``class_weight``, has many such rows.

    Parameters
    ----------
    machine : classifier
        One of this library, or a scikit-learn pipeline or search around one.

    method : {"sigmoid", "isotonic"}, default="sigmoid"
        ``"sigmoid"`` fits two numbers a machine and suits small data, ``"isotonic"`` any
        rising map, which wants a thousand rows or more. With more than two classes each has
        its own map, and their values are divided by their sum.

    cv : int, splitter or iterable of splits, default=None
        Folds for the scores of unseen rows. None means those of the search, if the machine
        is one, else five stratified folds. Splits need not cover every row; those by groups
        are to be given as such. A search of this library has kept, of several scores of a
        row, that of the first fold that tests it.

    Attributes
    ----------
    machine_ : classifier
        The machine, fitted on all rows.

    calibration_ : CalibratedClassifierCV
        The map from its scores to probabilities.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    Notes
    -----
    A search of this library has scores of unseen rows already, ``unseen_scores_``. For
    others, and in pipelines with steps that may learn from labels, it costs one fit a fold,
    at the parameters that the search has found on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from largemargin import LinearLDMClassifier
    >>> from largemargin.production.calibration import CalibratedMachine
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = CalibratedMachine(LinearLDMClassifier()).fit(X, y)
    >>> machine.predict_proba(X[:1]).round(1)
    array([[0.9, 0.1, 0. ]])
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"sigmoid", "isotonic"})],
        "cv": ["cv_object"],
    }

    def __init__(self, machine, *, method="sigmoid", cv=None):
        self.machine = machine
        self.method = method
        self.cv = cv

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Fit the machine on all rows, and the map on its scores of unseen ones.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or their Gram matrix for ``kernel="precomputed"``.

        y : array-like of shape (n_samples,)
            Labels of any type.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in the machine and in the map.

        Returns
        -------
        self : CalibratedMachine
            The fitted estimator.
        """
        machine = fit_weighted(clone(self.machine), X, y, sample_weight)
        return self._calibrate(machine, X, y, sample_weight)

    def _calibrate(self, machine, X, y, sample_weight):
        """Fit the map for a machine that is fitted on these rows."""
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
        self.calibration_ = fit_map(
            scores, y[tested], weight[tested], classes=machine.classes_, method=self.method
        )
        self.machine_ = machine
        self.classes_ = machine.classes_
        for name in "n_features_in_", "feature_names_in_":
            vars(self).pop(name, None)
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        return self

    def predict(self, X):
        """Predict the class of each row by the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            One of ``classes_`` for each row.
        """
        check_is_fitted(self)
        return self.machine_.predict(X)

    def decision_function(self, X):
        """Return the signed score of each row by the machine.

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
        return self.machine_.decision_function(X)

    def predict_proba(self, X):
        """Return the probability of each class for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; the largest is that of ``predict``.
        """
        return self.probabilities_of(self.decision_function(X))

    def probabilities_of(self, scores):
        """Return the probability of each class for rows whose scores are known.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            What ``decision_function`` has given.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        probabilities = self.calibration_.predict_proba(as_columns(scores))
        return side_with(winners_of(scores), probabilities)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.machine).input_tags
        return tags


class GivenScores(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are scores already: a column a machine."""

    def fit(self, X, y, sample_weight=None):
        """Take down the labels; there is nothing to learn."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        """Return the scores themselves."""
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X):
        """Return the class of the largest score; cross_val_predict insists on it."""
        return self.classes_[winners_of(X)]


def fit_map(scores, y, weight, *, classes, method):
    """Return scikit-learn's map from scores to probabilities, fitted to these."""
    # A class that has no weight anywhere is none of the machine's.
    counted = (weight > 0) & np.isin(y, classes)
    scores, y, weight = scores[counted], y[counted], weight[counted]
    missing = np.setdiff1d(classes, y)
    if len(missing):
        raise ValueError(
            f"The test folds must hold every class; {missing.tolist()} are in none. Use "
            "another cv, or more rows of these classes."
        )
    every = np.arange(len(y))
    calibration = CalibratedClassifierCV(
        GivenScores(), method=method, cv=[(every, every)], ensemble=False
    )
    numbers = np.searchsorted(classes, y)
    with config_context(enable_metadata_routing=False):
        calibration.fit(as_columns(scores), numbers, sample_weight=weight)
    return calibration.set_params(cv=None)  # twice as many numbers as rows


def side_with(winners, probabilities):
    """Return the nearest probabilities that are largest at the winners.

    Where another class is ahead, the winner and those ahead get the mean of theirs: the
    projection on the probabilities with that argmax.
    """
    out = probabilities.copy()
    rows = np.flatnonzero(out.argmax(axis=1) != winners)
    winners = winners[rows]
    others = out[rows]
    own = others[np.arange(len(rows)), winners]
    others[np.arange(len(rows)), winners] = -np.inf
    ranked = np.column_stack([own, -np.sort(-others, axis=1)[:, :-1]])
    # The mean rises as long as it takes in classes that are ahead of it.
    level = (np.cumsum(ranked, axis=1) / np.arange(1, ranked.shape[1] + 1)).max(axis=1)
    out[rows] = np.minimum(out[rows], level[:, None])
    # Of equal classes the first would win.
    out[rows, winners] = np.nextafter(level, 1.0)
    return out
