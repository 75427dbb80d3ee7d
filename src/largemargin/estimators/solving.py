"""The solving of all problems of a fit, in threads that share its deadline."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from copy import copy
from functools import partial
from threading import Event

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from largemargin.numerics.meeting import Meeting
from largemargin.numerics.memory import FLOAT_BYTES
from largemargin.numerics.threads import one_blas_thread, own_threads
from largemargin.numerics.work_log import timed
from largemargin.solvers import Progress, Start, lives_on_products, solve
from largemargin.solvers.active_kernel import ROOM
from largemargin.solvers.solution import FEW_DIGITS

# With fewer numbers in the design than this, one thread is faster.
THREADED_SIZE = 4_000_000
# Of several problems that share their products, as many run at once as take so much memory,
# and no more than this: the time that each takes hardly falls any further.
MAX_BYTES_AT_ONCE = 1 << 30
MAX_AT_ONCE = 32


class Stopped(BaseException):
    """Raised in the threads of a fit that was interrupted."""


class Stop(Event):
    """An event that, once set, stops the threads that check it."""

    def check(self) -> None:
        """Raise if the event is set."""
        if self.is_set():
            raise Stopped


class Solving:
    """The problems of a fit, by the parts of the rows that they are on.

    Threads share the problems of the only part, or else the parts: the design of a part
    exists while it is solved.
    """

    def __init__(self, machine, recipe, rows, parts, deadline):
        self.machine, self.recipe, self.rows, self.parts = machine, recipe, rows, parts
        self.deadline, self.stop = deadline, Stop()
        self.ends = np.cumsum([len(part.problems) for part in parts])
        self.n_problems, self.is_whole = self.ends[-1], len(parts) == 1
        self.seeds = seeds_of(machine, self.n_problems)
        self.n_threads = min(
            effective_n_jobs(getattr(machine, "n_jobs", None)), self.n_problems
        )
        self.starts_warm = is_continued(machine, self.n_problems, not self.is_whole, rows)
        is_hard = any(problem.is_hard for part in parts for problem in part.problems)
        # It may take a second run, so not where iterations are limited.
        is_limited = machine.max_iter is not None
        self.few_digits = machine.tol >= FEW_DIGITS and not (is_limited or is_hard)
        is_default = recipe.solver == "auto" and not (is_limited or self.starts_warm)
        is_alone = self.n_problems == len(parts)
        self.may_be_small = is_default and is_alone and recipe.solves_small

    def run(self):
        """Return what was found in each part, and the history of each problem."""
        space, numbers = self.recipe.space, range(len(self.parts))
        if self.is_whole:
            solved = [self._solve_part(0, space, self.n_threads)]
        else:
            space = space.share(self.rows)
            with one_blas_thread():
                solved = in_order(
                    lambda k: self._solve_part(k, copy(space), 1),
                    numbers,
                    self.n_threads,
                    self.stop,
                )
        found, histories = zip(*solved, strict=True)
        return found, [one for part in histories for one in part]

    def _progress(self, deadline):
        return Progress(self.stop.check, bool(self.machine.verbose), deadline)

    def _solve_part(self, k, space, n_threads):
        members, problems = self.parts[k]
        progress = self._progress(self.deadline)
        if self.may_be_small and not progress.is_late:
            given = self.rows, members, *problems, self.machine.tol, progress
            found = space.solve_small(*given)
            if found is not None:
                return found, [progress.history]
        numbers = range(self.ends[k] - len(problems), self.ends[k])
        given = self.rows.only(members), problems, numbers, space, n_threads
        found, histories = self._solve_on_design(*given, self.few_digits and self.is_whole)
        is_over = all(one.converged or one.is_late for one in found.solutions)
        if space.is_narrowed and not (is_over or progress.is_late):
            again, further = self._solve_on_design(*given, few_digits=False)
            for one, other in zip(found.solutions, again.solutions, strict=True):
                one.n_iter = other.n_iter = one.n_iter + other.n_iter
            histories = list(map(joined, histories, further))
            if worst_gap(again) <= worst_gap(found):  # or time was too short
                found = again
        return found, histories

    def _solve_on_design(self, rows, problems, numbers, space, n_threads, few_digits):
        """Return what is found on a design of the rows, and the histories."""
        with timed("gram_seconds"):
            design = space.design(rows, few_digits)
        problems = [problem.on(design) for problem in problems]
        starts = []
        if self.starts_warm:
            some = slice(numbers.start, numbers.stop)
            starts = last_solutions(self.machine, space, rows, problems[0], some)
        starts = starts or [None] * len(problems)
        # With several problems, each is solved by one thread: the same sums in the same
        # order for any n_jobs. Small products would be slower with a second thread.
        single = self.n_problems > 1 or design.size < THREADED_SIZE
        threads = one_blas_thread() if single else own_threads()
        with threads if self.is_whole else nullcontext():
            jobs = list(zip(problems, starts, numbers, strict=True))
            solved = self._solve_all(jobs, n_threads, design)
            solutions, histories = zip(*solved, strict=True)
            with np.errstate(over="ignore", invalid="ignore"):  # as in ``solve``
                return space.finish(rows, solutions, problems, self.deadline), histories

    def _solve_all(self, jobs, n_threads, design):
        """Return the solution and the history of each job, by one way of two."""
        solver, solves = self.recipe.solver, self.recipe.solve is solve
        meets = solves and all(lives_on_products(job[0], solver) for job in jobs)
        if len(jobs) == 1 or not meets:
            at_once = self.n_threads
            return in_order(
                lambda job: self._solve(*job, at_once), jobs, n_threads, self.stop
            )
        # Each keeps as many vectors, and their products, as there is room for.
        n_bytes = 2 * ROOM * design.n_rows * FLOAT_BYTES
        at_once = min(len(jobs), MAX_AT_ONCE, max(MAX_BYTES_AT_ONCE // n_bytes, 1))

        def solve_one(job, ask):
            problem, *rest = job
            return self._solve(problem.on(design.for_one_of_several(ask)), *rest, at_once)

        meeting = Meeting(partial(design.products, n_threads=n_threads), n_threads)
        try:
            return meeting.run(solve_one, jobs, at_once)
        except BaseException:
            self.stop.set()
            raise

    def _solve(self, problem, start, number, at_once):
        # Later problems get their share of the time that is left.
        share = min(1.0, at_once / (self.n_problems - number))
        progress = self._progress(sooner_deadline(self.deadline, share))
        solution = self.recipe.solve(
            problem,
            self.recipe.solver,
            tol=self.machine.tol,
            max_iter=self.machine.max_iter,
            start=start,
            progress=progress,
            rng=np.random.default_rng(self.seeds[number]),
        )
        return solution, progress.history


def joined(history, further):
    """Return the history of two runs, of which the second came after the first."""
    before = max(history["seconds"], default=0.0)
    later = {**further, "seconds": [before + second for second in further["seconds"]]}
    return {name: [*values, *later[name]] for name, values in history.items()}


def worst_gap(found):
    """Return the largest relative gap of the solutions of one part."""
    return max(solution.certificate.relative for solution in found.solutions)


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


def is_continued(machine, n_problems, is_pairwise, rows):
    """Return whether to start from the last fit, which had as many problems and rows."""
    if not getattr(machine, "warm_start", False) or not hasattr(machine, "dual_beta_"):
        return False
    is_same = np.atleast_2d(machine.dual_beta_).shape == (n_problems, len(rows.counted))
    return is_same and getattr(machine, "_one_vs_one", False) == is_pairwise


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
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def deadline_of(time_limit):
    """Return the deadline for a limit in seconds or None."""
    return time.perf_counter() + (np.inf if time_limit is None else time_limit)


def sooner_deadline(deadline, share):
    """Return the deadline of work that gets a share of the time left."""
    now = time.perf_counter()
    return now + share * (deadline - now)
