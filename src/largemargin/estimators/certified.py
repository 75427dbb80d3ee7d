"""Classifiers that pose a problem, solve it, and keep the certificate."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from numbers import Integral, Real
from threading import Event

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from largemargin._compat import Interval
from largemargin.estimators.base import MarginClassifier, per_machine
from largemargin.solvers import Progress, Start, solve
from largemargin.threads import one_blas_thread

GOING_ON = "; with warm_start=True the next fit goes on from here"
# Products with fewer numbers than this are made by one thread.
THREADED_SIZE = 4_000_000


def deadline_of(time_limit):
    """Return when the time is over, for a limit in seconds or None."""
    return time.perf_counter() + (np.inf if time_limit is None else time_limit)


def sooner_deadline(deadline, share):
    """Return the deadline of work that gets a share of the time left."""
    now = time.perf_counter()
    return now + share * (deadline - now)


class Stopped(BaseException):
    """Raised in the threads of a fit that was interrupted; no error of the fit itself."""


class CertifiedClassifier(MarginClassifier):
    """The story of a fit: encode, pose, solve, keep.

    Subclasses tell how rows become a design, ``_design``, what is minimised on it,
    ``_problem``, how solutions are kept and scored, ``_keep_elements`` and ``_scores``,
    and where the last fit ended, ``_last_elements``.
    """

    _parameter_constraints: dict = {
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    # Machines that leave a choice have parameters of these names.
    solver = "auto"
    random_state = None
    fit_intercept = True
    warm_start = False
    # So that models of older files have one.
    time_limit = None

    def _learn(self, X, y, weight, counted):
        deadline = deadline_of(self.time_limit)
        classes, problems = self._pose(y[counted], weight[counted])
        for problem in problems:
            problem.refuse_overflow()
            problem.refuse_unbounded()
        design = self._design(X, weight, counted)
        starts = self._starts(design, X, weight, counted)
        problems = [problem.on(design) for problem in problems]
        solutions, histories = zip(*self._run(problems, starts, deadline), strict=True)
        solutions = self._keep_elements(X, solutions, counted, problems, deadline)
        self._keep_results(classes, solutions, histories, weight[counted], counted)
        return self._shortfall(solutions)

    def _pose(self, y, weight):
        """Return the classes and a problem for each machine, still without a design."""
        classes, signs = self._signs(y)
        return classes, [self._problem(sign, weight) for sign in signs]

    def _solve(self, problem, **options):
        """Return the solution of one problem."""
        return solve(problem, self.solver, **options)

    def _run(self, problems, starts, deadline):
        """Return the solution and the history of each machine."""
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(problems))
        starts = starts if len(starts) == len(problems) else [None] * len(problems)
        stop = Event()

        def watch():
            if stop.is_set():
                raise Stopped

        def run(number, problem, seed, start):
            # Machines that are still to come have a share of the time.
            share = min(1.0, n_threads / (len(problems) - number))
            progress = Progress(watch, bool(self.verbose), sooner_deadline(deadline, share))
            solution = self._solve(
                problem,
                tol=self.tol,
                max_iter=self.max_iter,
                start=start,
                progress=progress,
                rng=np.random.default_rng(seed),
            )
            return solution, progress.history

        jobs = list(zip(range(len(problems)), problems, seeds, starts, strict=True))
        n_threads = min(effective_n_jobs(self.n_jobs), len(jobs))
        # Several machines multiply in one thread each: the same sums in the same order
        # for any n_jobs. Small products lose more by waking a second thread.
        single = len(jobs) > 1 or problems[0].design.size < THREADED_SIZE
        with one_blas_thread() if single else nullcontext():
            if n_threads == 1:
                return [run(*job) for job in jobs]
            pool = ThreadPoolExecutor(n_threads)
            try:
                return list(pool.map(run, *zip(*jobs, strict=True)))
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def _keep_results(self, classes, solutions, histories, weight, counted):
        """Store what every machine reports; ``counted`` are the rows with weight."""
        beta = np.zeros((len(solutions), len(counted)))
        beta[:, counted] = weight * np.array([s.beta for s in solutions])
        several = len(solutions) > 1
        self.classes_ = classes
        self.intercept_ = np.array([s.intercept for s in solutions])
        self.objective_ = per_machine([s.certificate.primal for s in solutions])
        self.duality_gap_ = per_machine([s.certificate.relative for s in solutions])
        self.n_iter_ = max(s.n_iter for s in solutions)
        self._keep_margins([s.margins for s in solutions], weight)
        self.dual_beta_ = beta if several else beta[0]
        self.history_ = list(histories) if several else histories[0]

    def _starts(self, design, X, weight, counted):
        """Return where the last fit ended, if it was on as many rows and classes."""
        if not (self.warm_start and hasattr(self, "dual_beta_")):
            return []
        beta = np.atleast_2d(self.dual_beta_)
        elements = self._last_elements(X, counted)
        if beta.shape[1] != len(counted) or len(elements) != len(beta):
            return []
        return [
            Start(
                row[counted] / weight[counted],
                element,
                design.offset_within(element, offset)[0] if self.fit_intercept else 0.0,
            )
            for row, element, offset in zip(beta, elements, self.intercept_, strict=True)
        ]

    def _shortfall(self, solutions):
        """Return what there is to warn of: a gap that is larger than asked for."""
        if all(solution.converged for solution in solutions):
            return None
        gap = max(solution.certificate.relative for solution in solutions)
        going_on = GOING_ON if "warm_start" in self.get_params() else ""
        stopped, advice = f"after {self.n_iter_} iterations", "raise max_iter"
        if any(solution.is_late for solution in solutions):
            stopped, advice = f"at time_limit={self.time_limit:g} s", "raise time_limit"
        elif getattr(self, "low_rank_residual_", None) is not None:
            stopped, advice = "at a machine of low rank", "use fewer rows"
        return (
            f"{type(self).__name__} stopped {stopped} with a relative duality gap of "
            f"{gap:.1e} > tol={self.tol:.1e}. Scale the features, {advice}, or accept "
            f"this gap by raising tol{going_on}."
        )
