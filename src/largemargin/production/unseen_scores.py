"""Scores of rows that the machine which gave them had not seen."""

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from largemargin._compat import safe_split
from largemargin.estimators.nesting import layers_of
from largemargin.estimators.targets import splits_of

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


def unseen_scores(machine, X, y, sample_weight, *, cv=None):
    """Return the numbers of rows that are tested in folds, and their scores there."""
    kept = scores_of_search(machine) if cv is None else None
    if kept is not None:
        if len(kept) != len(y):
            raise ValueError(
                f"Expected the {len(kept)} rows that the search was fitted on; got "
                f"{len(y)}."
            )
        tested = np.flatnonzero(~np.isnan(as_columns(kept)).any(axis=1))
        return tested, kept[tested]
    splits = splits_of(search_folds(machine) if cv is None else cv, X, y)
    scores = [
        scores_in_fold(machine, X, y, sample_weight, train, test) for train, test in splits
    ]
    tested = [np.arange(len(y))[test] for _, test in splits]
    return np.concatenate(tested), np.concatenate(scores)


def as_columns(scores):
    """Return scores in the form of rows, a column a machine."""
    return scores.reshape(len(scores), -1)


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
