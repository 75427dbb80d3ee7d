"""Tubes that no residual may leave, against an interior-point method."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin import LDMRegressor, LinearLDMRegressor
from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.checks import OutsideTube
from largemargin.problem.value_losses import HardTube
from largemargin.solvers.hard_tube import solve_hard_tube
from oracle import solve_as_tightly_as_possible


def rows_and_values(n_rows=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    return X, X @ rng.normal(size=5) + rng.uniform(-1, 1, n_rows) + 7.0


def least_objective(X, y, weight, epsilon, lambda_var, lambda_square, fit_intercept):
    """Return the optimum over w and b of the programme written out."""
    columns = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X
    share = weight / weight.sum()
    centred, distances = columns - share @ columns, y - share @ y
    quadratic = 4 * lambda_var * centred.T @ (share[:, None] * centred)
    quadratic += 2 * lambda_square * columns.T @ (share[:, None] * columns)
    quadratic[np.arange(X.shape[1]), np.arange(X.shape[1])] += 1.0
    linear = -4 * lambda_var * centred.T @ (share * distances)
    linear -= 2 * lambda_square * columns.T @ (share * y)
    constant = 2 * lambda_var * share @ distances**2 + lambda_square * share @ y**2
    sides, limits = np.vstack([columns, -columns]), np.concatenate([y, -y]) + epsilon
    answer = solve_as_tightly_as_possible(
        (
            sp.triu(sp.csc_matrix(quadratic), format="csc"),
            linear,
            sp.csc_matrix(sides),
            limits,
            [clarabel.NonnegativeConeT(len(limits))],
        )
    )
    return answer.obj_val + constant


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambdas", [(0.0, 0.0), (3.0, 0.0), (0.0, 3.0), (1.0, 2.0)])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_the_certificate_bounds_the_distance_from_the_optimum(tol, lambdas, fit_intercept):
    X, y = rows_and_values()
    y = y if fit_intercept else y - 7.0
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(y))
    prices = Prices(np.inf, lambda_var=lambdas[0], lambda_square=lambdas[1])
    rest = Targets.of_values(y), weight, prices, fit_intercept, HardTube(1.1)
    found = solve_hard_tube(Problem(DenseDesign(X), *rest), "auto", tol=tol)
    optimum = least_objective(X, y, weight, 1.1, *lambdas, fit_intercept)
    assert found.converged
    assert np.abs(found.margins).max() <= 1.1
    excess, rounding = found.certificate.primal - optimum, 1e-9 * found.certificate.scale
    assert -rounding <= excess <= found.certificate.gap + rounding


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("epsilon", [0.02, 0.5])
def test_every_row_is_inside_the_tube_of_a_kernel_machine(epsilon, tol):
    X, y = rows_and_values(150)
    model = LDMRegressor(C=np.inf, epsilon=epsilon, tol=tol, gamma=0.2).fit(X, y)
    assert np.abs(model.predict(X) - y).max() <= epsilon
    assert model.duality_gap_ <= tol


def test_a_price_larger_than_all_dual_variables_gives_the_same_machine():
    X, y = rows_and_values()
    options = {"epsilon": 1.1, "lambda_var": 0, "lambda_square": 0, "tol": 1e-9}
    hard = LinearLDMRegressor(C=np.inf, **options).fit(X, y)
    soft = LinearLDMRegressor(C=10 * np.abs(hard.dual_beta_).max(), **options).fit(X, y)
    assert_allclose(hard.coef_, soft.coef_, atol=1e-4)


def test_a_tube_that_no_function_can_follow_is_refused():
    X, y = rows_and_values()
    with pytest.raises(OutsideTube, match=r"C=inf asks .* epsilon=0\.2, but"):
        LinearLDMRegressor(C=np.inf, epsilon=0.2).fit(X, y)
    two_values = np.arange(60) % 2
    with pytest.raises(OutsideTube, match=r"of every function is 0\.5"):
        LDMRegressor(C=np.inf, epsilon=0.4).fit(np.ones((60, 3)), two_values)


@pytest.mark.parametrize("options", [{"epsilon": 0}, {"loss": "quantile"}])
def test_an_infinite_price_needs_a_tube(options):
    X, y = rows_and_values()
    with pytest.raises(ValueError, match="C=inf keeps every row inside a tube"):
        LDMRegressor(C=np.inf, **options).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_widest_slack_is_tried_before_rows_stay_outside():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.normal(size=200)  # noise, hardly within reach
    machine = LDMRegressor(np.inf, epsilon=0.1, gamma=0.02, lambda_var=1.0, tol=1e-4)
    assert np.abs(machine.fit(X, y).predict(X) - y).max() <= 0.1
