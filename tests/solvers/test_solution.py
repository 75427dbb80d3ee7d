"""What a solver is given and what it returns."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import Certificate
from largemargin.solvers import Progress, Run, Solution, Start
from small_problems import classes_on_rows


def test_a_start_without_an_element_begins_where_its_forces_lead():
    problem = classes_on_rows()
    beta = np.linspace(-1.0, 2.0, 30)
    w, clipped = Start(beta).place(problem)
    assert_allclose(clipped, np.clip(beta, 0.0, 1.0))
    forces = problem.sign * problem.weight * (clipped + problem.reward)
    assert_allclose(w, problem.design.X.T @ forces)
    own = np.arange(4.0)
    assert Start(beta, own).place(problem)[0] is own


def test_a_run_on_other_features_keeps_the_dual_variables():
    start = Start(np.ones(3), np.ones(2), 0.5)
    other = Run(1e-3, 10, start).on_other_features().start
    assert other.w is None
    assert other.beta is start.beta
    assert other.offset == 0.5
    assert Run(1e-3, 10).on_other_features().start is None


def test_progress_records_certificates_and_can_be_stopped():
    def stop():
        raise KeyboardInterrupt

    progress = Progress()
    progress(Certificate(3.0, 0.5, 2.0))
    assert progress.history["objective"] == [3.0]
    assert progress.history["duality_gap"] == [0.25]
    assert not progress.is_late
    assert Progress(deadline=time.perf_counter()).is_late
    with pytest.raises(KeyboardInterrupt):
        Progress(stop)(Certificate(3.0, 0.5, 2.0))


def test_an_examination_restores_a_hard_margin():
    X = np.array([[-1.0], [1.0], [2.0]])
    targets, weight = Targets.of_classes(np.sign(X[:, 0])), np.ones(3)
    problem = Problem(DenseDesign(X), targets, weight, Prices(np.inf))
    # The optimum is w = 1; this point lacks 1e-9 of its margin.
    point = problem.point(np.array([1 - 1e-9]), (1 - 1e-9) * X[:, 0])
    beta = np.array([0.5, 0.5, 0.0])
    rest = beta, Certificate(0.5, 1e-8, 0.5), 1, True
    examined = Solution(*point, *rest).examined(problem, 1e-6)
    assert examined.margins.min() >= 1.0
    assert examined.stretch == pytest.approx(1.0 + 1e-9)
    assert 0.5 <= examined.certificate.primal <= 0.5 * (1 + 1e-8)
    assert examined.converged


def test_a_solution_that_overflowed_is_replaced_by_zero():
    problem = classes_on_rows()
    zero = Solution.at_start(problem, None, 1e-3)
    zero.w = np.full(4, np.inf)
    examined = zero.examined_if_finite(problem, 1e-3)
    assert not examined.w.any()
    assert np.isfinite(examined.certificate.primal)
    assert not examined.converged
