"""Grids with a name, and grids that are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit

from largemargin import LDMClassifierCV, LinearLDMClassifierCV


def test_the_paper_grid_has_735_points_and_widths_in_units_of_the_distance(rows):
    X, y = rows
    search = LDMClassifierCV("paper", cv=2).fit(X, y)
    results = search.cv_results_
    assert len(results["params"]) == 735
    assert set(results["param_C"]) == {10.0, 50.0, 100.0}
    lambdas = {2.0**k for k in range(-8, -1)}
    assert set(results["param_lambda_var"]) == set(results["param_lambda_mean"]) == lambdas
    # A row may meet itself, which makes the mean one n-th smaller.
    widths = pdist(X).mean() * (1 - 1 / len(X)) * 2.0 ** np.arange(-2, 3)
    assert_allclose(sorted(set(results["param_gamma"])), sorted(1 / (2 * widths**2)))
    assert len(LinearLDMClassifierCV("paper", cv=2).fit(X, y).cv_results_["params"]) == 147


@pytest.mark.parametrize(
    ("grid", "n_prices", "k_vars", "k_means"),
    [
        ("scale", 2, {0.0, "30*scale"}, {0.0}),
        (
            "wide",
            10,
            {0.0, "3*scale", "30*scale", "300*scale"},
            {0.0, "30*scale", "100*scale"},
        ),
    ],
)
def test_grids_in_units_of_the_scale_have_these_points(
    rows, grid, n_prices, k_vars, k_means
):
    results = LDMClassifierCV(grid, cv=2).fit(*rows).cv_results_
    assert len(results["params"]) == 8 * 4 * n_prices
    assert set(results["param_C"]) == {2.0**k for k in range(-6, 9, 2)}
    assert set(results["param_lambda_var"]) == k_vars
    assert set(results["param_lambda_mean"]) == k_means


def test_without_a_kernel_the_default_grid_is_the_wide_one(rows):
    wide = LinearLDMClassifierCV("wide", cv=2).fit(*rows).cv_results_["params"]
    assert len(wide) == 80
    assert LinearLDMClassifierCV(cv=2).fit(*rows).cv_results_["params"] == wide
    by_kernel = LDMClassifierCV(kernel="linear", cv=2).fit(*rows).cv_results_["params"]
    assert [{**point, "gamma": "scale"} for point in wide] == by_kernel


@pytest.mark.parametrize(
    ("machine", "n_svms"), [(LDMClassifierCV, 32), (LinearLDMClassifierCV, 8)]
)
def test_the_svm_comes_after_all_other_points_of_the_default_grid(rows, machine, n_svms):
    points = machine(cv=2).fit(*rows).cv_results_["params"]
    is_svm = [point["lambda_var"] == point["lambda_mean"] == 0 for point in points]
    assert is_svm == sorted(is_svm)
    assert sum(is_svm) == n_svms


def test_widths_count_rows_by_their_weight(rows):
    X, y = rows
    weight = np.tile([1, 2, 3], 30)
    folds = PredefinedSplit(np.arange(90) % 2)
    options = {"Cs": [1.0], "lambda_vars": [0], "lambda_means": [0]}
    weighted = LDMClassifierCV("paper", cv=folds, **options).fit(X, y, weight)
    repeated = LDMClassifierCV("paper", cv=2, **options)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    scaled = clone(weighted).fit(X, y, weight / 1000)
    assert_allclose(
        list(scaled.cv_results_["param_gamma"]), list(weighted.cv_results_["param_gamma"])
    )
    assert_allclose(
        list(weighted.cv_results_["param_gamma"]), list(repeated.cv_results_["param_gamma"])
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Cs": []}, "Cs must hold at least one value"),
        ({"Cs": [1.0, -1.0]}, r"Cs must hold values that C .*got -1.0"),
        ({"Cs": [np.nan]}, "got nan"),
        ({"lambda_vars": ["much"]}, r"got 'much'.*'0.3\*scale'"),
        ({"lambda_means": ["-1*scale"]}, "lambda_means"),
        ({"gammas": [0.0]}, "gammas must hold values"),
        ({"grid": "narrow"}, "'grid' parameter"),
        ({"scoring": "no such"}, "'scoring' parameter"),
        ({"cv": 1}, "'cv' parameter"),
        ({"cv": []}, "no splits"),
        ({"cv": [([0, 1, 2], [])]}, "no rows"),
    ],
)
def test_bad_grids_and_splitters_are_refused(rows, options, message):
    search = LDMClassifierCV(**options)
    with pytest.raises(ValueError, match=message):
        search.fit(*rows)
    assert not hasattr(search, "cv_results_")
