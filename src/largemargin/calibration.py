"""Probabilities that can be trusted, and that agree with what is predicted."""

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted, column_or_1d

from largemargin._compat import StrOptions, check_sample_weight, fit_context, safe_split
from largemargin.estimators.base import splits_of, winners_of
from largemargin.layers import layers_of

# Where scikit-learn has steps that do not look at labels, or else have a tag that says so.
BLIND = (
    "sklearn.compose.",
    "sklearn.decomposition.",
    "sklearn.feature_extraction.",
    "sklearn.impute.",
    "sklearn.kernel_approximation",
    "sklearn.pipeline",
    "sklearn.preprocessing.",
    "sklearn.random_projection",
)


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
    >>> from largemargin.calibration import calibrate
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
    >>> from largemargin.calibration import CalibratedMachine
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
        tested, scores = self._unseen_scores(machine, X, y, sample_weight)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.calibration_ = fit_map(
            scores,
            y[tested],
            weight[tested],
            classes=machine.classes_,
            method=self.method,
        )
        self.machine_ = machine
        self.classes_ = machine.classes_
        for name in "n_features_in_", "feature_names_in_":
            vars(self).pop(name, None)
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        return self

    def _unseen_scores(self, machine, X, y, sample_weight):
        """Return the numbers of rows that are tested in folds, and their scores there."""
        kept = scores_of_search(machine) if self.cv is None else None
        if kept is not None:
            if len(kept) != len(y):
                raise ValueError(
                    f"Expected the {len(kept)} rows that the search was fitted on; got "
                    f"{len(y)}."
                )
            tested = np.flatnonzero(~np.isnan(as_columns(kept)).any(axis=1))
            return tested, kept[tested]
        cv = search_folds(machine) if self.cv is None else self.cv
        splits = splits_of(cv, X, y)
        scores = [
            scores_in_fold(machine, X, y, sample_weight, train, test)
            for train, test in splits
        ]
        tested = [np.arange(len(y))[test] for _, test in splits]
        return np.concatenate(tested), np.concatenate(scores)

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


def as_columns(scores):
    """Return scores in the form of rows, a column a machine."""
    return scores.reshape(len(scores), -1)


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


def scores_in_fold(machine, X, y, sample_weight, train, test):
    """Return the scores that a machine fitted on some rows gives to others."""
    fold = unsearched(machine)
    X_train, y_train = safe_split(fold, X, y, train)
    X_test, _ = safe_split(fold, X, y, test, train)
    weight = None if sample_weight is None else sample_weight[train]
    fit_weighted(fold, X_train, y_train, weight)
    if not np.array_equal(fold.classes_, machine.classes_):
        raise ValueError(
            f"Every training fold must hold the classes {machine.classes_.tolist()}; one "
            f"has {fold.classes_.tolist()} only. Use fewer or stratified folds."
        )
    return fold.decision_function(X_test)


def unsearched(machine):
    """Return an unfitted copy that takes for granted what searches in it have found."""
    if isinstance(machine, Pipeline):
        return clone(machine).set_params(**{machine.steps[-1][0]: unsearched(machine[-1])})
    if hasattr(machine, "best_estimator_"):
        return unsearched(machine.best_estimator_)
    return clone(machine)


def scores_of_search(machine):
    """Return the scores of unseen rows that a search at the end of the machine has kept.

    None if there are none, or if the steps before it may have learned from the labels of
    all rows: no row is unseen then.
    """
    while isinstance(machine, Pipeline):
        if not all(is_blind(step) for _, step in machine.steps[:-1]):
            return None
        machine = machine[-1]
    return getattr(machine, "unseen_scores_", None)


def is_blind(step):
    """Return whether a step of a pipeline is known to be fitted without labels."""
    parts = [step, *step.get_params().values()] if hasattr(step, "fit") else []
    return all(
        type(part).__module__.startswith(BLIND) and not get_tags(part).target_tags.required
        for part in parts
        if hasattr(part, "fit")
    )


def search_folds(machine):
    """Return the folds of the search in a machine, or None."""
    searches = [layer for layer in layers_of(machine) if hasattr(layer, "best_estimator_")]
    return searches[0].cv if searches else None


def fit_weighted(machine, X, y, sample_weight):
    """Fit a machine; the weights go to the last step of a pipeline, searched or not."""
    if sample_weight is None:
        return machine.fit(X, y)
    prefix, last = "", getattr(machine, "estimator", machine)
    while isinstance(last, Pipeline):
        prefix, last = f"{prefix}{last.steps[-1][0]}__", last[-1]
    return machine.fit(X, y, **{f"{prefix}sample_weight": sample_weight})
