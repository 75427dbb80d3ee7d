"""The start of kernel solvers on surrogates."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.gram import GramDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.value_losses import Tube
from largemargin.solvers import Run
from largemargin.solvers.surrogate_start import enough_rank, solve_on_surrogates


def values_in(unit):
    """Return a problem of values in some unit; prices follow it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    values = np.sin(X).sum(axis=1) + 0.2 * rng.normal(size=300)
    prices, weight = Prices(3.0 * unit, lambda_var=20.0), np.ones(300)
    targets = Targets.of_values(unit * values)
    return Problem(
        GramDesign(rbf_kernel(X)), targets, weight, prices, loss=Tube(0.1 * unit)
    )


def test_the_rank_does_not_depend_on_the_units_of_the_values():
    rank, left = enough_rank(values_in(1.0), 1e-3)
    same, same_left = enough_rank(values_in(1000.0), 1e-3)
    assert rank == same > 0
    assert_allclose(left, same_left)


def test_larger_prices_ask_for_more_rank():
    problem = values_in(1.0)
    steep = replace(problem, prices=Prices(300.0, lambda_var=2000.0))
    assert enough_rank(steep, 1e-3)[0] > enough_rank(problem, 1e-3)[0]


def test_the_start_is_nearly_the_solution_where_little_is_missing():
    problem = values_in(1.0)
    start = solve_on_surrogates(problem, Run(1e-3, 100), *enough_rank(problem, 1e-3))
    certified = problem.examine(start.w, start.offset, start.beta)
    assert certified.certificate.relative <= 0.05
