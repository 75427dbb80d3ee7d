"""The SVM that is equivalent to a kernel problem with squared terms."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.solvers import Progress, solve
from largemargin.solvers.equivalent_svm import equivalent_kernel, float32_is_enough
from largemargin.solvers.solution import Run
from oracle import solve_qp
from small_problems import classes_on_rows

N_ROWS = 120


def kernel_problem(lambda_var, fit_intercept, C=1.0):
    problem = classes_on_rows(N_ROWS, (C, lambda_var, 0.1), fit_intercept)
    return problem.on(GramDesign(rbf_kernel(problem.design.X, gamma=0.3)))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_metric_is_the_matrix_of_the_paper(fit_intercept):
    problem = kernel_problem(0.7, fit_intercept)
    gram = problem.design.gram_matrix + 1e-6 * np.eye(N_ROWS)
    features = gram if not fit_intercept else gram + 1e7  # an intercept almost for free
    signed = problem.sign[:, None] * features * problem.sign
    weight, total = problem.weight, problem.total
    spread = (
        4
        * problem.prices.lambda_var
        / total
        * (np.diag(weight) - np.outer(weight, weight) / total)
    )
    paper = np.linalg.solve(np.eye(N_ROWS) + signed @ spread, signed)
    nudged = problem.on(GramDesign(gram))
    ours = equivalent_kernel(nudged).matrix * np.outer(problem.sign, problem.sign)
    assert_allclose(ours, paper, atol=2e-5 * np.abs(paper).max())


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_equivalent_svm_has_the_values_of_the_problem(fit_intercept):
    problem = kernel_problem(30.0, fit_intercept)
    kernel = equivalent_kernel(problem)
    svm = kernel.pose(problem)
    assert not svm.is_curved
    assert not svm.fit_intercept
    best = solve(svm, "kernel_dual", tol=1e-9)
    point, _, certificate, _ = kernel.lift(problem, svm, best)
    assert certificate.relative <= 1e-8
    assert_allclose(certificate.primal, best.certificate.primal, rtol=1e-7)
    assert_allclose(point.margins, best.margins, atol=1e-4)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_float32_matrix_is_certified_for_the_problem_itself(fit_intercept):
    problem = kernel_problem(30.0, fit_intercept)
    kernel = equivalent_kernel(problem, dtype=np.float32)
    assert kernel.matrix.dtype == np.float32
    svm = kernel.pose(problem)
    best = solve(svm, "kernel_dual", tol=1e-4)
    certificate = kernel.lift(problem, svm, best).certificate
    assert certificate.relative <= 2e-4
    exact = solve(problem, "kernel_dual", tol=1e-9).certificate
    assert certificate.primal - certificate.gap <= exact.primal * (1 + 1e-9)


def test_few_digits_are_enough_for_rough_goals_and_moderate_prices_only():
    problem = kernel_problem(30.0, True)
    steep = kernel_problem(30e7, True)
    assert float32_is_enough(problem, Run(tol=1e-3, max_iter=9))
    assert not float32_is_enough(problem, Run(tol=1e-6, max_iter=9))
    assert not float32_is_enough(steep, Run(tol=1e-3, max_iter=9))


def test_without_time_the_squared_terms_are_left_out_and_the_gap_says_so():
    problem = kernel_problem(30.0, True)
    late = Progress(deadline=time.perf_counter())
    solution = solve(problem, "kernel_dual", tol=1e-6, progress=late)
    gram, prices = problem.design.gram_matrix, problem.prices[:3]
    optimum = solve_qp(gram, problem.sign, problem.weight, *prices, True)[2]
    assert solution.is_late
    assert not solution.converged
    excess = solution.certificate.primal - optimum
    assert -1e-9 <= excess <= solution.certificate.gap
