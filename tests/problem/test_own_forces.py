"""Forces as a dual point: the gap is the primal minus the dual, computed elsewhere."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE, dual_step
from largemargin.problem.own_forces import certify_by_own_forces, split_forces
from oracle import solve_least_qp
from small_problems import EpsilonInsensitive

N_ROWS = 30
LOSSES = pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=str)
INTERCEPTS = pytest.mark.parametrize("fit_intercept", [True, False])
PRICES = pytest.mark.parametrize(
    "prices",
    [
        Prices(1.0, 5.0, 1.0),
        Prices(3.0, 0.1, 0.0),
        Prices(1.0, 0.0, 1.0, lambda_square=4.0),
        Prices(2.0, 3.0, 0.5, lambda_square=0.7),
    ],
)


def problem_of(prices, fit_intercept, loss):
    """Return a problem of two weighted classes on an rbf kernel."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(N_ROWS, 2)), rng.uniform(0.3, 3.0, N_ROWS)
    targets = Targets.of_classes(rng.choice([-1.0, 1.0], N_ROWS))
    return Problem(GramDesign(rbf_kernel(X)), targets, weight, prices, fit_intercept, loss)


def forces_of(problem, seed=1):
    """Return forces of a dual point that is nowhere near the optimum."""
    rng, price = np.random.default_rng(seed), problem.prices.C
    beta, tangent = rng.uniform(0.1, 0.9, N_ROWS) * price, rng.normal(size=N_ROWS)
    forces = problem.forces(beta, tangent)
    if problem.fit_intercept:
        # Balance them by the classes' shares, which leaves beta positive.
        signed = problem.sign * forces
        sums = [forces[problem.sign == one].sum() for one in (1.0, -1.0)]
        excess, smaller = sum(sums), problem.sign == (-1.0 if sum(sums) > 0 else 1.0)
        share = problem.weight * smaller / problem.weight[smaller].sum()
        forces = problem.sign * (signed + abs(excess) * share)
        assert abs(forces.sum()) < 1e-12
    return forces


def point_of(problem, forces):
    offset = 0.3 if problem.fit_intercept else 0.0
    return problem.point(forces, problem.design.scores(forces), offset)


def primal_of(problem, point):
    """Return the objective, written out."""
    margins, weight, prices = point.margins, problem.weight, problem.prices
    mean = np.average(margins, weights=weight)
    variance = np.average((margins - mean) ** 2, weights=weight)
    squares = prices.lambda_square * np.average(margins**2, weights=weight)
    power = 2 if problem.loss == SQUARED_HINGE else 1
    loss = prices.C * weight @ np.maximum(1.0 - margins, 0.0) ** power
    norm = 0.5 * point.w @ problem.design.gram_matrix @ point.w
    return (
        norm + 2 * prices.lambda_var * variance + squares - prices.lambda_mean * mean + loss
    )


def dual_of(problem, forces):
    """Return the dual function of the forces, its minimum over margins by a QP.

    The variables are the margins minus one and the slacks.
    """
    weight, prices, eye = problem.weight, problem.prices, np.eye(N_ROWS)
    share = weight / weight.sum()
    squares = 4 * prices.lambda_var * (np.diag(share) - np.outer(share, share))
    squares += 2 * prices.lambda_square * np.diag(share)
    slope = problem.sign * forces - prices.lambda_mean * share
    is_squared = problem.loss == SQUARED_HINGE
    of_slacks = 2.0 * prices.C * np.diag(weight) * is_squared
    zeros = np.zeros((N_ROWS, N_ROWS))
    quadratic = np.block([[squares, zeros], [zeros, of_slacks]])
    from_one = squares @ np.ones(N_ROWS)
    linear = np.r_[slope + from_one, prices.C * weight * (not is_squared)]
    x = solve_least_qp(quadratic, linear, nonnegative=np.block([[eye, eye], [zeros, eye]]))
    least = 0.5 * x @ quadratic @ x + linear @ x + slope.sum() + 0.5 * from_one.sum()
    return least - 0.5 * forces @ problem.design.gram_matrix @ forces


@LOSSES
@INTERCEPTS
@PRICES
def test_the_gap_is_the_primal_minus_the_dual(prices, fit_intercept, loss):
    problem = problem_of(prices, fit_intercept, loss)
    point = point_of(problem, forces_of(problem))
    certificate = certify_by_own_forces(problem, point).certificate
    primal = primal_of(problem, point)
    assert_allclose(certificate.primal, primal, rtol=1e-12)
    difference = primal - dual_of(problem, point.w)
    assert_allclose(certificate.gap, difference, rtol=1e-6, atol=1e-6 * abs(primal))


@LOSSES
@INTERCEPTS
@PRICES
def test_the_parts_add_up_to_the_forces_and_the_tangent_asks_for_the_pulls(
    prices, fit_intercept, loss
):
    problem = problem_of(prices, fit_intercept, loss)
    forces = forces_of(problem)
    rng = np.random.default_rng(2)
    smoothing = loss.smoothing(rng.uniform(0, 1, N_ROWS) * prices.C, 2.0, prices.C)
    split = split_forces(problem, forces, smoothing)
    assert_allclose(problem.forces(split.beta, split.tangent), forces, atol=1e-9)
    beta, extra = dual_step(split.tangent, smoothing, problem.weight)
    assert_allclose(split.beta, beta, atol=1e-8)
    away = np.abs(beta - np.clip(beta, 1e-6, problem.box[1] - 1e-6)) == 0
    assert_allclose(split.extra[away], extra[away])


@LOSSES
def test_forces_that_do_not_balance_are_no_dual_point(loss):
    problem = problem_of(Prices(1.0, 5.0, 1.0), True, loss)
    forces = forces_of(problem)
    assert np.isfinite(certify_by_own_forces(problem, point_of(problem, forces))[2].gap)
    forces[0] += 1e-3
    assert certify_by_own_forces(problem, point_of(problem, forces))[2].gap == np.inf


def test_forces_beyond_the_reach_of_the_pulls_are_no_dual_point():
    # Without slopes of squares about zero, the mean pull is between zero and C.
    problem = problem_of(Prices(1.0, 5.0, 0.0), False, HINGE)
    for mean_pull, is_dual in (0.5, True), (-0.1, False), (1.1, False):
        forces = mean_pull * problem.sign * problem.weight
        gap = certify_by_own_forces(problem, point_of(problem, forces)).certificate.gap
        assert np.isfinite(gap) == is_dual


@LOSSES
def test_a_common_shift_of_the_margins_costs_nothing_without_squares_about_zero(loss):
    problem = problem_of(Prices(1.0, 5.0, 1.0), True, loss)
    found = certify_by_own_forces(problem, point_of(problem, forces_of(problem)))
    assert_allclose(problem.mean(found.tangent), problem.mean(found.point.margins))


def test_values_have_forces_too():
    rng = np.random.default_rng(0)
    X, values = rng.normal(size=(N_ROWS, 2)), rng.normal(size=N_ROWS)
    prices, loss = Prices(1.0, 0.0, 0.0, lambda_square=1.0), EpsilonInsensitive(0.2)
    targets, weight = Targets.of_values(values), np.ones(N_ROWS)
    problem = Problem(GramDesign(rbf_kernel(X)), targets, weight, prices, False, loss)
    point = point_of(problem, 0.3 * values)
    found = certify_by_own_forces(problem, point)
    # The least over each margin, on a grid, of the losses and the squared terms.
    grid = np.linspace(-20.0, 20.0, 400_001)
    shared = np.maximum(np.abs(grid) - 0.2, 0.0) + grid**2 / N_ROWS
    dual = sum((shared + a * grid).min() for a in point.w) + point.w @ values
    dual -= 0.5 * point.w @ problem.design.gram_matrix @ point.w
    assert_allclose(found.certificate.gap, found.certificate.primal - dual, rtol=1e-5)
