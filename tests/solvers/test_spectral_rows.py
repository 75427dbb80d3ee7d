"""The equivalent SVM on rows of the spectrum: the same machine without an inverse."""

import numpy as np
import pytest

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.solvers.equivalent_svm import equivalent_kernel
from largemargin.solvers.solution import Memory, Run
from largemargin.solvers.spectral_rows import (
    solve_on_spectrum,
    spectral_rows,
    spectrum_can_solve,
)
from oracle import solve_qp


def posed(n_features=60, loss=HINGE, fit_intercept=True, prices=None):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, n_features))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(40) > 0.3, 1.0, -1.0)
    weight = rng.uniform(0.5, 2.0, 40)
    prices = prices or Prices(1.0, 50.0, 2.0)
    design, targets = GramDesign(X @ X.T), Targets.of_classes(y)
    return Problem(design, targets, weight, prices, fit_intercept, loss)


def run_of_many(tol=1e-4):
    return Run(tol, 500, memory=Memory(n_spreads=20))


# With four features, most eigenvalues of the Gram matrix are rounding errors.
@pytest.mark.parametrize("n_features", [4, 60])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_products_of_the_rows_are_the_matrix_of_the_equivalent_svm(
    n_features, fit_intercept
):
    problem = posed(n_features, fit_intercept=fit_intercept)
    kernel, svm = equivalent_kernel(problem), spectral_rows(problem)
    np.testing.assert_allclose(svm.rows @ svm.rows.T, kernel.matrix, atol=1e-12)
    assert svm.rows.shape[1] <= n_features + 2
    if fit_intercept:
        forces = np.random.default_rng(1).standard_normal(40)
        found = svm.intercept @ (forces @ svm.rows)[-2:]
        assert found == pytest.approx(kernel.intercept @ forces, rel=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("loss", "name"), [(HINGE, "hinge"), (SQUARED_HINGE, "squared_hinge")]
)
def test_the_solution_is_as_close_to_the_optimum_as_certified(loss, name, fit_intercept):
    problem = posed(loss=loss, fit_intercept=fit_intercept)
    found = solve_on_spectrum(problem, run_of_many()).examined(problem, 1e-4)
    prices = problem.prices[:3]
    gram = problem.design.gram_matrix
    parts = gram, problem.sign, problem.weight, *prices, fit_intercept, name
    optimum = solve_qp(*parts)[2]
    primal, gap, scale = found.certificate
    assert gap <= 1e-4 * scale
    assert -1e-9 * scale <= primal - optimum <= gap + 1e-9 * scale


@pytest.mark.parametrize(
    "prices",
    [
        Prices(1.0),
        Prices(np.inf, 1.0),
        Prices(1.0, 1.0, lambda_square=1.0),
        Prices(1.0, 1.0, intercept=0.1),
    ],
)
def test_other_problems_are_left_to_the_inverse(prices):
    assert not spectrum_can_solve(posed(prices=prices), run_of_many())


def test_few_prices_share_no_spectrum():
    assert spectrum_can_solve(posed(), run_of_many())
    assert not spectrum_can_solve(posed(), Run(1e-4, 500))


def test_descent_that_is_slow_is_given_up():
    problem = posed(prices=Prices(1e4, 1e-3, 0.0))
    assert solve_on_spectrum(problem, Run(1e-5, 1, memory=Memory(n_spreads=20))) is None
