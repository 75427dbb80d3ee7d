"""Newton systems of expansions, against the same systems as dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.base import Goals
from largemargin.designs.expansions import Bordered, ExpansionDesign, conjugate_gradients
from largemargin.designs.surrogate import Surrogate
from newton_systems import EVERY_KIND, N_ROWS, curvature_of, dense_step, rows_and_target


@EVERY_KIND
def test_the_bordered_system_has_the_newton_step_as_its_solution(kind):
    curvature, matrix = curvature_of(*kind)
    gram, target = rows_and_target()
    system = Bordered.of(curvature)
    # Rows without curvature have no equation, and their step is the target.
    curved = np.flatnonzero(system.inverse)
    step, border = np.where(system.inverse > 0, 0.0, target), system.border[curved]
    own = np.diag(system.inverse[curved]) + gram[np.ix_(curved, curved)]
    whole = np.block([[own, border], [border.T, -system.corner]])
    right = system.residual(target, step, gram @ step)[curved]
    solution = np.linalg.solve(whole, np.r_[right, system.border.T @ target])
    step[curved] += solution[: len(curved)]
    assert_allclose(step, dense_step(matrix, gram, target), atol=1e-9)


@EVERY_KIND
def test_the_newton_step_leaves_no_residual(kind):
    curvature, matrix = curvature_of(*kind)
    gram, target = rows_and_target()
    system, step = Bordered.of(curvature), dense_step(matrix, gram, target)
    residual = system.residual(target, step, gram @ step)
    nu, *_ = np.linalg.lstsq(system.border, residual)
    assert_allclose(residual, system.border @ nu, atol=1e-9)
    whole = system.apply(step, gram @ step, nu)
    assert_allclose(whole, target * system.inverse, atol=1e-9)


@EVERY_KIND
def test_conjugate_gradients_find_the_newton_step(kind):
    curvature, matrix = curvature_of(*kind)
    gram, target = rows_and_target()
    system, diagonal = (
        Bordered.of(curvature),
        Surrogate(np.zeros((1, N_ROWS)), np.ones(N_ROWS)),
    )
    precondition = diagonal.factorised(system)
    found = conjugate_gradients(gram.dot, system, precondition, target, Goals(1e-10))
    assert_allclose(found.element, dense_step(matrix, gram, target), atol=1e-6)
    assert_allclose(found.scores, gram @ found.element, atol=1e-10)


@pytest.mark.parametrize("accuracy", [0.5, 0.1, 0.01])
def test_conjugate_gradients_stop_as_near_the_minimum_as_they_were_asked_to(accuracy):
    curvature, matrix = curvature_of(5.0, True, True, 9)
    gram, target = rows_and_target()
    system, n_products = Bordered.of(curvature), [0]
    precondition = Surrogate(np.zeros((1, N_ROWS)), np.ones(N_ROWS)).factorised(system)

    def product(v):
        n_products[0] += 1
        return gram @ v

    def model(step):
        scores = gram @ step
        return 0.5 * (step @ scores + scores @ matrix @ scores) - target @ scores

    found = conjugate_gradients(product, system, precondition, target, Goals(accuracy))
    above = model(found.element) - model(dense_step(matrix, gram, target))
    assert 0 <= above <= 0.5 * accuracy**2 * (target @ found.scores)
    n_rough, n_products[0] = n_products[0], 0
    conjugate_gradients(product, system, precondition, target, Goals(1e-10))
    assert n_rough < n_products[0]


def test_elements_are_coefficients_over_the_rows():
    gram, alpha = rows_and_target()

    class Rows(ExpansionDesign):
        n_rows = N_ROWS

        def scores(self, w):
            return gram @ w

    rows, other = Rows(), np.cos(np.arange(N_ROWS))
    assert rows.combine(alpha) is alpha
    assert_allclose(rows.zeros(), np.zeros(N_ROWS))
    assert_allclose(rows.inner(other, alpha), other @ gram @ alpha)
    assert rows.inner(other, alpha, np.ones(N_ROWS)) == other.sum()
