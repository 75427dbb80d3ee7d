"""How users call the library, for the type checker: `make types` reads it, nothing runs it.

An error that is expected is ignored by its name, and an ignored error that does not occur
is an error itself.
"""

# mypy: disallow-untyped-calls, disallow-untyped-defs

from typing import assert_type

import numpy as np

from largemargin import (
    LDMClassifier,
    LDMRegressor,
    LDMRegressorCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    LinearLDMRegressor,
    MarginDistribution,
    MDOClassifier,
    OneClassLDM,
)


def construct() -> None:
    """Give estimators parameters that they have, and some that they do not have."""
    LDMClassifier(10.0, gamma="scale", kernel="rbf")
    LDMClassifier(gama=1)  # type: ignore[call-arg]
    LinearLDMClassifierCV(Cs=[1, 10], cv=3)
    LinearLDMClassifierCV(C=1)  # type: ignore[call-arg]
    LDMClassifier(tol="small")  # type: ignore[arg-type]
    LDMRegressor(10.0, epsilon="0.1*scale", loss="quantile", quantile=[0.1, 0.9])
    LDMRegressor(nu=0.5)  # type: ignore[call-arg]
    LDMRegressorCV(Cs=["scale"], epsilons=[0.1], cv=3)
    OneClassLDM(0.1, lambda_var=0.0, kernel="linear")
    OneClassLDM(contamination=0.1)  # type: ignore[call-arg]


def learn(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Chain calls: every fit returns the estimator itself."""
    assert_type(LDMClassifier().set_params(C=2.0).fit(X, y), LDMClassifier)
    LinearLDMClassifier(class_weight={0: 2.0}).fit(X, y).partial_fit(X, y)
    LinearLDMClassifierCV(lambda_vars=[0.0, "scale"], scoring="roc_auc").fit(X, y)
    return MDOClassifier(alpha=1.0, random_state=0).fit(X, y).decision_function(X)


def learn_values(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Regressors and machines of one class are chained, too."""
    assert_type(LDMRegressor().set_params(C=2.0).fit(X, y), LDMRegressor)
    assert_type(OneClassLDM().fit(X), OneClassLDM)
    return LinearLDMRegressor(warm_start=True).fit(X, y, np.ones(3)).predict(X)


def threshold(X: np.ndarray) -> float:
    """Return a number that only a machine of one class has."""
    return OneClassLDM().fit(X).offset_


def mean(distribution: MarginDistribution) -> float:
    """Ask a distribution for a number that it has, and for one that it does not have."""
    distribution.men  # type: ignore[attr-defined]  # noqa: B018
    return distribution.mean
