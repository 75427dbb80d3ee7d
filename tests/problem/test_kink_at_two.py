"""A loss added as docs/add_a_loss.md describes: the hinge with its kink at 2.

Every solver that supports the loss finds the optimum of a quadratic programme, in
which the kink is a parameter; the others refuse.
"""

from functools import cache

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs.base import Design, MissingCapability
from largemargin.problem import NotSeparable, Prices, Problem, Targets
from largemargin.problem.certificate import examine_kept
from largemargin.problem.losses import Band
from largemargin.solvers import SOLVERS, Start, kernel_dual, solve
from oracle import solve_as_tightly_as_possible
from small_problems import DESIGNS, EpsilonInsensitive, HingeAt

# Which solvers serve rows, and which a Gram matrix.
ON_ROWS, ON_GRAM = ("auto", "newton", "dual_cd"), ("auto", "kernel_dual", "dual_cd")
PAIRS = [(kind, one) for kind in DESIGNS if kind != "gram" for one in ON_ROWS]
PAIRS += [("gram", one) for one in ON_GRAM]
# Without the compiler there is time for the sweeps over one kind of rows.
SERVED = [
    pytest.param(kind, one, marks=pytest.mark.needs_jit)
    if one == "dual_cd" and kind != "dense"
    else (kind, one)
    for kind, one in PAIRS
]
# C, lambda_var, lambda_mean
SOFT_PRICES = [(1.0, 0.0, 0.0), (1.0, 20.0, 5.0), (0.1, 0.05, 0.5), (30.0, 2.0, 0.0)]
HARD_PRICES = [(np.inf, 0.0, 0.0), (np.inf, 3.0, 0.0), (np.inf, 0.5, 2.0)]


def drawn(n_rows, weighted, apart=1.0, seed=0):
    """Return rows whose numbers fit into float32, signs and weights."""
    rng = np.random.default_rng(seed)
    sign = np.where(rng.random(n_rows) < 0.6, 1.0, -1.0)
    X = rng.standard_normal((n_rows, 3)) * (rng.random((n_rows, 3)) < 0.8)
    X = np.float32(X + apart * sign[:, None] + 0.3).astype(float)
    weight = rng.uniform(0.3, 3.0, n_rows) if weighted else np.ones(n_rows)
    return X, sign, weight


def solve_hinge(X, sign, weight, prices, fit_intercept, kink):
    """Return w, b and the optimum of the quadratic programme, a slack for each row."""
    C, lambda_var, lambda_mean = prices
    n_rows, n_features = X.shape
    columns = np.hstack([X, np.ones((n_rows, 1))]) if fit_intercept else X
    margins = sign[:, None] * columns
    n_free = margins.shape[1]
    share = weight / weight.sum()
    centred = margins - share @ margins
    quadratic = 4 * lambda_var * centred.T @ (share[:, None] * centred)
    quadratic[np.arange(n_features), np.arange(n_features)] += 1.0
    linear = -lambda_mean * (share @ margins)
    # margins + slack >= kink, slack >= 0; a hard margin has no slack
    matrix, rhs = sp.csc_matrix(-margins), -kink * np.ones(n_rows)
    if np.isfinite(C):
        quadratic = sp.block_diag([quadratic, sp.csc_matrix((n_rows, n_rows))])
        linear = np.concatenate([linear, C * weight])
        none = sp.csc_matrix((n_rows, n_free))
        matrix = sp.bmat([[matrix, -sp.eye(n_rows)], [none, -sp.eye(n_rows)]])
        rhs = np.concatenate([rhs, np.zeros(n_rows)])
    answer = solve_as_tightly_as_possible(
        (
            sp.triu(sp.csc_matrix(quadratic), format="csc"),
            linear,
            sp.csc_matrix(matrix),
            rhs,
            [clarabel.NonnegativeConeT(len(rhs))],
        )
    )
    x = np.array(answer.x)
    return x[:n_features], x[n_features] if fit_intercept else 0.0, answer.obj_val


@cache
def solve_drawn(n_rows, weighted, apart, prices, fit_intercept):
    """Return the same for drawn rows, once for all designs and solvers."""
    return solve_hinge(*drawn(n_rows, weighted, apart), prices, fit_intercept, 2.0)


def posed(kind, X, sign, weight, prices, fit_intercept, loss=None):
    targets = Targets.of_classes(sign)
    design, loss = DESIGNS[kind](X), loss or HingeAt(2.0)
    return Problem(design, targets, weight, Prices(*prices), fit_intercept, loss)


def assert_is_optimal(solution, problem, X, expected):
    w, b, optimum = expected
    assert solution.converged
    assert_allclose(solution.certificate.primal, optimum, rtol=1e-7, atol=1e-7)
    least = solution.certificate.primal - solution.certificate.gap
    assert least <= optimum + 1e-9 * abs(optimum)
    found = X.T @ solution.w if len(solution.w) == len(X) else solution.w
    assert_allclose(found, w, atol=2e-3)
    assert_allclose(problem.margins(X @ w, b), solution.margins, atol=5e-3)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", SOFT_PRICES)
@pytest.mark.parametrize(("kind", "solver"), SERVED)
def test_every_solver_finds_the_optimum(kind, solver, prices, fit_intercept, weighted):
    # More rows than kernel machines turn into features.
    X, sign, weight = drawn(kernel_dual.SMALL + 30, weighted)
    problem = posed(kind, X, sign, weight, prices, fit_intercept)
    solution = solve(problem, solver, tol=1e-9, max_iter=200_000)
    expected = solve_drawn(len(X), weighted, 1.0, prices, fit_intercept)
    assert_is_optimal(solution, problem, X, expected)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", HARD_PRICES)
@pytest.mark.parametrize(("kind", "solver"), SERVED)
def test_a_hard_margin_keeps_all_margins_above_two(kind, solver, prices, fit_intercept):
    X, sign, weight = drawn(60, True, apart=3.0)
    problem = posed(kind, X, sign, weight, prices, fit_intercept)
    solution = solve(problem, solver, tol=1e-8, max_iter=200_000)
    expected = solve_drawn(60, True, 3.0, prices, fit_intercept)
    assert_is_optimal(solution, problem, X, expected)
    assert solution.margins.min() >= 2.0


@pytest.mark.parametrize(("kind", "solver"), SERVED)
def test_classes_that_overlap_have_no_hard_margin(kind, solver):
    X, sign, weight = drawn(60, True, apart=0.1)
    problem = posed(kind, X, sign, weight, (np.inf, 0.0, 0.0), True)
    if solver == "dual_cd":  # its dual variables grow too slowly to prove it
        solution = solve(problem, solver, tol=1e-6, max_iter=1000)
        assert not solution.converged
        assert solution.certificate.gap == np.inf
        return
    with pytest.raises(NotSeparable, match="cannot be separated"):
        solve(problem, solver, tol=1e-6)


@pytest.mark.parametrize("prices", [*SOFT_PRICES, *HARD_PRICES])
@pytest.mark.parametrize(("kind", "solver"), SERVED)
def test_a_warm_start_leads_to_the_same_optimum(kind, solver, prices):
    X, sign, weight = drawn(60, True, apart=3.0)
    problem = posed(kind, X, sign, weight, prices, True)
    near = problem.at(problem.prices._replace(C=0.8 * min(prices[0], 100.0)))
    first = solve(near, "auto", tol=1e-5)
    starts = [Start(first.beta), Start(first.beta, first.w, first.offset)]
    expected = solve_drawn(60, True, 3.0, prices, True)
    for start in starts:
        solution = solve(problem, solver, tol=1e-9, max_iter=200_000, start=start)
        assert_is_optimal(solution, problem, X, expected)


@pytest.mark.parametrize(
    "weighted", [True, pytest.param(False, marks=pytest.mark.needs_jit)]
)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", SOFT_PRICES)
@pytest.mark.parametrize(
    "kind", ["dense", pytest.param("narrow", marks=pytest.mark.needs_jit), "sparse"]
)
def test_averaged_descent_closes_in_and_its_gap_bounds_the_way_left(
    kind, prices, fit_intercept, weighted
):
    X, sign, weight = drawn(130, weighted)
    problem = posed(kind, X, sign, weight, prices, fit_intercept)
    optimum = solve_drawn(130, weighted, 1.0, prices, fit_intercept)[2]
    excess, many = {}, 3000 if prices[0] > 10 else 1000
    for epochs in 5, many:
        rng = np.random.default_rng(0)
        certificate = solve(problem, "asgd", tol=0.0, max_iter=epochs, rng=rng).certificate
        excess[epochs] = certificate.primal - optimum
        assert -1e-9 * abs(optimum) <= excess[epochs] <= certificate.gap
    assert excess[many] <= 0.03 * certificate.scale
    assert excess[many] < 0.5 * excess[5]


@pytest.mark.parametrize("prices", [*SOFT_PRICES, *HARD_PRICES])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", DESIGNS)
def test_any_pair_is_no_farther_from_the_optimum_than_certified(
    kind, fit_intercept, prices
):
    X, sign, weight = drawn(60, True, apart=3.0)
    problem = posed(kind, X, sign, weight, prices, fit_intercept)
    w, b, optimum = solve_drawn(60, True, 3.0, prices, fit_intercept)
    rng = np.random.default_rng(1)
    if kind == "gram":
        w = np.linalg.lstsq(X.T, w)[0]
    for scale in 1e-6, 1e-2, 1.0, 30.0:
        near = w * (1.0 + scale) + scale * rng.standard_normal(len(w))
        beta = min(prices[0], 10.0) * rng.uniform(0, 1, 60)
        offset = b + scale * rng.standard_normal() if fit_intercept else 0.0
        for certificate in (
            problem.examine(near, offset, beta)[2],
            examine_kept(problem, near, offset, beta).certificate,
        ):
            # Where a hard margin cannot be reached from here, nothing is certified.
            if np.isfinite(certificate.gap):
                slack = 1e-8 * max(abs(optimum), certificate.scale)
                assert certificate.primal >= optimum - slack
                assert certificate.primal - certificate.gap <= optimum + slack


@pytest.mark.parametrize("loss", [Band(0.3, 0.2), EpsilonInsensitive(1.0)])
def test_sweeps_refuse_two_sided_losses(loss):
    X, sign, weight = drawn(20, False)
    problem = posed("dense", X, sign, weight, (1.0, 0.0, 0.0), True, loss)
    with pytest.raises(ValueError, match="'dual_cd' supports only losses that are zero"):
        solve(problem, "dual_cd", tol=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_designs_that_cannot_serve_a_solver_are_refused(solver):
    X, sign, weight = drawn(20, False)
    served = {kind for kind, one in [*PAIRS, ("dense", "asgd")] if one == solver}
    problem = posed("dense", X, sign, weight, (1.0, 0.0, 0.0), True)
    designs = {"dense": DESIGNS["dense"](X), "gram": DESIGNS["gram"](X), None: Design()}
    for kind in designs.keys() - served:
        name = type(designs[kind]).__name__
        with pytest.raises(MissingCapability, match=f"'{solver}' needs .*; {name} does"):
            solve(problem.on(designs[kind]), solver, tol=1e-3)


def test_averaged_descent_refuses_a_hard_margin():
    X, sign, weight = drawn(20, False, apart=3.0)
    problem = posed("dense", X, sign, weight, (np.inf, 0.0, 0.0), True)
    with pytest.raises(ValueError, match="needs a finite C"):
        solve(problem, "asgd", tol=1e-3)
