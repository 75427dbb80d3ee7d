"""The methods: support vector regressions, ridge regressions, and candidates.

Where a reference has a scaled ``y``, its median is 0 and its interquartile range that of a
normal distribution of deviation 1, so that an outlier hardly moves the scale.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor, RidgeCV
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import RobustScaler
from sklearn.svm import SVR, LinearSVR

from largemargin import LDMRegressor, LinearLDMRegressor
from largemargin.cli.tuning import widths_by_variance
from largemargin.estimators.regression import LAMBDA_SCALE

CS = [2.0**k for k in range(-3, 8, 2)]
LINEAR_CS = [2.0**k for k in range(-9, 4, 2)]
EPSILONS = [0.01, 0.1, 0.4]
ALPHAS = [2.0**k for k in range(-11, 6, 2)]
RIDGE_ALPHAS = 2.0 ** np.arange(-12, 13)
SCORES = {"r2": "r2", "mae": "neg_mean_absolute_error"}


@dataclass(frozen=True)
class Method:
    """A method of the study.

    Parameters
    ----------
    kernel : {"rbf", "linear"}
        Which references it is compared with.

    make : callable
        Maps training rows to the estimator.

    part : {"reference", "candidate"}
        Whether it is from scikit-learn or ours.

    follows : str, default=None
        The search whose choice by absolute errors it takes.
    """

    kernel: str
    make: Callable = field(repr=False)
    part: str = "candidate"
    follows: str | None = None


def scaled(machine):
    """Return the regressor on scaled values."""
    return TransformedTargetRegressor(machine, transformer=RobustScaler(unit_variance=True))


def searched(machine, grid):
    """Return a search over a grid, by five folds, by R2; it knows absolute errors too."""
    folds = KFold(5, shuffle=True, random_state=0)
    return scaled(GridSearchCV(machine, grid, scoring=SCORES, refit="r2", cv=folds))


def widths(X):
    """Return the four widths of the searches."""
    return list(widths_by_variance(X))


def search_of_svr(X):
    """Return a search over six C, four widths and three epsilon."""
    return searched(SVR(), {"C": CS, "gamma": widths(X), "epsilon": EPSILONS})


def search_of_kernel_ridge(X):
    """Return a search over nine alphas and four widths."""
    grid = {"alpha": ALPHAS, "gamma": widths(X)}
    return searched(KernelRidge(kernel="rbf"), grid)


def search_of_linear_svr(X):
    """Return a search over seven C and three epsilon."""
    grid = {"C": LINEAR_CS, "epsilon": EPSILONS}
    return searched(LinearSVR(random_state=0), grid)


def price(k):
    """Return a price of ``k C sum(s) / u`` as an estimator takes it."""
    return f"{k / LAMBDA_SCALE:g}*scale" if k else 0.0


def candidate(kernel, C, k_square, k_var, epsilon):
    """Return one of our machines, by its prices and its tube."""
    options = {
        "C": C,
        "epsilon": epsilon,
        "lambda_square": price(k_square),
        "lambda_var": price(k_var),
    }
    if kernel == "linear":
        return Method(kernel, lambda X: LinearLDMRegressor(**options))
    gamma = "loo" if C == "loo" else "scale"
    return Method(kernel, lambda X: LDMRegressor(gamma=gamma, **options))


def references():
    """Return the methods of scikit-learn by name."""

    def of(kernel, make, **options):
        return Method(kernel, make, part="reference", **options)

    return {
        "SVR": of("rbf", lambda X: SVR()),
        "SVR, scaled y": of("rbf", lambda X: scaled(SVR())),
        "SVR search": of("rbf", search_of_svr),
        "SVR search by MAE": of("rbf", lambda X: scaled(SVR()), follows="SVR search"),
        "KernelRidge search": of("rbf", search_of_kernel_ridge),
        "LinearSVR": of("linear", lambda X: LinearSVR(random_state=0)),
        "LinearSVR, scaled y": of("linear", lambda X: scaled(LinearSVR(random_state=0))),
        "LinearSVR search": of("linear", search_of_linear_svr),
        "LinearSVR search by MAE": of(
            "linear",
            lambda X: scaled(LinearSVR(random_state=0)),
            follows="LinearSVR search",
        ),
        "RidgeCV": of("linear", lambda X: RidgeCV(RIDGE_ALPHAS)),
        "HuberRegressor": of("linear", lambda X: scaled(HuberRegressor(max_iter=1000))),
    }


# Prices of the squares and of the variance, and half widths of the tube.
OLD = 0.01, 0.01, "0.1*scale"
PRICES = (
    (0, 0, "loo"),
    (0, 0, "0.1*scale"),
    (0, 0, 0.0),
    *((k, 0, "loo") for k in (0.01, 0.1, 1)),
    *((0, k, "loo") for k in (0.01, 0.1)),
    OLD,
)


def all_methods():
    """Return the methods by name, in the order of the tables."""
    found = references()
    for kernel, prefix in ("rbf", ""), ("linear", "linear "):
        for C, prices in ("scale", (OLD,)), ("loo", PRICES):
            for k_square, k_var, epsilon in prices:
                name = f"{prefix}C {C}, k {k_square:g}/{k_var:g}, epsilon {epsilon}"
                found[name] = candidate(kernel, C, k_square, k_var, epsilon)
    return found


METHODS = all_methods()
SEARCHED = {"rbf": "SVR search", "linear": "LinearSVR search"}


def chosen_by(machine):
    """Return what a fitted machine chose, as JSON has it; empty if nothing."""
    inner = getattr(machine, "regressor_", machine)
    if hasattr(inner, "cv_results_"):
        least = np.argmax(inner.cv_results_["mean_test_mae"])
        by_mae = plain(inner.cv_results_["params"][least])
        return {**plain(inner.best_params_), "by_mae": by_mae}
    words = "C", "epsilon", "gamma"
    names = [name for name in words if getattr(machine, name, None) == "loo"]
    names += ["alpha"] if hasattr(machine, "alpha_") else []
    return plain({name: getattr(machine, f"{name}_") for name in names})


def plain(values):
    """Return parameters without types of NumPy."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in values.items()
    }
