"""From the solution of an equivalent SVM to the problem itself."""

import numpy as np
import pytest

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.solvers import solve
from largemargin.solvers.lifting import lift
from oracle import solve_qp


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 60))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(40) > 0.3, 1.0, -1.0)
    prices, weight = Prices(1.0, 50.0, 2.0), rng.uniform(0.5, 2.0, 40)
    return Problem(GramDesign(X @ X.T), Targets.of_classes(y), weight, prices)


def test_the_optimum_of_the_svm_is_lifted_to_that_of_the_problem(problem):
    best = solve(problem, "kernel_dual", tol=1e-12)
    lifted = lift(problem, best.beta, best.offset, best.margins)
    np.testing.assert_allclose(lifted.point.margins, best.margins, atol=1e-5)
    assert lifted.certificate.relative <= 1e-9


@pytest.mark.parametrize("size", [1e-4, 1e-2, 0.3])
def test_margins_that_do_not_belong_to_the_dual_variables_widen_the_gap(problem, size):
    best = solve(problem, "kernel_dual", tol=1e-12)
    gram, prices = problem.design.gram_matrix, problem.prices[:3]
    parts = gram, problem.sign, problem.weight, *prices, True, "hinge"
    optimum = solve_qp(*parts)[2]
    rng = np.random.default_rng(1)
    beta = np.clip(best.beta + size * rng.standard_normal(40), *problem.box)
    tangent = best.margins + size * rng.standard_normal(40)
    primal, gap, scale = lift(problem, beta, best.offset, tangent).certificate
    assert gap > 1e-9 * scale
    assert primal - optimum <= gap + 1e-9 * scale
