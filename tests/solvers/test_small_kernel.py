"""Small problems on blocks of a Gram matrix against the general solver."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import examine_kept
from largemargin.problem.losses import HINGE, SQUARED_HINGE
from largemargin.solvers import Progress, solve
from largemargin.solvers.small_kernel import solve_small_kernel
from largemargin.solvers.solution import EASY

MEMBERS = np.arange(3, 297, 2)


def drawn(loss=HINGE, prices=(1.0, 300.0, 100.0), fit_intercept=True):
    """Return a Gram matrix of 300 rows and a problem on some of them, without a design."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    y = np.where(X[:, 0] + rng.standard_normal(300) > 0, 1.0, -1.0)[MEMBERS]
    weight = rng.uniform(0.5, 2.0, len(MEMBERS))
    targets = Targets.of_classes(y)
    problem = Problem(None, targets, weight, Prices(*prices), fit_intercept, loss)
    return rbf_kernel(X, gamma=0.2), problem


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
def test_the_solution_is_that_of_the_general_solver(loss, fit_intercept):
    gram, problem = drawn(loss, fit_intercept=fit_intercept)
    small = solve_small_kernel(gram, MEMBERS, 1e-15, problem, EASY, Progress())
    on_block = problem.on(GramDesign(gram[np.ix_(MEMBERS, MEMBERS)], 1e-15))
    best = solve(on_block, "kernel_dual", tol=1e-9)
    distance = small.certificate.primal - best.certificate.primal
    assert distance <= small.certificate.gap
    assert small.certificate.relative <= EASY
    assert_allclose(small.scores, best.scores, atol=0.01)
    given = {"tol": EASY, "tangent": small.tangent}
    examined = examine_kept(on_block, small.w, small.intercept, small.beta, **given)
    assert examined.certificate.relative <= EASY


def test_what_it_does_not_know_is_left_to_others():
    gram, problem = drawn()

    def solved(gram=gram, members=MEMBERS, error=0.0, problem=problem, tol=1e-4):
        return solve_small_kernel(gram, members, error, problem, tol, Progress())

    assert solved() is not None
    assert solved(tol=1e-6) is None
    assert solved(gram.astype(np.float32)) is None
    assert solved(members=MEMBERS[:90]) is None
    assert solved(problem=problem.at(Prices(1.0))) is None
    # Entries that are as wrong as this certify nothing.
    assert solved(error=0.1) is None
