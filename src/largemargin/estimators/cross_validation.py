"""Cross-validation of a machine over prices and kernel widths, the work shared.

Training rows and kernel width determine a design, so each pair of the two is one task:
its Gram matrix is made once, and every price is answered from there by a path of warm
starts, on which one solution often serves many prices, see ``solvers.path``.
"""

import inspect
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.utils import check_random_state

from largemargin._compat import safe_split
from largemargin.estimators.cv_results import Table
from largemargin.estimators.fitting import Stopped, keep_results, sooner_deadline
from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import Rows, weights_of
from largemargin.estimators.targets import winners_of
from largemargin.numerics.threads import one_blas_thread
from largemargin.solvers import Progress
from largemargin.solvers.path import OutOfTime, solve_path

logger = logging.getLogger("largemargin")

# Gram matrices of fewer rows than this lose more by waking a second thread.
THREADED_ROWS = 2000
# Progress is told after each task, and this often while one is at work.
TOLD_SECONDS = 1.0
# Scores of unseen rows are kept, in float32, until the best point is known: so many.
MAX_KEPT = 2**26


def accuracy(machine, X, y, sample_weight=None):
    """Return the share of rows that are predicted right, as ``machine.score`` does."""
    return machine.score(X, y, sample_weight)


def takes_weight(scorer):
    """Return whether a scorer can be given sample weights."""
    parameters = inspect.signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind == p.VAR_KEYWORD for p in parameters)


class Task(NamedTuple):
    """The points that share a design, such as a kernel width, in one fold."""

    width: int
    fold: int
    train: np.ndarray
    test: np.ndarray
    numbers: list


@dataclass
class Fold:
    """Training and test rows of one split, as the machine wants them."""

    rows: Rows
    X_test: object
    y_test: np.ndarray
    test_weight: np.ndarray | None


@dataclass
class Outcome:
    """What a task found for each of its points."""

    scores: np.ndarray
    seconds: float = 0.0
    score_seconds: float = 0.0
    errors: dict = field(default_factory=dict)
    unseen: dict = field(default_factory=dict)
    n_short: int = 0


@dataclass
class Solved:
    """What the problems of a task gave: a machine in its space, and a path per target."""

    machine: object
    space: object
    labels: np.ndarray
    paths: list

    @property
    def solutions(self):
        """All solutions on each path."""
        return [path.solutions for path in self.paths]


def at_point(machine, point):
    """Return a copy of a machine with the parameters of a point."""
    other = copy(machine)
    vars(other).update(point)
    return other


class Search:
    """Scores of a certified machine at many points in the folds of a cross-validation.

    Points differ in parameters that the space of the machine depends on, which ask for a
    design of their own, or in those of its problem: prices and loss. What concerns the
    encoder or the solver is the same at all points.
    """

    def __init__(self, machine, points, scorer, *, n_jobs, verbose, keeps_unseen, deadline):
        self.machine, self.points, self.scorer = machine, points, scorer
        self.deadline = deadline
        self.n_jobs, self.verbose, self.keeps_unseen = n_jobs, verbose, keeps_unseen
        self.stop, self.lock = Event(), Lock()
        self.n_done = self.n_fits = 0
        self.begin = self.told = time.perf_counter()

    def run(self, X, y, sample_weight, splits):
        """Return scores, seconds and errors, a row a point and a column a fold."""
        by_width, names = {}, recipe_of(self.machine).space.parameters
        for k, point in enumerate(self.points):
            by_width.setdefault(tuple(map(point.get, names)), []).append(k)
        tasks = [
            Task(width, fold, train, test, numbers)
            for width, numbers in enumerate(by_width.values())
            for fold, (train, test) in enumerate(splits)
        ]
        self.n_waiting = len(tasks)
        self.n_fits, n_classes = len(self.points) * len(splits), len(np.unique(y))
        n_scores = len(y) * len(self.points) * (n_classes if n_classes > 2 else 1)
        self.keeps_unseen &= n_scores <= MAX_KEPT
        table = Table(len(self.points), splits)
        self.n_threads = n_threads = min(effective_n_jobs(self.n_jobs), len(tasks))
        single = n_threads > 1 or X.shape[0] < THREADED_ROWS
        attempt = partial(self._attempt, X, y, sample_weight)
        with one_blas_thread() if single else nullcontext():
            outcomes = self._outcomes(attempt, tasks, n_threads)
            for task, outcome in zip(tasks, outcomes, strict=True):
                table.put(task, outcome)
        return table

    def _outcomes(self, attempt, tasks, n_threads):
        """Yield the outcome of each task, in order."""
        try:
            if n_threads == 1:
                yield from map(attempt, tasks)
                return
            pool = ThreadPoolExecutor(n_threads)
            try:
                yield from pool.map(attempt, tasks)
            finally:
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"the search was interrupted after {self.n_done} of {self.n_fits} fits "
                f"({len(self.points)} points in {self.n_fits // len(self.points)} folds)"
            ) from None

    def _watch(self):
        if self.stop.is_set():
            raise Stopped

    def _count(self):
        with self.lock:
            self.n_done += 1
            is_due = time.perf_counter() > self.told + TOLD_SECONDS
        if self.verbose and is_due:
            self._tell()

    def _tell(self):
        self.told = time.perf_counter()
        seconds = self.told - self.begin
        left = seconds * (self.n_fits / max(self.n_done, 1) - 1.0)
        told = "%d of %d fits, %.1f s, %.1f s left"
        done = self.n_done, self.n_fits
        logger.info(told, *done, seconds, left, extra={"progress": done})

    def _attempt(self, X, y, sample_weight, task):
        """Return the outcome of a task; what fails as a whole fails at all its points."""
        deadline = self._share_of_time()
        try:
            # The first width is searched in every fold, so that there is a best point.
            if task.width > 0 and time.perf_counter() >= self.deadline:
                raise OutOfTime
            fold = self._fold(X, y, sample_weight, task)
            outcome = self._work(fold, task.numbers, deadline)
        except Exception as error:
            n_points = len(task.numbers)
            failed = dict.fromkeys(range(n_points), error)
            outcome = Outcome(np.full(n_points, np.nan), errors=failed)
        if self.verbose:
            self._tell()
        return outcome

    def _fold(self, X, y, sample_weight, task):
        machine = self.machine
        X_train, y_train = safe_split(machine, X, y, task.train)
        X_test, y_test = safe_split(machine, X, y, task.test, task.train)
        weight = test_weight = None
        if sample_weight is not None:
            weight, test_weight = sample_weight[task.train], sample_weight[task.test]
            if not test_weight.any():
                raise ValueError(f"Fold {task.fold} has no row of any weight to test on.")
        encoder = recipe_of(machine).encoder
        rows = Rows(X_train, y_train, weights_of(encoder, X_train, y_train, weight))
        return Fold(rows, X_test, y_test, test_weight)

    def _work(self, fold, numbers, deadline):
        begin = time.perf_counter()
        points = [self.points[k] for k in numbers]
        machine = clone(self.machine).set_params(**points[0])
        machine.n_features_in_ = fold.rows.X.shape[1]
        solved = self._solve(machine, fold.rows, points, deadline)
        outcome = Outcome(np.full(len(points), np.nan))
        served = {}
        for k in range(len(points)):
            answers = [path.answers[k] for path in solved.paths]
            errors = [answer for answer in answers if isinstance(answer, Exception)]
            if errors:
                outcome.errors[k] = errors[0]
                continue
            outcome.n_short += any(a.certificate.relative > machine.tol for a in answers)
            served.setdefault(tuple(a.number for a in answers), []).append(k)
        when_solved = time.perf_counter()
        if served and (self.scorer is accuracy or self.keeps_unseen):
            judged = judgements(solved, fold, list(served))
            for values, ks in zip(judged, served.values(), strict=True):
                if self.scorer is accuracy:
                    outcome.scores[ks] = share_right(values, solved.labels, fold)
                if self.keeps_unseen:
                    outcome.unseen |= dict.fromkeys(ks, values.astype(np.float32))
        if served and self.scorer is not accuracy:
            self._score(solved, fold, points, served, outcome)
        outcome.seconds = (when_solved - begin) / len(points)
        outcome.score_seconds = (time.perf_counter() - when_solved) / len(points)
        return outcome

    def _share_of_time(self):
        """Return the deadline of the next task: those that wait have their share."""
        with self.lock:
            share = min(1.0, self.n_threads / self.n_waiting)
            self.n_waiting -= 1
        return sooner_deadline(self.deadline, share)

    def _solve(self, machine, rows, points, deadline):
        """Return what answers the problems of the points, for each machine."""
        recipe = recipe_of(machine)
        labels, targets = recipe.encoder.encode(rows.labels, type(machine).__name__)
        design = recipe.space.design(rows)
        recipes = [recipe_of(at_point(machine, point)) for point in points]
        rng = check_random_state(getattr(machine, "random_state", None))
        seeds = rng.randint(2**31 - 1, size=len(targets))
        paths = [
            solve_path(
                [other.pose(one, rows.weight).on(design) for other in recipes],
                recipe.solver,
                solves=[other.solve for other in recipes],
                seed=seed,
                tol=machine.tol,
                max_iter=machine.max_iter,
                progress=partial(
                    Progress,
                    self._watch,
                    deadline=sooner_deadline(deadline, 1.0 / (len(targets) - number)),
                ),
                # A point is done when its last machine is.
                on_answer=self._count if number == len(targets) - 1 else None,
            )
            for number, (one, seed) in enumerate(zip(targets, seeds, strict=True))
        ]
        return Solved(machine, recipe.space, labels, paths)

    def _score(self, solved, fold, points, served, outcome):
        """Score each combination of solutions that serves some points, by a machine."""
        extra = {}
        if fold.test_weight is not None and takes_weight(self.scorer):
            extra["sample_weight"] = fold.test_weight
        for chosen, ks in served.items():
            fitted = at_point(solved.machine, points[ks[0]])
            found = [some[n] for some, n in zip(solved.solutions, chosen, strict=True)]
            histories = [{} for _ in found]
            try:
                keep_results(fitted, solved.labels, fold.rows, found, histories)
                solved.space.keep(fitted, fold.rows, found)
                value = self.scorer(fitted, fold.X_test, fold.y_test, **extra)
                outcome.scores[ks] = float(value)
            except Exception as error:
                outcome.errors.update(dict.fromkeys(ks, error))


def judgements(solved, fold, combinations):
    """Yield the scores of the test rows by each combination, a column per class."""
    scores = [
        solved.space.score(fold.X_test, fold.rows, some)
        + np.array([solution.intercept for solution in some])
        for some in solved.solutions
    ]
    for chosen in combinations:
        yield np.column_stack(
            [values[:, n] for values, n in zip(scores, chosen, strict=True)]
        )


def share_right(scores, classes, fold):
    """Return the share of the test rows whose scores give their class."""
    right = classes[winners_of(scores)] == fold.y_test
    return np.average(right, weights=fold.test_weight)
