"""Searches of ours beside the same ones by scikit-learn."""

from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
)

PRICES = {
    "C": [0.1, 10.0],
    "lambda_var": [0.0, 2**-4, "scale", "20*scale"],
    "lambda_mean": [0.0, "0.5*scale"],
}
GAMMAS = {"gamma": [0.1, "scale", "3*scale"]}
# So tight that no row lies between the answers of two solvers.
TIGHT = {"tol": 1e-9}


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


def assert_same_results(ours, theirs):
    for key, wanted in theirs.cv_results_.items():
        found = ours.cv_results_[key]
        if key == "params":
            assert found == wanted
        elif key.startswith("param_"):
            assert list(found) == list(wanted)
        elif "test_score" in key:
            assert_allclose(found, wanted, err_msg=key)
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert_allclose(ours.best_score_, theirs.best_score_)
