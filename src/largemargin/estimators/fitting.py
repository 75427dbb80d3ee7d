"""A fit from top to bottom: validate, encode, pose, solve, examine, store, warn."""

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from threading import Event

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.targets import Classes
from largemargin.numerics.progress_log import progress_printed
from largemargin.numerics.threads import one_blas_thread
from largemargin.problem.checks import refuse_overflow, refuse_unbounded
from largemargin.solvers import Progress, Start

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
        shortfall = machine._learn(rows) if recipe is None else learn(machine, recipe, rows)
    if shortfall is not None:
        warnings.warn(shortfall, ConvergenceWarning, stacklevel=4)
    return machine


def learn(machine, recipe, rows):
    """Fit by a recipe; return the text of a warning or None."""
    deadline = deadline_of(machine.time_limit)
    labels, problems = recipe.posed(rows, type(machine).__name__)
    for problem in problems:
        refuse_overflow(problem)
        refuse_unbounded(problem)
    design = recipe.space.design(rows)
    problems = [problem.on(design) for problem in problems]
    starts = []
    if getattr(machine, "warm_start", False) and hasattr(machine, "dual_beta_"):
        starts = last_solutions(machine, recipe, problems[0], rows)
    if len(starts) != len(problems):  # no last fit, or one with other rows or classes
        starts = [None] * len(problems)
    solved = solve_all(machine, recipe, problems, starts, deadline)
    solutions, histories = zip(*solved, strict=True)
    solutions = recipe.space.keep(machine, rows, solutions, problems, deadline)
    keep_results(machine, labels, rows, solutions, histories)
    return shortfall_of(machine, solutions)


def last_solutions(machine, recipe, problem, rows):
    """Return the solutions of the last fit; an empty list if it had other rows."""
    beta = np.atleast_2d(machine.dual_beta_)
    elements = recipe.space.last_elements(machine, rows)
    if beta.shape != (len(elements), len(rows.counted)):
        return []
    beta = beta[:, rows.counted] / rows.weight
    within = problem.design.offset_within
    return [
        Start(row, element, within(element, offset)[0] if problem.fit_intercept else 0.0)
        for row, element, offset in zip(beta, elements, machine.intercept_, strict=True)
    ]


def solve_all(machine, recipe, problems, starts, deadline):
    """Return the solution and the history of each problem."""
    seeds, stop = seeds_of(machine, len(problems)), Stop()

    def run(number):
        # Later problems get their share of the time that is left.
        share = min(1.0, n_threads / (len(problems) - number))
        limit = sooner_deadline(deadline, share)
        progress = Progress(stop.check, bool(machine.verbose), limit)
        solution = recipe.solve(
            problems[number],
            recipe.solver,
            tol=machine.tol,
            max_iter=machine.max_iter,
            start=starts[number],
            progress=progress,
            rng=np.random.default_rng(seeds[number]),
        )
        return solution, progress.history

    n_threads = min(effective_n_jobs(machine.n_jobs), len(problems))
    # With several problems, each is solved by one thread: the same sums in the same order
    # for any n_jobs. Small products would be slower with a second thread.
    single = len(problems) > 1 or problems[0].design.size < THREADED_SIZE
    with one_blas_thread() if single else nullcontext():
        return in_order(run, range(len(problems)), n_threads, stop)


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


def keep_results(machine, labels, rows, solutions, histories):
    """Store the attributes that all estimators have."""
    beta, several = np.zeros((len(solutions), len(rows.counted))), len(solutions) > 1
    beta[:, rows.counted] = rows.weight * np.array([s.beta for s in solutions])
    machine.classes_ = labels
    machine.intercept_ = np.array([s.intercept for s in solutions])
    machine.objective_ = per_machine([s.certificate.primal for s in solutions])
    machine.duality_gap_ = per_machine([s.certificate.relative for s in solutions])
    machine.n_iter_ = max(s.n_iter for s in solutions)
    keep_margins(machine, [s.margins for s in solutions], rows.weight)
    machine.dual_beta_ = beta if several else beta[0]
    machine.history_ = list(histories) if several else histories[0]


def keep_margins(machine, margins, weight):
    """Store the mean and the variance of the margins of each problem."""
    means = [weight @ some / weight.sum() for some in margins]
    pairs = zip(margins, means, strict=True)
    variances = [weight @ (some - mean) ** 2 / weight.sum() for some, mean in pairs]
    machine.margin_mean_ = per_machine(means)
    machine.margin_variance_ = per_machine(variances)


def per_machine(values):
    """Return one number for two classes, otherwise an array with one per class."""
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
        stopped, advice = "with a low-rank model", "use fewer rows"
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
