"""Searches of ours beside the same ones by scikit-learn."""

from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LDMRegressor,
    LDMRegressorCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    LinearLDMRegressor,
    LinearLDMRegressorCV,
)

PRICES = {
    "C": [0.1, 10.0],
    "lambda_var": [0.0, 2**-4, "scale", "20*scale"],
    "lambda_mean": [0.0, "0.5*scale"],
}
GAMMAS = {"gamma": [0.1, "scale", "3*scale"]}
# So tight that no row lies between the answers of two solvers.
TIGHT = {"tol": 1e-9}
VALUE_PRICES = {
    "C": ["0.3*scale", 5.0],
    "epsilon": ["0.1*scale", 0.2],
    "lambda_var": [0.0, "100*scale"],
    "lambda_square": [0.0, "30*scale"],
}
# An error of a prediction is about the root of a gap, and scores of values show it.
TIGHTER = {"tol": 1e-11}


def of_the_search(grid):
    return {f"{name}s": values for name, values in grid.items()}


def pair(kind, **options):
    """Return a search of ours and the same search by scikit-learn."""
    of_both = {key: options[key] for key in ("kernel", "loss") if key in options}
    shared = {**TIGHT, **of_both}
    if kind == "kernel":
        grid = {**PRICES, **GAMMAS}
        ours, machine = LDMClassifierCV, LDMClassifier(**shared)
    else:
        grid, ours, machine = PRICES, LinearLDMClassifierCV, LinearLDMClassifier(**shared)
    return (
        ours(**of_the_search(grid), **TIGHT, **options),
        GridSearchCV(machine, grid, **{k: options[k] for k in options if k not in of_both}),
    )


def value_pair(kind, grid=None, **options):
    """Return a search of ours over a regressor and the same search by scikit-learn."""
    of_both = {
        key: options[key] for key in ("kernel", "loss", "quantile") if key in options
    }
    shared, grid = {**TIGHTER, **of_both}, grid or VALUE_PRICES
    if kind == "kernel":
        grid = {"gamma": [0.1, "3*scale"], **grid}
        ours, machine = LDMRegressorCV, LDMRegressor(**shared)
    else:
        ours, machine = LinearLDMRegressorCV, LinearLDMRegressor(**shared)
    return (
        ours(**of_the_search(grid), **TIGHTER, **options),
        GridSearchCV(machine, grid, **{k: options[k] for k in options if k not in of_both}),
    )


def assert_same_results(ours, theirs, rtol=1e-7):
    for key, wanted in theirs.cv_results_.items():
        found = ours.cv_results_[key]
        if key == "params":
            assert found == wanted
        elif key.startswith("param_"):
            assert list(found) == list(wanted)
        elif "test_score" in key:
            assert_allclose(found, wanted, rtol=rtol, atol=rtol, err_msg=key)
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=rtol)
