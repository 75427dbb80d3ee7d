import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin import LinearLDMClassifier
from study.readings.scalings import GRID, METHODS, READINGS, points

PRICES = {"C": 10.0, "lambda_var": 0.25, "lambda_mean": 0.125}


def prices_of(name, n_rows):
    found = READINGS[name].prices({key: [one] for key, one in PRICES.items()}, n_rows)
    return {key: one for key, (one,) in found.items()}


def coefficients(prices, X, y, **weights):
    machine = LinearLDMClassifier(**prices, fit_intercept=False, tol=1e-10)
    return machine.fit(X, y, **weights).coef_


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1, -1)


def test_averaged_losses_are_those_of_weights_that_add_up_to_one(rows):
    X, y = rows
    averaged = coefficients(prices_of("averaged", 30), X, y)
    weighted = coefficients(PRICES, X, y, sample_weight=np.full(30, 1 / 30))
    assert_allclose(averaged, weighted, rtol=1e-4)


def test_summed_margins_are_prices_in_units_of_the_sum_of_losses(rows):
    X, y = rows
    words = {
        name: f"{100 * PRICES[name] / PRICES['C']}*scale"
        for name in ("lambda_var", "lambda_mean")
    }
    summed = coefficients(prices_of("summed", 30), X, y)
    assert_allclose(summed, coefficients(PRICES | words, X, y), rtol=1e-4)


def test_the_double_sum_is_twice_the_variance_times_the_square_of_m():
    margins = np.random.default_rng(0).normal(size=7)
    double_sum = np.sum((margins[:, None] - margins) ** 2)
    ours = prices_of("pairs", 7)["lambda_var"] * 2 * margins.var()
    assert ours == pytest.approx(PRICES["lambda_var"] * double_sum)


def test_the_literal_reading_changes_nothing():
    assert prices_of("literal", 30) == PRICES


def test_an_svm_is_measured_again_only_where_its_c_differs():
    svms = {name for name, (method, _) in METHODS.items() if method == "svm"}
    assert svms == {"svm", "svm, averaged"}


def test_the_grids_are_those_of_the_paper():
    assert {method: len(points(method)) for method in GRID} == {"svm": 3, "ldm": 147}
