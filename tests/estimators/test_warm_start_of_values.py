"""Regressors start from their last fit, whatever has changed since."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from largemargin import LDMRegressor, LinearLDMRegressor
from machines import fixed_regressor

NO_SQUARES = {"lambda_var": 0.0, "lambda_square": 0.0}
QUANTILE = {"loss": "quantile", "quantile": 0.8, **NO_SQUARES}
KINDS = LDMRegressor, LinearLDMRegressor


@pytest.mark.parametrize("options", [{}, NO_SQUARES, QUANTILE], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_at_a_neighbouring_price_takes_fewer_steps(kind, options, values):
    X, y = values
    cold = fixed_regressor(kind, 1.1, **options).fit(X, y)
    warm = fixed_regressor(kind, 1.0, warm_start=True, **options).fit(X, y)
    warm.set_params(C=1.1).fit(X, y)
    assert warm.n_iter_ < cold.n_iter_
    assert warm.duality_gap_ <= warm.tol
    assert warm.fit(X, y).n_iter_ <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_no_change_leaves_a_trace_of_the_last_fit(kind, values):
    X, y = values
    Y = np.column_stack([y, -2 * y])
    machine = fixed_regressor(kind, warm_start=True, tol=1e-11, **NO_SQUARES)
    changes = [
        ({}, X, y),
        ({"loss": "quantile", "quantile": 0.8}, X, y),
        ({"quantile": [0.2, 0.7]}, X, y),  # two machines, as of two outputs
        ({"loss": "epsilon_insensitive", "quantile": 0.5}, X, Y),
        ({"C": 100.0, "epsilon": 1.0}, X, 1000 * Y),
        ({"C": 0.01, "lambda_var": 5.0}, X, Y[:, :1]),  # one machine, as without columns
        ({"lambda_square": 2.0, "fit_intercept": False}, X, y),
        ({"fit_intercept": True}, X[:50], y[:50]),
        ({"C": 0.0}, X[:50, :3], y[:50]),
        ({"C": 1.0, "lambda_var": 0.0, "lambda_square": 0.0}, X, y[::-1]),
    ]
    for parameters, rows, targets in changes:
        warm = machine.set_params(**parameters).fit(rows, targets)
        cold = clone(machine).fit(rows, targets)
        size = np.abs(targets).max()
        assert warm.predict(rows).shape == cold.predict(rows).shape
        assert_allclose(warm.predict(rows) / size, cold.predict(rows) / size, atol=1e-5)
        assert np.shape(warm.dual_beta_) == np.shape(cold.dual_beta_)


def test_weights_that_change_leave_no_trace_of_the_last_fit(values):
    X, y = values
    machine = fixed_regressor(LDMRegressor, warm_start=True, tol=1e-11)
    for weight in None, np.arange(len(y)) % 3, 1.0 + np.arange(len(y)) % 2:
        warm, cold = machine.fit(X, y, weight), clone(machine).fit(X, y, weight)
        assert_allclose(warm.predict(X), cold.predict(X), atol=1e-5)


def test_a_fit_after_a_stream_is_a_fit(values):
    X, y = values
    machine = fixed_regressor(LinearLDMRegressor, warm_start=True, tol=1e-11)
    machine.fit(X, y).partial_fit(X, 2 * y)
    assert_allclose(machine.fit(X, y).coef_, clone(machine).fit(X, y).coef_, atol=1e-5)
