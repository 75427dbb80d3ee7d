"""The line search against a minimiser that knows values only."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from largemargin.problem.line_search import search_along
from largemargin.problem.losses import HINGE
from small_problems import classes_on_rows

PRICES = [(1.0,), (1.0, 2.0, 0.5), (5.0, 0.0, 0.3, 1.0), (0.0, 1.0, 2.0)]


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("first", [0.0, 1.0])
def test_the_best_step_is_found(prices, first):
    problem = classes_on_rows(prices=prices)
    rng = np.random.default_rng(0)
    margins, step = rng.standard_normal((2, 30))
    C, sigma = prices[0], 0.8
    anchor = C * rng.random(30)

    def objective(t):
        moved = margins + t * step
        beta = np.clip(anchor + sigma * (1.0 - moved), 0.0, C)
        smoothed = beta * (1.0 - moved) - (beta - anchor) ** 2 / (2 * sigma)
        terms = problem.terms(moved, 0.0, anchor, 0.0)
        squares_and_mean = terms.quadratic - terms.reward
        return 0.3 * t + 0.1 * t**2 + squares_and_mean + problem.weight @ smoothed

    smoothing = HINGE.smoothing(anchor, sigma, C)
    options = {"slope": 0.3, "bend": 0.2, "first": first}
    found = search_along(problem, margins, step, smoothing, **options)
    best = minimize_scalar(objective, tol=1e-12).x
    assert found == pytest.approx(best, abs=1e-6)
