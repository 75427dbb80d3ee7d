"""The certificate of a solution at other prices, against the problem at those prices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.problem.other_prices import OtherPrices
from largemargin.solvers import solve

LOSSES = pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE], ids=str)
PRICES = [(0.0, 0.0), (2**-4, 2**-4), (0.0, 3.0), (5.0, 0.0), (40.0, 20.0)]


@pytest.fixture(params=["rows", "kernel"])
def design(request):
    X = np.random.default_rng(0).normal(size=(150, 4))
    return DenseDesign(X) if request.param == "rows" else GramDesign(rbf_kernel(X))


def problem_on(design, fit_intercept, loss=HINGE):
    rng = np.random.default_rng(1)
    y = np.where(rng.random(150) < 0.3, 1.0, -1.0)
    weight = rng.uniform(0.2, 3.0, 150)
    targets, prices = Targets.of_classes(y), Prices(2.0, 0.1, 0.2)
    return Problem(design, targets, weight, prices, fit_intercept, loss)


@LOSSES
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_at_its_own_prices_a_solution_keeps_its_certificate(design, fit_intercept, loss):
    problem = problem_on(design, fit_intercept, loss)
    solution = solve(problem, "auto", tol=1e-5)
    told = OtherPrices(problem, solution).certify(Prices(2.0, 0.1, 0.2))
    assert_allclose(told.primal, solution.certificate.primal, rtol=1e-12)
    assert told.gap <= 1.5 * solution.certificate.gap + 1e-12 * told.scale


@LOSSES
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", PRICES)
def test_at_other_prices_it_tells_the_objective_and_a_bound(
    design, fit_intercept, prices, loss
):
    problem = problem_on(design, fit_intercept, loss)
    solution = solve(problem, "auto", tol=1e-5)
    told = OtherPrices(problem, solution).certify(Prices(2.0, *prices))
    other = problem.at(Prices(2.0, *prices))
    best = solve(other, "auto", tol=1e-9)
    found = other.examine(solution.w, solution.offset, solution.beta)
    certificate = found.certificate
    assert_allclose(told.primal, certificate.primal, rtol=1e-10)
    assert_allclose(told.scale, certificate.scale, rtol=1e-10)
    assert told.primal - told.gap <= best.certificate.primal + 1e-9 * told.scale


def test_without_room_to_balance_the_forces_nothing_is_certified(design):
    problem = problem_on(design, True)
    solution = solve(problem, "auto", tol=1e-5)
    assert np.isinf(OtherPrices(problem, solution).certify(Prices(2.0, 0.0, 1e6)).relative)


@LOSSES
def test_the_gap_is_that_of_the_shifted_dual_variables(design, loss):
    problem = problem_on(design, True, loss)
    solution = solve(problem, "auto", tol=1e-3)
    others, prices = OtherPrices(problem, solution), Prices(2.0, 0.3, 0.6)
    told, shift = others.certify(prices), others._mixture(prices)[-1]
    floor, cap = problem.box
    slack = np.minimum(solution.beta - floor, cap - solution.beta)
    beta = solution.beta - shift * problem.sign * slack
    other, point = (
        problem.at(prices),
        problem.point(solution.w, solution.scores, solution.offset),
    )
    assert abs(other.forces(beta, point.margins).sum()) < 1e-9
    slope = other.slope(point, beta)
    wanted = other.certify(point, beta, slope, design.inner(slope, slope))
    assert shift != 0
    assert_allclose(told.gap, wanted.gap, rtol=1e-9)


@LOSSES
def test_a_solution_is_good_at_near_prices_and_bad_at_far_ones(design, loss):
    problem = problem_on(design, True, loss)
    nearby = OtherPrices(problem, solve(problem, "auto", tol=1e-6))
    assert nearby.certify(Prices(2.0, 0.1001, 0.2001)).relative <= 1e-4
    assert nearby.certify(Prices(2.0, 40.0, 0.2)).relative > 1e-2
