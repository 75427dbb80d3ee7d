"""The types and functions that a model file may hold."""

from functools import cache

import largemargin
from largemargin.estimators.table import ALIASES as ALIASES
from largemargin.estimators.table import ESTIMATORS, PARTS

SPLITTERS = (
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
)
# Types beside those that skops trusts: numbers, arrays and estimators of scikit-learn.
TRUSTED = (
    *(f"largemargin.{name}" for name in ESTIMATORS | PARTS),
    "builtins.object",
    "numpy.dtype",
    "numpy.number",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    *(f"sklearn.model_selection._split.{name}" for name in SPLITTERS),
)
# Functions beside those of scorers. A model may hold them, but not call them on loading.
FUNCTIONS = (
    "sklearn.feature_selection._mutual_info.mutual_info_classif",
    "sklearn.feature_selection._mutual_info.mutual_info_regression",
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.feature_selection._univariate_selection.f_regression",
    "sklearn.feature_selection._univariate_selection.r_regression",
)


def names_trusted(further):
    """Return all names that a model may hold, those of further types included."""
    if isinstance(further, str | type):
        raise TypeError(
            "trusted must be an iterable of types or of their names; got "
            f"{further!r} itself. Put it into a list."
        )
    names = [one if isinstance(one, str) else name_of(one) for one in further]
    # In our files, methods go by the public names of their classes.
    owners = [name.rpartition(".") for name in names]
    names += [f"{ALIASES[owner]}.{name}" for owner, _, name in owners if owner in ALIASES]
    return {*TRUSTED, *trusted_functions(), *names}


def public_names():
    """Return the public names of our classes, by the names that skops writes."""
    stored = [getattr(largemargin, name) for name in ESTIMATORS | PARTS]
    return {name_of(one): f"largemargin.{one.__name__}" for one in stored}


def name_of(thing):
    """Return the full name of a class or a function."""
    return f"{thing.__module__}.{thing.__name__}"


@cache
def trusted_functions():
    """Return the names of the functions that a model may hold."""
    from sklearn.metrics import get_scorer, get_scorer_names

    behind_scorers = [get_scorer(name)._score_func for name in get_scorer_names()]
    return frozenset([*FUNCTIONS, *map(name_of, behind_scorers)])
