"""Parameters of scikit-learn's SVMs are answered by what to use here instead."""

import inspect
import pickle
import re
from contextlib import nullcontext

import pytest
from sklearn.base import clone
from sklearn.linear_model import QuantileRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

import largemargin
from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LDMRegressor,
    LDMRegressorCV,
    LinearLDMClassifier,
    LinearLDMRegressor,
    MAMCClassifier,
    MDOClassifier,
    OneClassLDM,
)
from largemargin.estimators.keywords import (
    INSTEAD,
    INSTEAD_FOR_OUTLIERS,
    INSTEAD_FOR_VALUES,
)
from largemargin.estimators.table import ALONE, CLASSIFIERS, SEARCHES

ALL = pytest.mark.parametrize("name", ALONE | SEARCHES)
OF_SVMS = {name for one in (SVC, LinearSVC, NuSVC) for name in one().get_params()}
OF_REGRESSORS = {
    name
    for one in (SVR, LinearSVR, NuSVR, QuantileRegressor)
    for name in one().get_params()
}
OF_ONE_CLASS = {*OneClassSVM().get_params(), "contamination", "n_jobs"}
REGRESSORS = [name for name in ALONE | SEARCHES if "Regressor" in name]
ANSWERS = {*INSTEAD, *INSTEAD_FOR_OUTLIERS, *INSTEAD_FOR_VALUES}


@pytest.mark.parametrize(
    ("make", "name", "answer"),
    [
        (LDMClassifier, "probability", r"largemargin\.calibrate\(model, X, y\)"),
        (LDMClassifier, "decision_function_shape", "one column per class"),
        (LinearLDMClassifier, "dual", "solver"),
        (LinearLDMClassifier, "kernel", "use LDMClassifier"),
        (LDMClassifierCV, "penalty", "squared norm"),
        (LDMClassifierCV, "C", "pass the values to search as Cs"),
        (LDMClassifier, "gama", "Did you mean 'gamma'"),
    ],
)
def test_a_parameter_that_is_missing_has_a_substitute(make, name, answer):
    expected = f"{make.__name__} has no parameter '{name}'.*{answer}"
    with pytest.raises(TypeError, match=expected):
        make(**{name: 1})
    with pytest.raises(ValueError, match=expected):
        make().set_params(**{name: 1})


@ALL
def test_every_parameter_of_an_svm_is_known_or_explained(name):
    estimator = getattr(largemargin, name)
    others = {**dict.fromkeys(REGRESSORS, OF_REGRESSORS), "OneClassLDM": OF_ONE_CLASS}
    for parameter in (OF_SVMS | others.get(name, set())) - {*estimator().get_params()}:
        with pytest.raises(TypeError, match=f"{name} has no parameter '{parameter}'; "):
            estimator(**{parameter: 1})


def test_other_keywords_get_the_error_of_python():
    with pytest.raises(TypeError, match="unexpected keyword argument 'xyz'"):
        LDMClassifier(xyz=1)
    with pytest.raises(ValueError, match="Invalid parameter 'xyz'"):
        LDMClassifier().set_params(xyz=1)


@ALL
def test_signatures_are_plain_and_copies_are_equal(name):
    estimator = getattr(largemargin, name)()
    kinds = {
        one.kind.name for one in inspect.signature(type(estimator)).parameters.values()
    }
    assert kinds <= {"POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"}
    for copy in clone(estimator), pickle.loads(pickle.dumps(estimator)):
        assert copy.get_params().keys() == estimator.get_params().keys()


def test_a_subclass_may_take_what_its_base_does_not():
    class Own(LDMClassifier):
        def __init__(self, C=1.0, *, nu=0.5):
            super().__init__(C=C)
            self.nu = nu

    class Open(LDMClassifier):
        def __init__(self, C=1.0, **others):
            super().__init__(C=C)
            self.others = others

    assert clone(Own(2, nu=0.1)).nu == 0.1
    assert Open(probability=True).others == {"probability": True}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_absence_of_probabilities_is_explained(name):
    estimator = getattr(largemargin, name)()
    assert not hasattr(estimator, "predict_proba")
    with pytest.raises(AttributeError, match=rf"{name} .*largemargin\.calibrate"):
        estimator.predict_proba  # noqa: B018
    assert not hasattr(make_pipeline(StandardScaler(), estimator), "predict_proba")


@ALL
@pytest.mark.parametrize("parameter", sorted(ANSWERS))
def test_answers_name_parameters_that_the_estimator_has(name, parameter):
    estimator = getattr(largemargin, name)
    known = estimator().get_params()
    with pytest.raises(TypeError) if parameter not in known else nullcontext() as caught:
        estimator(**{parameter: 1})
    answer = "" if caught is None else str(caught.value)
    used = re.findall(r"(?:; use|set by|such as) (\w+)(?=[,. =])", answer)
    assert set(used) <= {*known, "largemargin", "LDMClassifier", "LDMRegressor"}


@pytest.mark.parametrize(
    ("make", "name", "answer"),
    [
        (KOMDClassifier, "C", "use lam"),
        (MAMCClassifier, "C", "no price of margin violations"),
        (MAMCClassifier, "fit_intercept", "use threshold"),
        (MAMCClassifier, "tol", "closed form"),
        (MDOClassifier, "penalty", "cannot be chosen"),
        (LDMClassifierCV, "nu", "use Cs"),
        (LDMClassifierCV, "lambda1", "use lambda_vars"),
        (LDMClassifierCV, "param_grid", r"Cs=\[1, 10\]"),
        (LDMRegressor, "nu", "use epsilon, half the width"),
        (LDMRegressor, "alpha", r"lambda_square of n_samples / \(2 \* alpha\)"),
        (LDMRegressor, "shrinking", "chooses the rows"),
        (LDMRegressor, "lambda_mean", "use lambda_square"),
        (LDMRegressor, "lambda2", "the price of the mean squared residual"),
        (LDMRegressor, "tau", "use quantile, with loss='quantile'"),
        (LDMRegressor, "class_weight", "no classes"),
        (LDMRegressorCV, "nu", "use epsilons"),
        (LDMRegressorCV, "epsilon", "pass the values to search as epsilons"),
        (LinearLDMRegressor, "kernel", "use LDMRegressor or LDMRegressorCV"),
        (LinearLDMRegressor, "intercept_scaling", "needs no scaling"),
        (LinearLDMRegressor, "dual", "use solver"),
        (OneClassLDM, "contamination", "use nu, an upper bound"),
        (OneClassLDM, "C", r"1 / \(nu \* n_samples\)"),
        (OneClassLDM, "fit_intercept", "the threshold is always fitted"),
        (OneClassLDM, "cache_size", "no kernel cache"),
    ],
)
def test_an_answer_depends_on_what_the_estimator_has(make, name, answer):
    with pytest.raises(TypeError, match=f"'{name}'; .*{answer}"):
        make(**{name: 1})


def test_the_first_unknown_name_is_answered_and_never_by_self():
    with pytest.raises(TypeError, match="'probability'"):
        LDMClassifier(C=1, probability=True, cache_size=1)
    for name in "selff", "param_grid":
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            LDMClassifier(**{name: 1})
