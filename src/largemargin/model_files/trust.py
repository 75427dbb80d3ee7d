"""What a model in a file may be made of."""

from functools import cache

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
# Beside those that skops trusts: numbers, arrays and the estimators of scikit-learn.
TRUSTED = (
    "largemargin.calibration.CalibratedMachine",
    "largemargin.calibration.GivenScores",
    "largemargin.estimators.kernel.LDMClassifier",
    "largemargin.estimators.komd.KOMDClassifier",
    "largemargin.estimators.linear.LinearLDMClassifier",
    "largemargin.estimators.mamc.MAMCClassifier",
    "largemargin.estimators.mdo.MDOClassifier",
    "largemargin.estimators.odm.ODMClassifier",
    "largemargin.estimators.selection.LDMClassifierCV",
    "largemargin.estimators.selection.LinearLDMClassifierCV",
    "largemargin.kernels.Kernel",
    "largemargin.solvers.asgd.Descent",
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
# To be held, not to be called; beside those behind the names of scorers.
FUNCTIONS = (
    "sklearn.feature_selection._mutual_info.mutual_info_classif",
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
)


def names_of(trusted):
    """Return the names of types that are given by name or as they are."""
    if isinstance(trusted, str | type):
        raise TypeError(
            "trusted must be an iterable of types or of their names; got "
            f"{trusted!r} itself. Put it into a list."
        )
    return tuple(one if isinstance(one, str) else name_of(one) for one in trusted)


def name_of(thing):
    """Return the full name of a class or a function."""
    return f"{thing.__module__}.{thing.__name__}"


@cache
def trusted_functions():
    """Return the names of the functions that a model may hold."""
    from sklearn.metrics import get_scorer, get_scorer_names

    behind_scorers = [get_scorer(name)._score_func for name in get_scorer_names()]
    return frozenset([*FUNCTIONS, *map(name_of, behind_scorers)])
