"""Newton's method: it knows numbers only, and finds the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.smoothed import Look
from largemargin.solvers import Run, solve
from largemargin.solvers.newton import solve_newton
from small_problems import classes_on_rows


@pytest.mark.parametrize("prices", [(np.inf, 0.0, 0.5, 10.0), (np.inf, 50.0)])
def test_a_hard_margin_is_found_soon_where_squares_are_steep(prices):
    X = [
        [10, 0, -12.5],
        [0, -17.4, 13.7],
        [6.7, 4.2, -30.6],
        [0, 6.2, 0],
        [-1.6, -4.2, 8.4],
    ]
    targets, weight = Targets.of_classes(np.ones(5)), np.array([2.0, 1.4, 2.5, 0.8, 0.7])
    problem = Problem(DenseDesign(-np.array(X)), targets, weight, Prices(*prices), False)
    solution = solve(problem, "newton", tol=1e-8, max_iter=60)
    assert solution.converged
    assert solution.margins.min() >= 1.0


@pytest.mark.parametrize("lambda_var", [0, 0.5, 50])
def test_iterated_and_factored_newton_agree(monkeypatch, lambda_var):
    problem = classes_on_rows(prices=(10.0, lambda_var, 0.3), seed=1)
    factored = solve(problem, "newton", tol=1e-10)
    monkeypatch.setattr("largemargin.designs.features.MAX_FACTORED", 1)
    iterated = solve(problem, "newton", tol=1e-10)
    assert_allclose(iterated.w, factored.w, rtol=1e-4)


class Numbers:
    """A problem, and its smoothed form, that is nothing but a gap that falls."""

    is_smooth = False

    def __init__(self):
        self.gap, self.calls = 1.0, []

    def smoothed(self, start):
        return self

    def stretched(self, point):
        return point

    def first_sigma(self, sharpness):
        return sharpness

    def look(self, sigma):
        # After a step the gradient is small enough for the anchor to follow.
        slope_square = 0.0 if self.calls[-1:] == ["step"] else 1.0
        return Look(Certificate(2.0, self.gap, 2.0), slope_square, 1e-3, True)

    def follow(self):
        self.calls.append("follow")
        self.gap *= 0.5

    def step(self, sigma, enough):
        self.calls.append("step")
        self.gap *= 0.1
        return 1.0

    def result(self):
        return Certified((0.0, 0.0, None, None), None, Certificate(2.0, self.gap, 2.0))


def test_newtons_method_itself_knows_numbers_only():
    numbers = Numbers()
    solution = solve_newton(numbers, Run(1e-6, 50))
    assert solution.converged
    assert numbers.calls[:4] == ["step", "follow", "step", "follow"]
    assert numbers.calls.count("step") == solution.n_iter
