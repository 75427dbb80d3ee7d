"""The smoothed problem: its intercept, its Newton systems, its first step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.gram import GramDesign
from largemargin.problem.losses import HINGE, Band
from small_problems import EpsilonInsensitive, classes_on_rows


@pytest.mark.parametrize("loss", [HINGE, EpsilonInsensitive(0.3), Band(0.5, 0.1)], ids=str)
@pytest.mark.parametrize("lambda_var", [0.0, 0.5])
def test_at_the_centred_intercept_the_forces_balance(loss, lambda_var):
    problem = classes_on_rows(prices=(1.0, lambda_var, 0.3, 0.0, 0.2), loss=loss)
    smoothed = problem.smoothed()
    smoothed.look(0.5)
    forces = problem.forces(smoothed.beta, smoothed.point.margins)
    assert_allclose(forces.sum(), 0.2, atol=1e-12)


def test_newton_steps_solve_the_smoothed_problem():
    problem = classes_on_rows()
    smoothed = problem.smoothed()
    squares = []
    for _ in range(8):
        squares.append(smoothed.look(1.0).slope_square)
        smoothed.step(1.0, 0.0)
    assert squares[-1] <= 1e-20 * squares[0]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambda_var", [0, 0.5])
def test_a_newton_system_is_solved(fit_intercept, lambda_var):
    problem = classes_on_rows(prices=(1.0, lambda_var, 0.3), fit_intercept=fit_intercept)
    extra = np.where(np.arange(30) < 12, problem.weight, 0.0)
    curvature = problem.smoothed().curvature(extra)
    X = problem.design.X
    matrix = np.diag(problem.weight * problem.spread + extra)
    for downdate in curvature.downdates:
        matrix -= np.outer(downdate, downdate)
    # The intercept and a common shift of the margins must not be felt.
    if fit_intercept:
        assert_allclose(matrix @ np.ones(30), 0, atol=1e-12)
    target = np.arange(1.0, 5.0)
    step = problem.design.newton_system(curvature)(target, 1e-10)
    assert_allclose(step + X.T @ (matrix @ (X @ step)), target)


def test_kernel_and_row_systems_give_the_same_step():
    rows = classes_on_rows(prices=(1.0, 0.0, 0.3))
    kernel = rows.on(GramDesign(rows.design.X @ rows.design.X.T))
    extra = np.where(np.arange(30) < 12, 2.0, 0.0)
    alpha = np.random.default_rng(0).normal(size=30)
    in_kernel = kernel.design.newton_system(kernel.smoothed().curvature(extra))(
        alpha, 1e-10
    )
    w = rows.design.combine(alpha)
    in_rows = rows.design.newton_system(rows.smoothed().curvature(extra))(w, 1e-10)
    assert_allclose(rows.design.combine(in_kernel), in_rows, rtol=1e-8)
