"""A fit from top to bottom: validate, encode, pose, solve, examine, store, warn."""

import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.solving import Solving, deadline_of
from largemargin.estimators.targets import Classes
from largemargin.numerics.progress_log import progress_printed
from largemargin.numerics.work_log import timed
from largemargin.problem.checks import refuse_overflow, refuse_unbounded

# Iterations of at least this many seconds are mentioned in warnings.
LONG_PASS = 1.0


@contextmanager
def all_or_nothing(estimator):
    """Leave the estimator as it was if the block fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def fit_machine(machine, X, y, sample_weight):
    """Fit an estimator, or leave it unchanged on failure; warn if it missed ``tol``."""
    with all_or_nothing(machine), progress_printed(getattr(machine, "verbose", 0)):
        recipe = recipe_of(machine)
        encoder = Classes() if recipe is None else recipe.encoder
        rows = validated_rows(machine, encoder, X, y, sample_weight)
        if recipe is None:
            shortfall = machine._learn(rows)
        else:
            deadline = deadline_of(machine.time_limit)
            recipe = settled_recipe(machine, recipe, rows)
            shortfall = learn(machine, recipe, rows, deadline)
    if shortfall is not None:
        warnings.warn(shortfall, ConvergenceWarning, stacklevel=4)
    return machine


def settled_recipe(machine, recipe, rows):
    """Return the recipe with all parameters settled, some of them by the rows."""
    if recipe.settle is not None:
        return recipe.settle(rows)
    if recipe.curvature is None:
        return recipe
    with timed("tuning_seconds"):
        settled, results = recipe.tune(machine, rows, recipe)
    if recipe.keep is None:
        machine.C_ = float(settled.C)
    vars(machine).pop("loo_results_", None)
    if results is not None:
        machine.loo_results_ = results
    return recipe if settled is machine else recipe_of(settled)


def learn(machine, recipe, rows, deadline):
    """Fit by a recipe; return the text of a warning or None."""
    labels, parts = recipe.posed(rows, type(machine).__name__)
    problems = [problem for part in parts for problem in part.problems]
    for problem in problems:
        refuse_overflow(problem)
        refuse_unbounded(problem)
    found, histories = Solving(machine, recipe, rows, parts, deadline).run()
    recipe.space.store(machine, rows, found)
    if recipe.keep is not None:
        recipe.keep(machine, problems)
    keep_results(machine, recipe.encoder, labels, rows, found, histories)
    return shortfall_of(machine, [one for part in found for one in part.solutions])


def keep_results(machine, encoder, labels, rows, found, histories):
    """Store the attributes that all estimators have."""
    solutions = [solution for part in found for solution in part.solutions]
    places = [part.places for part in found for _ in part.solutions]
    beta = np.zeros((len(solutions), len(rows.counted)))
    for row, own, solution in zip(beta, places, solutions, strict=True):
        row[own] = rows.all_weights[own] * solution.beta
    machine.intercept_ = np.array([s.intercept for s in solutions])
    machine.objective_ = per_machine([s.certificate.primal for s in solutions])
    machine.duality_gap_ = per_machine([s.certificate.relative for s in solutions])
    machine.n_iter_ = max(s.n_iter for s in solutions)
    weights = [rows.all_weights[own] for own in places]
    moments = margin_moments([s.margins for s in solutions], weights)
    encoder.store(machine, labels, *moments)
    several = len(solutions) > 1
    machine.dual_beta_ = beta if several else beta[0]
    machine.history_ = list(histories) if several else histories[0]


def margin_moments(margins, weights):
    """Return the means and the variances of the margins of each problem."""
    means, variances = [], []
    for some, weight in zip(margins, weights, strict=True):
        means.append(weight @ some / weight.sum())
        variances.append(weight @ (some - means[-1]) ** 2 / weight.sum())
    return per_machine(means), per_machine(variances)


def per_machine(values):
    """Return one number for one problem, otherwise an array with one per problem."""
    return np.array(values) if len(values) > 1 else float(values[0])


def shortfall_of(machine, solutions):
    """Return the warning that a gap is larger than ``tol``, or None."""
    if all(solution.converged for solution in solutions):
        return None
    gap = max(solution.certificate.relative for solution in solutions)
    going_on = ""
    if "warm_start" in machine.get_params():
        going_on = "; with warm_start=True the next fit continues from here"
    stopped, advice = f"after {machine.n_iter_} iterations", "raise max_iter"
    if any(solution.is_late for solution in solutions):
        stopped, advice = f"at time_limit={machine.time_limit:g} s", "raise time_limit"
    elif getattr(machine, "low_rank_residual_", None) is not None:
        stopped = "with a low-rank model"
        advice = "use fewer rows, set time_limit to improve it for as long"
    longest = max(solution.pass_seconds for solution in solutions)
    if longest >= LONG_PASS:
        stopped += f" (one more takes about {longest:.0f} s)"
    return (
        f"{type(machine).__name__} stopped {stopped} at a relative duality gap of "
        f"{gap:.1e} > tol={machine.tol:.1e}. Scale the features, {advice}, or accept "
        f"this gap by raising tol{going_on}."
    )
