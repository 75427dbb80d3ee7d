"""Surrogates of low rank: Newton steps on them, and Newton steps that they precondition."""

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs import surrogate as module
from largemargin.designs.base import Goals, MissingCapability
from largemargin.designs.gram import GramDesign
from largemargin.designs.surrogate import PreconditionedDesign, Surrogate
from newton_systems import EVERY_KIND, N_ROWS, curvature_of, dense_step, rows_and_target

EXACT = Goals(1e-10)


@pytest.fixture
def surrogate():
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(6, N_ROWS)).astype(np.float32)
    return Surrogate(columns, rng.uniform(0.1, 1.0, N_ROWS))


def matrix_of(surrogate):
    columns = surrogate.columns.astype(np.float64)
    return columns.T @ columns + np.diag(surrogate.missing)


def test_a_surrogate_has_the_products_of_its_matrix(surrogate):
    matrix, (_, alpha) = matrix_of(surrogate), rows_and_target()
    assert_allclose(surrogate.scores(alpha), matrix @ alpha, rtol=1e-10)
    assert_allclose(surrogate.squared_norms(), np.diagonal(matrix), rtol=1e-10)


@EVERY_KIND
def test_newton_steps_on_a_surrogate_are_exact(surrogate, kind):
    curvature, matrix = curvature_of(*kind)
    gram, (_, target) = matrix_of(surrogate), rows_and_target()
    found = surrogate.newton_step(curvature, target, EXACT)
    assert_allclose(found.element, dense_step(matrix, gram, target), atol=1e-9)
    assert_allclose(found.scores, gram @ found.element, atol=1e-9)


def test_a_system_that_follows_another_is_as_exact(surrogate):
    gram, (_, target) = matrix_of(surrogate), rows_and_target()
    # A few rows change, then most of them: the last moment is updated, then made anew.
    for n_bent in 5, 7, 30, 28, 0:
        curvature, matrix = curvature_of(0.5, True, True, n_bent)
        found = surrogate.newton_step(curvature, target, EXACT)
        assert_allclose(found.element, dense_step(matrix, gram, target), atol=1e-9)


def test_moments_are_narrow_unless_rounding_would_hide_the_identity():
    rng = np.random.default_rng(5)
    columns = rng.normal(size=(6, 1000)).astype(np.float32)
    wide = columns.astype(np.float64)
    for weight, rtol in (1.0, 1e-5), (1e9, 1e-12):
        weights = weight * rng.uniform(size=1000)
        found = np.tril(Surrogate(columns, np.zeros(1000))._updated_moment(weights))
        exact = np.tril(np.eye(6) + (wide * weights) @ wide.T)
        assert np.abs(found - exact).max() <= rtol * np.diagonal(exact).max()
        # A sum in float32 has errors of this size; in float64 it has not.
        assert (np.abs(found - exact).max() > 1e-9 * weight) == (weight == 1.0)


@EVERY_KIND
def test_any_right_hand_side_of_the_bordered_system_is_solved(surrogate, kind):
    system = module.Bordered.of(curvature_of(*kind)[0])
    rng = np.random.default_rng(3)
    right, lack = rng.normal(size=N_ROWS), rng.normal(size=len(system.corner))
    right *= system.inverse > 0
    x, nu = surrogate.factorised(system)(right, lack)
    assert_allclose(system.apply(x, matrix_of(surrogate) @ x, nu), right, atol=1e-9)
    assert_allclose(system.border.T @ x - system.corner @ nu, lack, atol=1e-9)


@EVERY_KIND
@pytest.mark.parametrize("most_direct", [0, 2000])
def test_preconditioned_steps_are_those_of_the_rows(kind, most_direct, monkeypatch):
    monkeypatch.setattr(module, "MAX_DIRECT_ROWS", most_direct)
    curvature, matrix = curvature_of(*kind)
    gram, target = rows_and_target()
    design, weight = GramDesign(gram), np.ones(N_ROWS)
    rank = design.low_rank(weight).grow(lambda rank, before, after: True)
    whole = PreconditionedDesign(design, design.surrogate(weight, rank))
    found = whole.newton_step(curvature, target, EXACT)
    exact = dense_step(matrix, gram, target)
    assert_allclose(found.scores, gram @ exact, atol=1e-7)
    assert_allclose(found.scores, gram @ found.element, atol=1e-9)


def test_a_surrogate_has_the_diagonal_and_the_leading_part_of_the_matrix():
    X = np.random.default_rng(0).normal(size=(200, 2))
    design, weight = GramDesign(rbf_kernel(X, gamma=0.1)), np.ones(200)
    rank = design.low_rank(weight).grow(lambda rank, before, after: after < 1e-2)
    found = design.surrogate(weight, rank)
    assert_allclose(found.squared_norms(), np.ones(200), atol=1e-5)
    assert_allclose(matrix_of(found), design.gram_matrix, atol=1e-2)


def test_the_factor_is_made_once_for_the_same_weights_and_extended_on_demand():
    design, weight = GramDesign(rows_and_target()[0]), np.ones(N_ROWS)
    factor = design.low_rank(weight)
    assert design.low_rank(weight) is factor
    assert design.low_rank(weight.copy()) is not factor


def test_a_factor_does_not_keep_its_design_alive():
    gram = rbf_kernel(np.random.default_rng(0).normal(size=(80, 3)))
    design = GramDesign(gram)
    design.low_rank(np.ones(80)).grow(lambda rank, before, after: False)
    known = weakref.ref(design)
    gc.disable()
    try:
        del design
        assert known() is None
    finally:
        gc.enable()


def test_rows_of_zeros_have_a_surrogate_too():
    design, weight = GramDesign(np.zeros((N_ROWS, N_ROWS))), np.ones(N_ROWS)
    rank = design.low_rank(weight).grow(lambda rank, before, after: True)
    found, (_, target) = design.surrogate(weight, rank), rows_and_target()
    assert rank == 0
    step = found.newton_step(curvature_of(0.5, True, False, 9)[0], target, EXACT)
    assert_allclose(step.element, target, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_at_a_kink_are_solved_for_directly(fit_intercept):
    curvature, matrix = curvature_of(0.0, False, fit_intercept, 9)
    gram, target = rows_and_target()
    step = GramDesign(gram).newton_system(curvature)(target, 0.0)
    assert_allclose(step, dense_step(matrix, gram, target), atol=1e-9)


def test_a_gram_matrix_has_no_direct_newton_system_with_prices_of_squares():
    design = GramDesign(rows_and_target()[0])
    with pytest.raises(MissingCapability, match="prices of squares"):
        design.newton_system(curvature_of(0.5, True, True, 9)[0])
