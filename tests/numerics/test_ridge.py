"""Ridge paths against scikit-learn's regressions, refitted without each row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from largemargin.numerics.ridge import RidgePath

PRICES = np.array([0.1, 1.0, 30.0])


@pytest.fixture
def data():
    """Return rows with a constant and a doubled column, and their targets."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    X[:, 2], X[:, 3] = 5.0, 2.0 * X[:, 0]
    return X, X[:, 0] + 0.3 * rng.normal(size=12) + 2.0


PATHS = {
    "gram": lambda X, *rest: RidgePath.on_gram(X @ X.T, *rest),
    "rows": RidgePath.on_rows,
}


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_outputs_for_rows_left_out_are_those_of_refits(data, kind, fit_intercept):
    X, t = data
    weight = np.random.default_rng(1).uniform(0.1, 1.0, len(t))
    path = PATHS[kind](X, weight, fit_intercept)
    left_out = path.outputs(t, PRICES).left_out
    for k, price in enumerate(PRICES):
        ridge = Ridge(alpha=1.0 / price, fit_intercept=fit_intercept, solver="cholesky")
        for i in range(len(t)):
            rest = np.arange(len(t)) != i
            ridge.fit(X[rest], t[rest], weight[rest])
            assert_allclose(left_out[i, k], ridge.predict(X[i : i + 1])[0], rtol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_weight_of_two_is_the_row_twice(data, fit_intercept):
    X, t = data
    counts = np.random.default_rng(2).integers(1, 4, len(t))
    once = RidgePath.on_gram(X @ X.T, counts.astype(float), fit_intercept).outputs(
        t, PRICES
    )
    twice = np.repeat(X, counts, axis=0)
    path = RidgePath.on_gram(twice @ twice.T, np.ones(len(twice)), fit_intercept)
    repeated = path.outputs(np.repeat(t, counts), PRICES)
    assert_allclose(np.repeat(once.left_out, counts, axis=0), repeated.left_out, rtol=1e-8)
    assert_allclose(once.intercepts, repeated.intercepts, rtol=1e-8)


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_predict_as_the_regression(data, kind, fit_intercept):
    X, t = data
    weight = np.random.default_rng(3).uniform(0.1, 3.0, len(t))
    path = PATHS[kind](X, weight, fit_intercept)
    _, coefficients, intercepts = path.outputs(t, PRICES)
    new = np.random.default_rng(4).normal(size=(5, 4))
    for k, price in enumerate(PRICES):
        ridge = Ridge(alpha=1.0 / price, fit_intercept=fit_intercept, solver="cholesky")
        ridge.fit(X, t, weight)
        ours = new @ (X.T @ coefficients[:, k]) + intercepts[k]
        assert_allclose(ours, ridge.predict(new), rtol=1e-8)


def test_a_row_that_alone_decides_has_a_finite_output():
    path = RidgePath.on_gram(np.eye(3) * 1e12, np.ones(3), fit_intercept=False)
    assert np.isfinite(path.outputs(np.ones(3), np.array([1e12])).left_out).all()
