"""The influence of a price is drawn as it was found."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from largemargin import LinearLDMClassifierCV, LinearLDMRegressor, PriceInfluenceDisplay
from largemargin.inspection.displays.price_influence import labels
from machines import fixed_ldm, fixed_regressor


def test_the_influence_of_a_price_is_what_the_search_found(blobs):
    X, y = blobs
    search = LinearLDMClassifierCV(Cs=[0.1, 1.0, 10.0], lambda_vars=[0, "scale"], cv=3)
    search.fit(X, y)
    _, ax = plt.subplots()
    display = PriceInfluenceDisplay.from_search(search, "C", ax=ax, name="blobs")
    assert display.ax_ is ax
    best = {k: v for k, v in search.best_params_.items() if k != "C"}
    wanted = [
        score
        for point, score in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        )
        if {k: v for k, v in point.items() if k != "C"} == best
    ]
    assert_allclose(display.line_.get_ydata(), wanted)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0.1", "1", "10"]
    with pytest.raises(ValueError, match="was searched"):
        PriceInfluenceDisplay.from_search(search, "gamma")


def test_a_machine_is_cross_validated_around_its_own_prices(blobs):
    X, y = blobs
    values = [0, 2**-4, 2**-3, 2**-2]
    machine = fixed_ldm(10, lambda_mean=0, tol=1e-8)
    display = PriceInfluenceDisplay.from_estimator(
        machine, X, y, price="lambda_var", values=values, cv=3
    )
    grid = GridSearchCV(machine, {"lambda_var": values}, cv=3).fit(X, y)
    assert_allclose(display.means, grid.cv_results_["mean_test_score"])
    ticks = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert ticks == ["0", "$2^{-4}$", "$2^{-3}$", "$2^{-2}$"]
    again = PriceInfluenceDisplay.from_search(grid, "lambda_var", ax=display.ax_)
    assert again.line_.get_linestyle() != display.line_.get_linestyle()
    with pytest.raises(TypeError, match="got SVC"):
        PriceInfluenceDisplay.from_estimator(SVC(), X, y, price="C", values=[1])
    with pytest.raises(ValueError, match=r"can be searched; got 'tol'"):
        PriceInfluenceDisplay.from_estimator(machine, X, y, price="tol", values=[1])


def test_points_without_the_price_are_left_out(blobs):
    X, y = blobs
    grids = [{"C": [0.1, 1.0], "gamma": [2.0]}, {"C": [0.1]}]
    grid = GridSearchCV(fixed_ldm(), grids, cv=3).fit(X, y)
    grid.best_params_ = {"C": 1.0, "gamma": 2.0}
    display = PriceInfluenceDisplay.from_search(grid, "C")
    assert_allclose(display.means, grid.cv_results_["mean_test_score"][:2])
    assert display.values == [0.1, 1.0]
    assert PriceInfluenceDisplay.from_search(grid, "gamma").values == [2.0]


def test_any_value_of_a_grid_gets_a_label():
    values = [1, 2, 4, np.inf, None, "0.3*scale"]
    wanted = ["$2^{0}$", "$2^{1}$", "$2^{2}$", "inf", "None", "0.3 scale"]
    assert labels(values) == wanted


def test_a_search_of_a_regressor_is_drawn_by_its_r2(values):
    X, y = values
    grid = GridSearchCV(fixed_regressor(LinearLDMRegressor), {"C": [0.1, 1.0]}, cv=3)
    display = PriceInfluenceDisplay.from_search(grid.fit(X, y), "C")
    assert display.ax_.get_ylabel() == "R2, mean over the folds"
    assert_allclose(display.means, grid.cv_results_["mean_test_score"])
