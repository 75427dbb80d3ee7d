"""Cross-validation of a machine over prices and kernel widths, the work shared.

Training rows and kernel width determine a design, so each pair of the two is one task:
its Gram matrix is made once, and every price is answered from there by a path of warm
starts, on which one solution often serves many prices, see ``solvers.path``.
"""

import inspect
import logging
import time
import warnings
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
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.utils import check_random_state

from largemargin._compat import safe_split
from largemargin.estimators.base import winners_of
from largemargin.estimators.certified import Stopped, sooner_deadline
from largemargin.estimators.ldm import settle_prices
from largemargin.problem import NoMinimum
from largemargin.solvers import Progress
from largemargin.solvers.path import OutOfTime, solve_path
from largemargin.threads import one_blas_thread

logger = logging.getLogger("largemargin")

# Gram matrices of fewer rows than this lose more by waking a second thread.
THREADED_ROWS = 2000
PRICES = "C", "lambda_var", "lambda_mean"
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
    """The points that share a kernel width, in one fold."""

    width: int
    fold: int
    train: np.ndarray
    test: np.ndarray
    numbers: list


@dataclass
class Fold:
    """Training and test rows of one split, as the machine wants them."""

    X: object
    y: np.ndarray
    weight: np.ndarray
    X_test: object
    y_test: np.ndarray
    test_weight: np.ndarray | None

    @property
    def counted(self):
        """Which training rows have a weight."""
        return self.weight > 0


@dataclass
class Outcome:
    """What a task found for each of its points."""

    scores: np.ndarray
    seconds: float = 0.0
    score_seconds: float = 0.0
    errors: dict = field(default_factory=dict)
    unseen: dict = field(default_factory=dict)
    n_short: int = 0


class Search:
    """Scores of a machine at many points in the folds of a cross-validation."""

    def __init__(self, machine, points, scorer, *, n_jobs, verbose, keeps_unseen, deadline):
        self.machine, self.points, self.scorer = machine, points, scorer
        self.deadline = deadline
        self.n_jobs, self.verbose, self.keeps_unseen = n_jobs, verbose, keeps_unseen
        self.stop, self.lock = Event(), Lock()
        self.n_done = self.n_fits = 0
        self.begin = self.told = time.perf_counter()

    def run(self, X, y, sample_weight, splits):
        """Return scores, seconds and errors, a row a point and a column a fold."""
        by_width = {}
        for k, point in enumerate(self.points):
            by_width.setdefault(point.get("gamma"), []).append(k)
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
        weight = machine._row_weights(X_train, y_train, weight)
        return Fold(X_train, y_train, weight, X_test, y_test, test_weight)

    def _work(self, fold, numbers, deadline):
        begin = time.perf_counter()
        points = [self.points[k] for k in numbers]
        machine = clone(self.machine).set_params(**points[0])
        machine.n_features_in_ = fold.X.shape[1]
        classes, paths = self._solve(machine, fold, points, deadline)
        outcome = Outcome(np.full(len(points), np.nan))
        served = {}
        for k in range(len(points)):
            answers = [path.answers[k] for path in paths]
            errors = [answer for answer in answers if isinstance(answer, Exception)]
            if errors:
                outcome.errors[k] = errors[0]
                continue
            outcome.n_short += any(a.certificate.relative > machine.tol for a in answers)
            served.setdefault(tuple(a.number for a in answers), []).append(k)
        solved = time.perf_counter()
        solutions = [path.solutions for path in paths]
        if served and (self.scorer is accuracy or self.keeps_unseen):
            judged = judgements(machine, fold, solutions, list(served))
            for values, ks in zip(judged, served.values(), strict=True):
                if self.scorer is accuracy:
                    outcome.scores[ks] = share_right(values, classes, fold)
                if self.keeps_unseen:
                    outcome.unseen |= dict.fromkeys(ks, values.astype(np.float32))
        if served and self.scorer is not accuracy:
            self._score(machine, classes, fold, solutions, points, served, outcome)
        outcome.seconds = (solved - begin) / len(points)
        outcome.score_seconds = (time.perf_counter() - solved) / len(points)
        return outcome

    def _share_of_time(self):
        """Return the deadline of the next task: those that wait have their share."""
        with self.lock:
            share = min(1.0, self.n_threads / self.n_waiting)
            self.n_waiting -= 1
        return sooner_deadline(self.deadline, share)

    def _solve(self, machine, fold, points, deadline):
        """Return the classes, and for each machine what answers the prices."""
        counted = fold.counted
        weight = fold.weight[counted]
        classes, problems = machine._pose(fold.y[counted], weight)
        design = machine._design(fold.X, fold.weight, counted)
        prices = [settle_prices(*map(point.get, PRICES), weight.sum()) for point in points]
        rng = check_random_state(machine.random_state)
        seeds = rng.randint(2**31 - 1, size=len(problems))
        paths = [
            solve_path(
                problem.on(design),
                prices,
                machine.solver,
                seed=seed,
                tol=machine.tol,
                max_iter=machine.max_iter,
                progress=partial(
                    Progress,
                    self._watch,
                    deadline=sooner_deadline(deadline, 1.0 / (len(problems) - number)),
                ),
                # A point is done when its last machine is.
                on_answer=self._count if problem is problems[-1] else None,
            )
            for number, (problem, seed) in enumerate(zip(problems, seeds, strict=True))
        ]
        return classes, paths

    def _score(self, machine, classes, fold, solutions, points, served, outcome):
        """Score each combination of solutions that serves some points, by a machine."""
        counted = fold.counted
        extra = {}
        if fold.test_weight is not None and takes_weight(self.scorer):
            extra["sample_weight"] = fold.test_weight
        for chosen, ks in served.items():
            fitted = copy(machine).set_params(**points[ks[0]])
            found = [some[n] for some, n in zip(solutions, chosen, strict=True)]
            histories = [{} for _ in found]
            try:
                weight = fold.weight[counted]
                fitted._keep_results(classes, found, histories, weight, counted)
                fitted._keep_elements(fold.X, found, counted)
                value = self.scorer(fitted, fold.X_test, fold.y_test, **extra)
                outcome.scores[ks] = float(value)
            except Exception as error:
                outcome.errors.update(dict.fromkeys(ks, error))


def judgements(machine, fold, solutions, combinations):
    """Yield the scores of the test rows by each combination, a column a class."""
    scores = [
        machine._score_solutions(fold.X_test, fold.X, some, fold.counted)
        + np.array([solution.intercept for solution in some])
        for some in solutions
    ]
    for chosen in combinations:
        yield np.column_stack(
            [values[:, n] for values, n in zip(scores, chosen, strict=True)]
        )


def share_right(scores, classes, fold):
    """Return the share of the test rows whose scores give their class."""
    right = classes[winners_of(scores)] == fold.y_test
    return np.average(right, weights=fold.test_weight)


class Table:
    """Scores and seconds, a row a point and a column a fold; and what went wrong."""

    def __init__(self, n_points, splits):
        self.splits = splits
        shape = n_points, len(splits)
        self.scores = np.full(shape, np.nan)
        self.seconds = np.zeros(shape)
        self.score_seconds = np.zeros(shape)
        self.errors = {}
        self.passed_over = {}
        self.unseen = {}
        self.n_short = 0

    def put(self, task, outcome):
        """Take in the outcome of a task."""
        numbers, fold = task.numbers, task.fold
        self.scores[numbers, fold] = outcome.scores
        self.seconds[numbers, fold] = outcome.seconds
        self.score_seconds[numbers, fold] = outcome.score_seconds
        self.n_short += outcome.n_short
        for k, error in outcome.errors.items():
            kind = self.errors
            if isinstance(error, NoMinimum | OutOfTime):
                kind = self.passed_over
            kind[numbers[k], fold] = error
        for k, scores in outcome.unseen.items():
            self.unseen[numbers[k], fold] = scores

    def unseen_scores(self, point, shape):
        """Return the scores that a point gave to rows outside its training folds.

        NaN is where no fold tests a row, or that one lacked a class; where several test
        it, the first counts.
        """
        scores = np.full(shape, np.nan)
        rows = np.arange(len(scores))
        for fold, (_, test) in reversed(list(enumerate(self.splits))):
            found = self.unseen.get((point, fold))
            if found is not None and found.shape[1] == shape[1]:
                scores[rows[test]] = found
        return scores[:, 0] if shape[1] == 1 else scores

    def settle(self, error_score, name):
        """Put the error score where something failed; warn, or raise if told to.

        Prices without a minimum have no machine to score: they are passed over, as are
        those that the time did not suffice for.
        """
        n_late = sum(isinstance(one, OutOfTime) for one in self.passed_over.values())
        if n_late:
            warnings.warn(
                f"{name} reached its time_limit: {n_late} of {self.scores.size} fits were "
                "left out, and points that lack one cannot win. Raise time_limit, or "
                "search fewer points.",
                ConvergenceWarning,
                stacklevel=4,
            )
        failed = {**self.passed_over, **self.errors}
        if len(failed) == self.scores.size:
            raise ValueError(f"All {self._tell(failed, name)}")
        if self.errors:
            if error_score == "raise":
                raise self.errors[min(self.errors)]
            told = f"{self._tell(self.errors, name)} Their score is {error_score}."
            warnings.warn(told, FitFailedWarning, stacklevel=4)
            for place in self.errors:
                self.scores[place] = error_score
        if self.n_short:
            warnings.warn(
                f"{self.n_short} of {self.scores.size} fits of {name} did not reach tol. "
                "Scale the features, raise max_iter, or raise tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _tell(self, failed, name):
        point, fold = min(failed)
        error = failed[point, fold]
        return (
            f"{len(failed)} of {self.scores.size} fits of {name} failed; the first one, "
            f"point {point} in fold {fold}, with {type(error).__name__}: {error}"
        )
