"""Descent on pairs against an interior-point method, and what it promises to keep."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, LOSSES
from largemargin.problem.value_losses import Pinball, Tube
from largemargin.solvers import Run, pairs, solve
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.pairs import PairDescent, descend_on_pairs, solve_in_pairs
from oracle import solve_qp

# More than two blocks, the last one not full.
N_ROWS = 600


def problem_of(
    C,
    fit_intercept=True,
    lambdas=(0.0, 0.0),
    n_rows=N_ROWS,
    dtype=np.float64,
    loss=HINGE,
):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 3))
    X[:10] = X[10:20]
    y = np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n_rows) > 1.5, 1.0, -1.0)
    weight = rng.uniform(0.2, 3.0, n_rows)
    design = GramDesign(rbf_kernel(X, gamma=0.3).astype(dtype))
    targets, prices = Targets.of_classes(y), Prices(C, *lambdas)
    return Problem(design, targets, weight, prices, fit_intercept, loss)


@pytest.mark.parametrize(
    "loss", ["hinge", pytest.param("squared_hinge", marks=pytest.mark.needs_jit)]
)
@pytest.mark.parametrize("lambdas", [(0.0, 0.0), (2**-4, 2**-4), (0.0, 0.2)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.05, 1.0, pytest.param(50.0, marks=pytest.mark.needs_jit)])
def test_pairs_reach_the_objective_of_the_qp(C, fit_intercept, lambdas, loss):
    problem = problem_of(C, fit_intercept, lambdas, n_rows=150, loss=LOSSES[loss])
    solution = solve_in_pairs(problem, Run(1e-4, 100))
    gram, prices = problem.design.gram_matrix, (C, *lambdas)
    *_, optimum = solve_qp(gram, problem.sign, problem.weight, *prices, fit_intercept, loss)
    assert solution.converged
    excess = solution.certificate.primal - optimum
    assert -1e-8 * abs(optimum) <= excess <= solution.certificate.gap + 1e-8 * abs(optimum)
    assert_allclose(gram @ solution.w + solution.offset, problem.sign * solution.margins)


VALUE_LOSSES = {"tube": Tube(0.3), "no tube": Tube(0.0), "quantile": Pinball(0.8)}


def values_of(C, loss, fit_intercept=True, n_rows=N_ROWS, dtype=np.float64, **prices):
    """Return a problem of values on the rows of a problem of classes."""
    problem = problem_of(C, fit_intercept, n_rows=n_rows, dtype=dtype, loss=loss)
    rng = np.random.default_rng(2)
    values = problem.design.gram_matrix.sum(axis=0) / 50 + rng.standard_t(3, n_rows)
    targets = Targets.of_values(values.astype(float))
    return replace(problem, targets=targets, prices=Prices(C, **prices))


@pytest.mark.parametrize("loss", LOSSES | VALUE_LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_lower_the_dual_and_keep_bounds_balance_and_scores(
    fit_intercept, dtype, loss
):
    if loss in LOSSES:
        problem = problem_of(2.0, fit_intercept, dtype=dtype, loss=LOSSES[loss])
    else:
        problem = values_of(2.0, VALUE_LOSSES[loss], fit_intercept, dtype=dtype)
    gram, ridge = problem.design.gram_matrix, problem.ridge / problem.weight
    metric = gram.astype(float) + np.diag(ridge)
    state = PairDescent(problem, None)
    pulls, values = state.wanted.copy(), []
    low, between, high, reach = state.bounds
    for _ in range(40):
        forces = state.forces
        value = 0.5 * forces @ metric @ forces - state.wanted @ forces
        values.append(value + reach @ np.abs(forces - between))
        descend_on_pairs(
            gram,
            state.diagonal,
            state.ridge,
            state.bounds,
            forces,
            pulls,
            fit_intercept,
            7,
        )
    assert (np.diff(values) < 0).all()
    assert (low <= state.forces).all()
    assert (state.forces <= high).all()
    assert_allclose(pulls, state.wanted - metric @ state.forces, atol=1e-10)
    if fit_intercept:
        assert abs(state.forces.sum()) < 1e-10


@pytest.mark.parametrize("loss", VALUE_LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lambdas", [{}, {"lambda_var": 0.1}, {"lambda_square": 0.1}])
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_pairs_of_values_end_where_newtons_method_does(C, lambdas, fit_intercept, loss):
    problem = values_of(C, VALUE_LOSSES[loss], fit_intercept, n_rows=150, **lambdas)
    found = solve_in_pairs(problem, Run(1e-4, 100))
    _, features = problem.design.on_features()
    exact = solve_newton(problem.on(features), Run(1e-10, 500))
    assert found.converged
    assert exact.converged
    excess = found.certificate.primal - exact.certificate.primal
    rounding = 1e-8 * found.certificate.scale
    assert -rounding <= excess <= found.certificate.gap + rounding


def test_forces_that_an_intercept_must_balance_move_few_rows():
    problem = problem_of(1.0, lambdas=(0.0, 0.5))
    state = PairDescent(problem, None)
    assert abs((state.forces + state.rest).sum()) < 1e-12
    assert np.count_nonzero(state.forces) <= 2


@pytest.mark.parametrize("reward", [0.5, 300.0])
def test_rows_without_a_bound_share_what_an_intercept_must_balance(reward):
    problem = problem_of(1.0, lambdas=(0.0, reward), loss=LOSSES["squared_hinge"])
    state = PairDescent(problem, None)
    imbalance = state.rest.sum()
    assert abs((state.forces + state.rest).sum()) < 1e-12 * abs(imbalance)
    helps = problem.sign * imbalance < 0
    assert_allclose(state.beta[helps], abs(imbalance) / problem.weight[helps].sum())
    assert not state.beta[~helps].any()


def test_tangents_that_no_forces_can_balance_leave_no_certificate():
    problem = problem_of(1e-6, lambdas=(2**-4, 0.9))
    solution = solve_in_pairs(problem, Run(1e-4, 5))
    assert solution.certificate.gap == np.inf
    assert not solution.converged


def test_a_descent_that_takes_too_long_is_left(monkeypatch):
    monkeypatch.setattr(pairs, "MAX_STEPS_PER_ROW", 1)
    solution = solve_in_pairs(problem_of(1e4), Run(1e-4, 100))
    assert not solution.converged
    assert solution.certificate.gap > 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_forces_far_below_their_bounds_are_kept(fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    X[:, 0] += np.where(X[:, 0] > 0, 0.5, -0.5)
    y = np.sign(X[:, 0])
    design = GramDesign(1e10 * X @ X.T)
    problem = Problem(
        design, Targets.of_classes(y), np.ones(400), Prices(1e6), fit_intercept
    )
    soft = solve_in_pairs(problem, Run(1e-2, 30))
    hard = solve(problem.at(Prices(np.inf)), "kernel_dual", tol=1e-8)
    # Never below the optimum by more than is left, and never sure of what is wrong.
    assert soft.certificate.primal >= hard.certificate.primal * (1 - 1e-6)
    assert not soft.converged or soft.certificate.primal <= 1.02 * hard.certificate.primal


def test_scores_that_drifted_are_not_believed(monkeypatch):
    problem = problem_of(1.0)
    original = PairDescent.certify

    def drifted(state):
        found = original(state)
        scores = found.point.scores + 1e-3
        return found._replace(point=found.point._replace(scores=scores))

    monkeypatch.setattr(PairDescent, "certify", drifted)
    assert not solve_in_pairs(problem, Run(1e-2, 100)).converged


@pytest.mark.parametrize("lambda_var", [0.0, 0.01])
@pytest.mark.parametrize("C", [0.0, 1.0])
def test_rows_that_are_all_zero_leave_the_intercept_alone(C, lambda_var):
    design = GramDesign(np.zeros((400, 400)))
    y = np.where(np.arange(400) < 150, 1.0, -1.0)
    solution = solve(
        Problem(design, Targets.of_classes(y), np.ones(400), Prices(C, lambda_var)),
        "kernel_dual",
        tol=1e-6,
    )
    assert solution.converged
    assert np.isfinite(solution.certificate.primal)
