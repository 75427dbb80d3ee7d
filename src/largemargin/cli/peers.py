"""Regressors of scikit-learn that ``largemargin compare`` compares with."""

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from largemargin.cli.tuning import ALPHAS, EPSILONS, MANY_SCALES, widths_by_variance
from largemargin.numerics.quantiles import robust_scale

LABELS = {"sklearn-svr": "SVR, scikit-learn", "sklearn-ridge": "ridge, scikit-learn"}
# SVR may run for hours where features are not scaled and C is large.
MAX_ITER = 1_000_000


def tuned_peer(method: str, kernel: str, X, y, folds):
    """Return a fitted regressor of scikit-learn, with parameters chosen on these rows."""
    widths = widths_by_variance(X) if kernel == "rbf" else None
    make = svr if method == "sklearn-svr" else ridge
    machine, grid = make(kernel, widths, robust_scale(y, np.ones(len(y))))
    return GridSearchCV(machine, grid, cv=folds, error_score="raise").fit(X, y)


def svr(kernel, widths, scale):
    """Return SVR and its grid, in units of the values."""
    grid = {
        "C": [factor * scale for factor in MANY_SCALES],
        "epsilon": [factor * scale for factor in EPSILONS],
    }
    grid |= {} if widths is None else {"gamma": widths}
    return SVR(kernel=kernel, max_iter=MAX_ITER), grid


def ridge(kernel, widths, scale):
    """Return ridge regression with an intercept and its grid."""
    if widths is None:
        return Ridge(), {"alpha": ALPHAS}
    centring = StandardScaler(with_std=False)  # kernel ridge has no intercept
    machine = TransformedTargetRegressor(KernelRidge(kernel=kernel), transformer=centring)
    return machine, {"regressor__alpha": ALPHAS, "regressor__gamma": widths}
