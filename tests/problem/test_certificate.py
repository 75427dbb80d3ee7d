"""The examination of what is kept: a bound of the distance, rounding included."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from largemargin import LDMRegressor
from largemargin.designs.cholesky import damped_factor
from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.designs.in_memory import without_offsets
from largemargin.designs.kernel_rows import KernelRows
from largemargin.designs.sparse import SparseDesign
from largemargin.kernels.functions import Kernel
from largemargin.numerics.low_rank import expand_over_few
from largemargin.numerics.rounding import add_wide_dot
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import examine_kept
from largemargin.problem.losses import HINGE, LOSSES, Band
from largemargin.solvers import solve
from oracle import solve_qp

classes = Targets.of_classes
PRICES = [(1.0, 0.0, 0.0), (10.0, 0.5, 0.2), (0.1, 30.0, 1.0), (1.0, 1e6, 0.0)]


def drawn(seed=0, n_rows=40, n_features=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_features))
    y = np.where(X[:, 0] + rng.standard_normal(n_rows) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, rng.uniform(0.5, 2.0, n_rows), rng


def wide_primal(problem, X, w, offset):
    """Return the objective of a linear machine in extended precision."""
    w, s = w.astype(np.longdouble), problem.weight.astype(np.longdouble)
    g = problem.sign * (X.astype(np.longdouble) @ w + np.longdouble(offset))
    mean = s @ g / s.sum()
    variance = s @ (g - mean) ** 2 / s.sum()
    below = np.maximum(1 - g, 0)
    loss = problem.prices.C * (s @ (below if problem.loss == HINGE else below**2))
    return (
        w @ w / 2
        + 2 * problem.prices.lambda_var * variance
        - problem.prices.lambda_mean * mean
        + loss
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("loss", LOSSES)
def test_any_pair_is_no_farther_from_the_optimum_than_certified(
    prices, fit_intercept, loss
):
    X, y, weight, rng = drawn()
    rest = Prices(*prices), fit_intercept, LOSSES[loss]
    problem = Problem(DenseDesign(X), classes(y), weight, *rest)
    _, _, optimum = solve_qp(X @ X.T, y, weight, *prices, fit_intercept, loss)
    for scale in 1e-3, 1.0, 1e3:
        w, offset = scale * rng.standard_normal(4), scale * rng.standard_normal()
        beta = prices[0] * rng.random(len(y))
        certificate = examine_kept(problem, w, offset * fit_intercept, beta).certificate
        distance = wide_primal(problem, X, w, offset * fit_intercept) - optimum
        assert distance <= certificate.gap * (1 + 1e-9)


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("loss", LOSSES)
def test_any_tangent_of_the_variance_gives_a_bound(prices, loss):
    X, y, weight, rng = drawn()
    problem = Problem(
        DenseDesign(X), classes(y), weight, Prices(*prices), loss=LOSSES[loss]
    )
    _, _, optimum = solve_qp(X @ X.T, y, weight, *prices, True, loss)
    w, beta = rng.standard_normal(4), prices[0] * rng.random(len(y))
    tangent = rng.standard_normal(len(y))
    certificate = examine_kept(problem, w, 0.3, beta, tangent=tangent).certificate
    assert wide_primal(problem, X, w, 0.3) - optimum <= certificate.gap


@given(seed=st.integers(0, 1000), prices=st.sampled_from(PRICES), far=st.booleans())
@settings(max_examples=40, deadline=None)
def test_rounding_adds_next_to_nothing_on_standardised_rows(seed, prices, far):
    X, y, weight, _ = drawn(seed)
    design = without_offsets(DenseDesign(X + 1e4 * far))
    problem = Problem(design, classes(y), weight, Prices(*prices))
    solution = solve(problem, "newton", tol=1e-8)
    assert solution.converged
    plain = problem.examine(solution.w, solution.offset, solution.beta)[2]
    assert solution.certificate.relative - plain.relative <= 1e-10


@pytest.mark.parametrize("loss", [HINGE, Band(), Band(0.5, 0.1)])
def test_errors_of_the_scores_are_charged(loss):
    X, y, weight, _ = drawn()
    problem = Problem(DenseDesign(X), classes(y), weight, Prices(1.0), loss=loss)
    found = solve(problem, "auto", tol=1e-10)
    gaps = [
        examine_kept(
            problem, found.w, found.offset, found.beta, offset_error=error
        ).certificate.gap
        for error in (0.0, 1e-6, 1e-3)
    ]
    assert gaps[0] < gaps[1] < gaps[2]
    # No more than the slope of the losses allows.
    assert gaps[2] <= gaps[0] + 1e-2 * np.abs(weight @ found.beta) + 1e-2 * weight.sum()


def test_unbalanced_forces_bound_nothing_unless_they_are_balanced():
    X, y, weight, _ = drawn()
    nothing = np.zeros(len(y))
    problem = Problem(DenseDesign(X), classes(y), weight, Prices(0.0, 0.0, 1.0))
    assert not np.isfinite(examine_kept(problem, np.zeros(4), 0.0, nothing).certificate.gap)
    even = Problem(DenseDesign(X[:2]), classes(y[:2]), np.ones(2), problem.prices)
    examined = examine_kept(even, np.zeros(4), 0.0, np.zeros(2))
    assert np.isfinite(examined.certificate.gap)


@pytest.mark.parametrize("make", [DenseDesign, lambda X: SparseDesign(sp.csr_matrix(X))])
def test_rows_without_offsets_are_the_same_rows(make):
    X, _, _, rng = drawn()
    X[:, 2] += 1e6
    moved = without_offsets(make(X))
    assert moved.shift is not None
    assert np.count_nonzero(moved.shift) == 1
    w, offset = rng.standard_normal(4), 0.7
    within, error = moved.offset_within(w, offset)
    np.testing.assert_allclose(moved.scores(w) + within, X @ w + offset, rtol=1e-9)
    assert moved.offset_outside(w, within) == pytest.approx(offset, abs=1e-8)
    assert error <= 1e-8


def test_rows_near_zero_stay_where_they_are():
    X, *_ = drawn()
    design = DenseDesign(X)
    assert without_offsets(design) is design


def test_a_wide_sum_is_rounded_once():
    number, error = add_wide_dot(1.0, np.array([1e16, 1.0, -1e16]), np.ones(3))
    assert number == 2.0
    assert error < 0.1


@pytest.mark.parametrize("name", ["rbf", "laplacian", "poly", "linear", "cosine"])
def test_a_kept_expansion_is_examined_on_the_rows(name):
    X, y, weight, rng = drawn()
    kernel = Kernel(name, 0.3, 2, 1.0)
    gram = kernel.gram_matrix(X)
    problem = Problem(GramDesign(gram), classes(y), weight, Prices(1.0, 3.0, 0.5))
    _, _, optimum = solve_qp(gram, y, weight, 1.0, 3.0, 0.5, True)
    alpha = np.where(np.arange(len(y)) % 3 == 0, 0.1 * rng.standard_normal(len(y)), 0.0)
    beta = rng.random(len(y))
    for design in KernelRows(kernel, X), KernelRows(kernel, X, GramDesign(gram)):
        on_rows = examine_kept(problem.on(design), alpha, 0.2, beta).certificate
        on_gram = examine_kept(problem, alpha, 0.2, beta).certificate
        assert on_rows.primal == pytest.approx(on_gram.primal, rel=1e-9)
        assert on_rows.gap == pytest.approx(on_gram.gap, rel=1e-6)
        assert on_rows.primal - optimum <= on_rows.gap


def test_an_element_is_expanded_over_as_few_rows_as_span_it():
    X, _, _, rng = drawn()
    X *= 10.0 ** np.array([-6, 0, 3, 8])
    w = X.T @ rng.standard_normal(len(X))
    alpha = expand_over_few(X, w)
    assert np.count_nonzero(alpha) == 4
    np.testing.assert_allclose(X.T @ alpha, w, rtol=1e-9)


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((3, 3)),
        -np.eye(3),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        np.array([[1e18, 1e18], [1e18, 1e18]]),
        np.diag([1e-30, 1.0, 1e30]),
    ],
)
def test_a_damped_factor_is_found_for_any_finite_matrix(matrix):
    factor, lower = damped_factor(matrix.copy())
    assert lower
    assert (np.diagonal(factor) > 0).all()


def test_the_margin_variance_takes_up_what_losses_cannot():
    X, y, weight, _ = drawn()
    nothing = np.zeros(len(y))
    for prices in itertools.product([0.0], [1e-3, 1.0, 1e3], [0.0, 1.0]):
        problem = Problem(DenseDesign(X), classes(y), weight, Prices(*prices))
        _, _, optimum = solve_qp(X @ X.T, y, weight, *prices, True)
        certificate = examine_kept(problem, np.zeros(4), 0.1, nothing).certificate
        assert np.isfinite(certificate.gap)
        assert wide_primal(problem, X, np.zeros(4), 0.1) - optimum <= certificate.gap


def test_values_far_from_zero_leave_a_gap_that_their_rounding_explains():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(101, 2))
    y, options = X[:, 0] + 0.1 * rng.normal(size=101), {"epsilon": 0.1, "gamma": 100.0}
    exact = LDMRegressor(C=1e4, tol=1e-6, **options).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="relative duality gap"):
        far = LDMRegressor(C=1e4, tol=1e-5, **options).fit(X, y + 1e9)
    assert far.objective_ - exact.objective_ <= far.duality_gap_ * exact.objective_


@pytest.mark.parametrize("value", [0.1, 3e9])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "quantile"])
def test_constant_values_are_fitted_exactly(loss, value):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = LDMRegressor(C="scale", epsilon=0.0, loss=loss, tol=1e-9)
    model.fit(X, np.full(60, value))
    assert model.duality_gap_ <= 1e-9
    assert (model.predict(X) == value).all()
