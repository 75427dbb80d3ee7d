"""A fit from top to bottom: validate, encode, pose, solve, examine, store, warn."""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from copy import copy
from threading import Event

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.self_tuning import tuned
from largemargin.estimators.targets import Classes
from largemargin.numerics.progress_log import progress_printed
from largemargin.numerics.threads import one_blas_thread, own_threads
from largemargin.numerics.work_log import timed
from largemargin.problem.checks import refuse_overflow, refuse_unbounded
from largemargin.solvers import Progress, Start
from largemargin.solvers.solution import FEW_DIGITS

# Iterations of at least this many seconds are mentioned in warnings.
LONG_PASS = 1.0
# With fewer numbers in the design than this, one thread is faster.
THREADED_SIZE = 4_000_000


class Stopped(BaseException):
    """Raised in the threads of a fit that was interrupted."""


class Stop(Event):
    """An event that, once set, stops the threads that check it."""

    def check(self) -> None:
        """Raise if the event is set."""
        if self.is_set():
            raise Stopped


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
    if recipe.curvature is None:
        return recipe
    settled, results = tuned(machine, rows, recipe)
    machine.C_ = float(settled.C)
    vars(machine).pop("loo_results_", None)
    if results is not None:
        machine.loo_results_ = results
    return recipe if settled is machine else recipe_of(settled)


def learn(machine, recipe, rows, deadline):
    """Fit by a recipe; return the text of a warning or None."""
    labels, parts = recipe.posed(rows, type(machine).__name__)
    for problem in (problem for part in parts for problem in part.problems):
        refuse_overflow(problem)
        refuse_unbounded(problem)
    found, histories = solve_parts(machine, recipe, rows, parts, deadline)
    recipe.space.store(machine, rows, found)
    keep_results(machine, labels, rows, found, histories)
    return shortfall_of(machine, [one for part in found for one in part.solutions])


def last_solutions(machine, space, rows, problem, numbers):
    """Return the solutions of some problems, by a slice of their numbers, of the last fit.

    ``problem`` is any one of them now. The list is empty if there were other rows.
    """
    beta = np.atleast_2d(machine.dual_beta_)[numbers]
    elements = space.last_elements(machine, rows, numbers)
    if beta.shape != (len(elements), len(rows.counted)):
        return []
    beta, offsets = beta[:, rows.counted] / rows.weight, machine.intercept_[numbers]
    within = problem.design.offset_within
    return [
        Start(row, element, within(element, offset)[0] if problem.fit_intercept else 0.0)
        for row, element, offset in zip(beta, elements, offsets, strict=True)
    ]


def solve_parts(machine, recipe, rows, parts, deadline):
    """Return what was found in each part, and the history of each problem.

    Threads share the problems of the only part, or else the parts: the design of a part
    exists while it is solved.
    """
    ends = np.cumsum([len(part.problems) for part in parts])
    n_problems, n_parts = ends[-1], len(parts)
    seeds, stop = seeds_of(machine, n_problems), Stop()
    n_threads = min(effective_n_jobs(machine.n_jobs), n_problems)
    starts_warm = is_continued(machine, n_problems, n_parts > 1, rows)
    is_hard = any(problem.is_hard for part in parts for problem in part.problems)
    # It may take a second run, so not where iterations are limited.
    few_digits = machine.tol >= FEW_DIGITS and machine.max_iter is None and not is_hard
    is_default = recipe.solver == "auto" and machine.max_iter is None and not starts_warm
    may_be_small = is_default and n_problems == n_parts and recipe.solves_small

    def run(problem, start, number):
        # Later problems get their share of the time that is left.
        share = min(1.0, n_threads / (n_problems - number))
        limit = sooner_deadline(deadline, share)
        progress = Progress(stop.check, bool(machine.verbose), limit)
        solution = recipe.solve(
            problem,
            recipe.solver,
            tol=machine.tol,
            max_iter=machine.max_iter,
            start=start,
            progress=progress,
            rng=np.random.default_rng(seeds[number]),
        )
        return solution, progress.history

    def is_over(solution):
        is_long = solution.n_iter >= (machine.max_iter or np.inf)
        return solution.converged or solution.is_late or is_long

    def solve_on_design(rows, problems, numbers, space, n_threads, few_digits):
        """Return what is found on a design of the rows, and the histories."""
        with timed("gram_seconds"):
            design = space.design(rows, few_digits)
        problems = [problem.on(design) for problem in problems]
        starts = []
        if starts_warm:
            some = slice(numbers.start, numbers.stop)
            starts = last_solutions(machine, space, rows, problems[0], some)
        starts = starts or [None] * len(problems)
        # With several problems, each is solved by one thread: the same sums in the same
        # order for any n_jobs. Small products would be slower with a second thread.
        single = n_problems > 1 or design.size < THREADED_SIZE
        threads = one_blas_thread() if single else own_threads()
        with threads if n_parts == 1 else nullcontext():
            jobs = list(zip(problems, starts, numbers, strict=True))
            solved = in_order(lambda job: run(*job), jobs, n_threads, stop)
            solutions, histories = zip(*solved, strict=True)
            with np.errstate(over="ignore", invalid="ignore"):  # as in ``solve``
                return space.finish(rows, solutions, problems, deadline), histories

    def solve_part(k, space, n_threads):
        members, problems = parts[k]
        progress = Progress(stop.check, bool(machine.verbose), deadline)
        if may_be_small and not progress.is_late:
            found = space.solve_small(rows, members, *problems, machine.tol, progress)
            if found is not None:
                return found, [progress.history]
        numbers = range(ends[k] - len(problems), ends[k])
        own = rows.only(members)
        given = own, problems, numbers, space, n_threads
        found, histories = solve_on_design(*given, few_digits and n_parts == 1)
        is_open = space.is_narrowed and not all(map(is_over, found.solutions))
        if is_open and not progress.is_late:
            again, further = solve_on_design(*given, few_digits=False)
            for one, other in zip(found.solutions, again.solutions, strict=True):
                one.n_iter = other.n_iter = one.n_iter + other.n_iter
            histories = list(map(joined, histories, further))
            if worst_gap(again) <= worst_gap(found):  # or time was too short
                found = again
        return found, histories

    if n_parts == 1:
        found = [solve_part(0, recipe.space, n_threads)]
    else:
        space = recipe.space.share(rows, few_digits)
        with one_blas_thread():
            found = in_order(
                lambda k: solve_part(k, copy(space), 1), range(n_parts), n_threads, stop
            )
    found, histories = zip(*found, strict=True)
    return found, [one for part in histories for one in part]


def joined(history, further):
    """Return the history of two runs in turn."""
    return {name: [*values, *further[name]] for name, values in history.items()}


def worst_gap(found):
    """Return the largest relative gap of the solutions of one part."""
    return max(solution.certificate.relative for solution in found.solutions)


def is_continued(machine, n_problems, is_pairwise, rows):
    """Return whether to start from the last fit, which had as many problems and rows."""
    if not getattr(machine, "warm_start", False) or not hasattr(machine, "dual_beta_"):
        return False
    is_same = np.atleast_2d(machine.dual_beta_).shape == (n_problems, len(rows.counted))
    return is_same and machine._one_vs_one == is_pairwise


def seeds_of(machine, n_problems):
    """Return a random seed for each problem."""
    rng = check_random_state(getattr(machine, "random_state", None))
    return rng.randint(2**31 - 1, size=n_problems)


def in_order(work, jobs, n_threads, stop):
    """Return the result of each job; after an error, ``stop`` is set for other threads."""
    if n_threads == 1:
        return list(map(work, jobs))
    pool = ThreadPoolExecutor(n_threads)
    try:
        return list(pool.map(work, jobs))
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


def keep_results(machine, labels, rows, found, histories):
    """Store the attributes that all estimators have."""
    solutions = [solution for part in found for solution in part.solutions]
    places = [part.places for part in found for _ in part.solutions]
    beta = np.zeros((len(solutions), len(rows.counted)))
    for row, own, solution in zip(beta, places, solutions, strict=True):
        row[own] = rows.all_weights[own] * solution.beta
    machine.classes_ = labels
    machine._one_vs_one = len(found) > 1
    machine.intercept_ = np.array([s.intercept for s in solutions])
    machine.objective_ = per_machine([s.certificate.primal for s in solutions])
    machine.duality_gap_ = per_machine([s.certificate.relative for s in solutions])
    machine.n_iter_ = max(s.n_iter for s in solutions)
    weights = [rows.all_weights[own] for own in places]
    keep_margins(machine, [s.margins for s in solutions], weights)
    several = len(solutions) > 1
    machine.dual_beta_ = beta if several else beta[0]
    machine.history_ = list(histories) if several else histories[0]


def keep_margins(machine, margins, weights):
    """Store the mean and the variance of the margins of each problem."""
    means, variances = [], []
    for some, weight in zip(margins, weights, strict=True):
        means.append(weight @ some / weight.sum())
        variances.append(weight @ (some - means[-1]) ** 2 / weight.sum())
    machine.margin_mean_ = per_machine(means)
    machine.margin_variance_ = per_machine(variances)


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


def deadline_of(time_limit):
    """Return the deadline for a limit in seconds or None."""
    return time.perf_counter() + (np.inf if time_limit is None else time_limit)


def sooner_deadline(deadline, share):
    """Return the deadline of work that gets a share of the time left."""
    now = time.perf_counter()
    return now + share * (deadline - now)
