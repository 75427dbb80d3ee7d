"""scikit-learn's own checks, for every solver, with nothing expected to fail.

The sample-weight checks compare two fits to 1e-7, so the solvers that converge slowly
get a tolerance to match, and may say that unscaled rows keep them from it.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)

ESTIMATORS = [
    LDMClassifier(),
    LDMClassifier(kernel="linear", lambda_var=0, lambda_mean=0),
    LDMClassifier(lambda_var=2**-4, lambda_mean=2**-4, solver="kernel_dual"),
    LDMClassifier(solver="dual_cd", tol=1e-14),
    LinearLDMClassifier(),
    LinearLDMClassifier(solver="newton"),
    LinearLDMClassifier(solver="dual_cd", tol=1e-14),
    LinearLDMClassifier(solver="asgd", random_state=0),
    LDMClassifierCV(Cs=[1, 10], lambda_vars=["scale"], gammas=["scale"], cv=3),
    LinearLDMClassifierCV(Cs=[1, 10], lambda_vars=["scale"], cv=3),
    MAMCClassifier(),
    MAMCClassifier(threshold="none", kernel="linear"),
    MAMCClassifier(threshold="bounded", kernel="poly", coef0=1.0),
    MDOClassifier(random_state=0),
    KOMDClassifier(),
    KOMDClassifier(lam=0.5, ridge="classes", kernel="linear"),
    ODMClassifier(),
    ODMClassifier(kernel="linear", mu=1.0, theta=0.3),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks_pass(estimator, check):
    check(estimator)
