"""Problems without a solution are refused."""

import numpy as np
import pytest

from largemargin.designs.dense import DenseDesign
from largemargin.problem import NoMinimum, NotSeparable, Prices, Problem, Targets
from largemargin.problem.checks import refuse_overflow, refuse_unbounded, refuse_unseparable
from largemargin.problem.losses import HINGE, Band
from largemargin.solvers import solve
from small_problems import DESIGNS, EpsilonInsensitive, HingeAt, classes_on_rows


def falls_without_end(problem):
    """Return whether the objective at w = 0 falls as the intercept goes far away."""
    zeros = np.zeros(problem.design.n_rows)
    ends = []
    for offset in (-2e6, -1e6, 1e6, 2e6):
        margins = problem.margins(zeros, offset)
        ends.append(problem.terms(margins, offset, zeros, 0.0).primal)
    return ends[0] < ends[1] or ends[3] < ends[2]


@pytest.mark.parametrize("C", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("lambda_var", [0.0, 0.1])
@pytest.mark.parametrize("lambda_mean", [0.0, 1.0, 100.0])
def test_an_objective_that_falls_without_end_is_refused(C, lambda_var, lambda_mean):
    problem = classes_on_rows(prices=(C, lambda_var, lambda_mean))
    if falls_without_end(problem):
        with pytest.raises(NoMinimum, match="no minimum"):
            refuse_unbounded(problem)
    else:
        refuse_unbounded(problem)


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_weights_that_leave_no_room_for_squares_are_refused(scale):
    problem = classes_on_rows()
    refuse_overflow(problem)
    targets, prices = problem.targets, problem.prices
    scaled = Problem(problem.design, targets, scale * problem.weight, prices)
    with pytest.raises(ValueError, match=r"C=1, lambda_var=0.5, .*Scale the weights"):
        refuse_overflow(scaled)


def test_two_combinations_that_meet_prove_that_nothing_separates():
    X = np.array([[-1.0], [1.0], [0.0]])  # the third row lies between the other two
    targets, weight = Targets.of_classes(np.array([1.0, 1.0, -1.0])), np.ones(3)
    problem = Problem(DenseDesign(X), targets, weight, Prices(np.inf))
    refuse_unseparable(problem, np.array([1.0, 0.0, 1.0]))
    with pytest.raises(NotSeparable, match="cannot be separated"):
        refuse_unseparable(problem, np.array([1.0, 1.0, 2.0]))


@pytest.mark.parametrize("solver", ["auto", "kernel_dual", "newton"])
@pytest.mark.parametrize("loss", [EpsilonInsensitive(1.0), HingeAt(0.0), Band()])
def test_losses_without_a_kink_above_zero_have_no_hard_margin(loss, solver):
    X, sign = np.array([[1.0], [-2.0]]), np.array([1.0, -1.0])
    design = DESIGNS["gram" if solver == "kernel_dual" else "dense"](X)
    targets, prices = Targets.of_classes(sign), Prices(np.inf)
    problem = Problem(design, targets, np.ones(2), prices, True, loss)
    with pytest.raises(ValueError, match=r"C=inf asks for .* got .*Use a finite C"):
        solve(problem, solver, tol=1e-6)


def test_values_have_no_hard_margin():
    targets = Targets.of_values(np.array([1.0, 2.0]))
    design = DenseDesign(np.array([[1.0], [3.0]]))
    problem = Problem(design, targets, np.ones(2), Prices(np.inf), True, HINGE)
    with pytest.raises(ValueError, match="a hard margin, which only classes have"):
        solve(problem, "auto", tol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["dense", "gram"])
def test_rows_that_are_all_zero_are_not_separable(kind, fit_intercept):
    targets = Targets.of_classes(np.array([1.0, -1.0, 1.0]))
    design = DESIGNS[kind](np.zeros((3, 2)))
    problem = Problem(design, targets, np.ones(3), Prices(np.inf), fit_intercept)
    with pytest.raises(NotSeparable):
        solve(problem, "auto", tol=1e-6)


@pytest.mark.parametrize("lambda_var", [0.0, 5.0])
@pytest.mark.parametrize("kind", ["dense", "gram"])
def test_a_price_that_draws_the_intercept_away_is_refused(kind, lambda_var):
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((30, 3)), rng.uniform(0.3, 3.0, 30)
    values = X @ [1.0, -2.0, 0.5] + 7.0
    loss = EpsilonInsensitive(0.3)
    for sign in -1, 1:
        prices = Prices(1.0, lambda_var, intercept=sign * (weight.sum() + 1.0))
        targets = Targets.of_values(values)
        problem = Problem(DESIGNS[kind](X), targets, weight, prices, True, loss)
        with pytest.raises(NoMinimum, match="no minimum"):
            solve(problem, "auto", tol=1e-4)
