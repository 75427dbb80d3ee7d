"""Scores of held-out rows: given by classifiers that were not fitted on them.

They are those of ``decision_function`` or, of machines of pairs, one for each pair.
"""

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from largemargin._compat import safe_split
from largemargin.estimators.nesting import layers_of, scores_of_problems
from largemargin.estimators.targets import splits_of

# Modules of scikit-learn whose steps do not use labels, unless a tag says that they do.
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
    """Return the indices of the rows that are tested in folds, and their scores there."""
    kept = scores_of_search(machine) if cv is None else None
    if kept is not None:
        if len(kept) != len(y):
            raise ValueError(
                f"Expected the {len(kept)} rows that the search was fitted on; got "
                f"{len(y)}."
            )
        tested = np.flatnonzero(~np.isnan(as_columns(kept)).any(axis=1))
        return tested, kept[tested]
    if cv is None:
        searches = [one for one in layers_of(machine) if hasattr(one, "best_estimator_")]
        cv = searches[0].cv if searches else None
    splits = splits_of(cv, X, y)
    scores = [
        scores_in_fold(machine, X, y, sample_weight, train, test) for train, test in splits
    ]
    tested = [np.arange(len(y))[test] for _, test in splits]
    return np.concatenate(tested), np.concatenate(scores)


def as_columns(scores):
    """Return scores as a matrix, also if there is one score per row only."""
    return scores.reshape(len(scores), -1)


def scores_in_fold(machine, X, y, sample_weight, train, test):
    """Return the scores of test rows by a copy of a classifier fitted on training rows."""
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
    return scores_of_problems(fold, X_test)


def unsearched(machine):
    """Return an unfitted copy, with every search in it replaced by its best estimator."""
    if isinstance(machine, Pipeline):
        return clone(machine).set_params(**{machine.steps[-1][0]: unsearched(machine[-1])})
    if hasattr(machine, "best_estimator_"):
        return unsearched(machine.best_estimator_)
    return clone(machine)


def scores_of_search(machine):
    """Return the scores of held-out rows that a search at the end of a model has kept.

    None if there are none, or if earlier steps may have learned from the labels of all
    rows: then no row was held out.
    """
    while isinstance(machine, Pipeline):
        if not all(is_blind(step) for _, step in machine.steps[:-1]):
            return None
        machine = machine[-1]
    return getattr(machine, "unseen_scores_", None)


def is_blind(step) -> bool:
    """Return whether a step of a pipeline is known to be fitted without labels."""
    parts = [step, *step.get_params().values()] if hasattr(step, "fit") else []
    return all(
        type(part).__module__.startswith(BLIND) and not get_tags(part).target_tags.required
        for part in parts
        if hasattr(part, "fit")
    )


def fit_weighted(machine, X, y, sample_weight):
    """Fit a model; weights go to the last step of a pipeline, also within a search."""
    if sample_weight is None:
        return machine.fit(X, y)
    prefix, last = "", getattr(machine, "estimator", machine)
    while isinstance(last, Pipeline):
        prefix, last = f"{prefix}{last.steps[-1][0]}__", last[-1]
    return machine.fit(X, y, **{f"{prefix}sample_weight": sample_weight})
