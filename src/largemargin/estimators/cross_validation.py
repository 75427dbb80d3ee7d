"""Cross-validation of an estimator over prices and kernel widths, with shared work.

Training rows and kernel width determine a design, so each pair of them is one task: its
Gram matrix is computed once, and all prices are solved there along a path of warm starts,
on which one solution often serves many prices, see ``solvers.path``.
"""

import inspect
import time
from contextlib import nullcontext
from copy import copy
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from largemargin._compat import safe_split
from largemargin.estimators.cv_results import SearchResults
from largemargin.estimators.fitting import keep_results
from largemargin.estimators.recipe import Space, recipe_of
from largemargin.estimators.rows import Rows, weights_of
from largemargin.estimators.solving import Stop, in_order, seeds_of, sooner_deadline
from largemargin.numerics.progress_log import logger
from largemargin.numerics.threads import one_blas_thread
from largemargin.solvers import Progress
from largemargin.solvers.path import Answers, OutOfTime, solve_path

# With fewer rows than this, a second thread makes the computation of Gram matrices slower.
THREADED_ROWS = 2000
# Progress is reported after each task, and during a task at this interval.
REPORT_SECONDS = 1.0
# The time left is estimated after this part of the work: the first fits also load code.
FIRST_PART = 0.03
# Parts of fits add up to whole ones, except for this.
ROUNDING = 1e-6
# Scores of test rows are stored until the best point is known, up to this many bytes.
MAX_KEPT_BYTES = 2**28
# Scores by all solutions are computed for so many test rows that they are about this many.
MAX_SCORES = 2**24


class Task(NamedTuple):
    """The points, by number, that share a design, such as a kernel width, in one fold."""

    design: int
    fold: int
    numbers: list[int]


class Fold(NamedTuple):
    """Training and test rows of one split."""

    rows: Rows
    X_test: Any
    y_test: np.ndarray
    test_weight: np.ndarray | None


class SolvedPart(NamedTuple):
    """The space of some of the rows, by their index, and a path for each problem there."""

    members: np.ndarray | slice
    space: Space
    paths: list[Answers]


class Solved(NamedTuple):
    """The solutions of a task, and the space that all parts of its rows share."""

    machine: Any
    space: Space
    labels: np.ndarray
    parts: list[SolvedPart]

    @property
    def paths(self) -> list[Answers]:
        """The path of each problem."""
        return [path for part in self.parts for path in part.paths]


def at_point(machine, point):
    """Return a copy of an estimator with the parameters of a point."""
    other = copy(machine)
    vars(other).update(point)
    return other


class CrossValidation:
    """Scores of an estimator with a recipe at many points, in each fold.

    Without a scorer, the score is that of the encoder, such as the accuracy. Points may
    differ in parameters of the space, which need a design of their own, or of the problem:
    prices and loss. Parameters of the encoder and the solver are the same at all points.
    """

    def __init__(self, machine, points, scorer, *, n_jobs, verbose, keeps_unseen, deadline):
        self.machine, self.points, self.scorer = machine, points, scorer
        self.encoder = recipe_of(machine).encoder
        self.deadline = deadline
        self.n_jobs, self.verbose, self.keeps_unseen = n_jobs, verbose, keeps_unseen
        self.stop, self.lock = Stop(), Lock()
        # Fits that are done; a problem of several classes counts as a part of a fit.
        self.done, self.n_fits = 0.0, 0
        self.begin = self.reported = time.perf_counter()

    def run(self, X, y, sample_weight, splits) -> SearchResults:
        """Return the results of all points in all splits."""
        by_design: dict[tuple, list[int]] = {}
        names = recipe_of(self.machine).space.parameters
        for k, point in enumerate(self.points):
            by_design.setdefault(tuple(map(point.get, names)), []).append(k)
        tasks = [
            Task(design, fold, numbers)
            for design, numbers in enumerate(by_design.values())
            for fold in range(len(splits))
        ]
        self.n_waiting = len(tasks)
        self.n_fits = len(self.points) * len(splits)
        n_kept = len(y) * len(self.points) * self.encoder.n_scores(y)
        n_bytes = n_kept * np.dtype(self.encoder.kept_type).itemsize
        self.keeps_unseen &= n_bytes <= MAX_KEPT_BYTES
        self.results = SearchResults(len(self.points), splits)
        self.n_threads = n_threads = min(effective_n_jobs(self.n_jobs), len(tasks))
        single = n_threads > 1 or X.shape[0] < THREADED_ROWS
        attempt = partial(self._attempt, X, y, sample_weight)
        try:
            with one_blas_thread() if single else nullcontext():
                in_order(attempt, tasks, n_threads, self.stop)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"the search was interrupted after {self._n_done} of {self.n_fits} fits "
                f"({len(self.points)} points in {len(splits)} folds)"
            ) from None
        return self.results

    @property
    def _n_done(self):
        return int(self.done + ROUNDING)

    def _count(self, part):
        """Count a part of a fit."""
        with self.lock:
            self.done += part
            is_due = time.perf_counter() > self.reported + REPORT_SECONDS
        if is_due:
            self._report()

    def _report(self):
        if self.verbose:
            self.reported = time.perf_counter()
            seconds, done = self.reported - self.begin, (self._n_done, self.n_fits)
            text, values = "%d of %d fits, %.1f s", (*done, seconds)
            if self.done >= FIRST_PART * self.n_fits:
                text += ", %.1f s left"
                values = *values, seconds * max(self.n_fits / self.done - 1.0, 0.0)
            logger.info(text, *values, extra={"progress": done})

    def _attempt(self, X, y, sample_weight, task):
        """Work on a task; an error of the whole task counts for all of its points."""
        # Later tasks get their share of the time that is left.
        with self.lock:
            share = min(1.0, self.n_threads / self.n_waiting)
            self.n_waiting -= 1
        deadline = sooner_deadline(self.deadline, share)
        try:
            # The first design is tried in every fold, so that there is a best point.
            if task.design > 0 and time.perf_counter() >= self.deadline:
                raise OutOfTime
            self._work(self._fold(X, y, sample_weight, task.fold), task, deadline)
        except Exception as error:
            self.results.fail(task.numbers, task.fold, error)
        self._report()

    def _fold(self, X, y, sample_weight, number):
        machine, (train, test) = self.machine, self.results.splits[number]
        X_train, y_train = safe_split(machine, X, y, train)
        X_test, y_test = safe_split(machine, X, y, test, train)
        weight = test_weight = None
        if sample_weight is not None:
            weight, test_weight = sample_weight[train], sample_weight[test]
            if not test_weight.any():
                raise ValueError(f"Fold {number} has no row of any weight to test on.")
        rows = Rows(X_train, y_train, weights_of(self.encoder, X_train, y_train, weight))
        return Fold(rows, X_test, y_test, test_weight)

    def _work(self, fold, task, deadline):
        begin = time.perf_counter()
        results, points = self.results, [self.points[k] for k in task.numbers]
        machine = clone(self.machine).set_params(**points[0])
        machine.n_features_in_ = fold.rows.X.shape[1]
        solved = self._solve(machine, fold.rows, points, deadline)
        # The points that share the same solutions.
        served = {}
        for position, k in enumerate(task.numbers):
            answers = [path.answers[position] for path in solved.paths]
            errors = [answer for answer in answers if isinstance(answer, Exception)]
            if errors:
                results.fail([k], task.fold, errors[0])
                continue
            is_short = any(a.certificate.relative > machine.tol for a in answers)
            results.short[k, task.fold] = is_short
            served.setdefault(tuple(a.number for a in answers), []).append(k)
        when_solved = time.perf_counter()
        if served and (self.scorer is None or self.keeps_unseen):
            judged = judgements(solved, fold, list(served))
            for values, ks in zip(judged, served.values(), strict=True):
                if self.scorer is None:
                    self._judge(solved, fold, values, (ks, task.fold))
                if self.keeps_unseen:
                    kept = values.astype(self.encoder.kept_type)
                    results.unseen.update(dict.fromkeys([(k, task.fold) for k in ks], kept))
        if self.scorer is not None:
            for combination, ks in served.items():
                self._score(solved, fold, combination, (ks, task.fold))
        place, n_points = (task.numbers, task.fold), len(points)
        results.seconds[place] = (when_solved - begin) / n_points
        results.score_seconds[place] = (time.perf_counter() - when_solved) / n_points

    def _solve(self, machine, rows, points, deadline):
        """Return the solutions that answer the problems of the points."""
        recipe = recipe_of(machine)
        labels, parts = recipe.encoder.encode(rows.labels, type(machine).__name__)
        shared = recipe.space if len(parts) == 1 else recipe.space.share(rows)
        recipes = [recipe_of(at_point(machine, point)) for point in points]
        n_problems = sum(len(targets) for _, targets in parts)
        seeds = seeds_of(machine, n_problems)
        solved, number = [], 0
        for members, targets in parts:
            own = rows.only(members)
            space = shared if len(parts) == 1 else copy(shared)
            design, paths = space.design(own), []
            for k, one in enumerate(targets):
                path = solve_path(
                    [other.pose(one, own.weight, k).on(design) for other in recipes],
                    recipe.solver,
                    solves=[other.solve for other in recipes],
                    seed=seeds[number],
                    tol=machine.tol,
                    max_iter=machine.max_iter,
                    progress=partial(
                        Progress,
                        self.stop.check,
                        deadline=sooner_deadline(deadline, 1.0 / (n_problems - number)),
                    ),
                    on_answer=partial(self._count, 1.0 / n_problems),
                )
                paths.append(path)
                number += 1
            solved.append(SolvedPart(members, space, paths))
        return Solved(machine, shared, labels, solved)

    def _judge(self, solved, fold, values, place):
        """Score the scores of the test rows."""
        given = fold.y_test, solved.labels, values, fold.test_weight
        try:
            self.results.scores[place] = float(self.encoder.score(*given))
        except Exception as error:
            self.results.fail(*place, error)

    def _score(self, solved, fold, combination, place):
        """Score the fitted estimator of the points that a combination serves."""
        extra = {}
        if fold.test_weight is not None:
            taken = inspect.signature(self.scorer).parameters.values()
            if any(p.name == "sample_weight" or p.kind == p.VAR_KEYWORD for p in taken):
                extra["sample_weight"] = fold.test_weight
        fitted = at_point(solved.machine, self.points[place[0][0]])
        numbers, found = iter(combination), []
        try:
            for members, space, paths in solved.parts:
                chosen = [path.solutions[next(numbers)] for path in paths]
                found.append(space.finish(fold.rows.only(members), chosen))
            histories = [{} for _ in combination]
            recipe = recipe_of(fitted)
            if recipe.keep is not None:
                _, parts = recipe.posed(fold.rows, type(fitted).__name__)
                recipe.keep(fitted, [one for part in parts for one in part.problems])
            keep_results(fitted, self.encoder, solved.labels, fold.rows, found, histories)
            solved.space.store(fitted, fold.rows, found)
            value = self.scorer(fitted, fold.X_test, fold.y_test, **extra)
            self.results.scores[place] = float(value)
        except Exception as error:
            self.results.fail(*place, error)


def judgements(solved, fold, combinations):
    """Return the scores of the test rows by each combination, one column per problem."""
    solutions = [path.solutions for path in solved.paths]
    ends = np.cumsum([len(some) for some in solutions])
    offsets = np.array([one.intercept for some in solutions for one in some])
    columns = [
        np.array(chosen) + ends - list(map(len, solutions)) for chosen in combinations
    ]
    parts = [
        (part.members, np.concatenate([part.space.expand(p.solutions) for p in part.paths]))
        for part in solved.parts
    ]
    n_rows, height = fold.X_test.shape[0], max(1, MAX_SCORES // ends[-1])
    judged = [[] for _ in combinations]
    for start in range(0, n_rows, height):
        X = fold.X_test[start : start + height]
        scores = solved.space.score(X, fold.rows, parts) + offsets
        for blocks, chosen in zip(judged, columns, strict=True):
            blocks.append(scores[:, chosen])
    return list(map(np.concatenate, judged))
