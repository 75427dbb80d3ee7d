"""Runs the tasks of a study in worker processes and stores each result at once."""

import logging
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field, replace

from joblib.externals.loky import get_reusable_executor

from study import datasets
from study.methods import STUDIED
from study.protocols import KERNELS_BY_SCALE, PROTOCOLS, REPETITIONS
from study.store import StoreError
from study.tasks import Task, perform, survey

logger = logging.getLogger("largemargin")


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes
    ----------
    sources : tuple of Source
        The data sets.

    protocols, methods, kernels : tuple of str
        Which of them to run; combinations that do not exist are left out.

    repetitions : dict
        How many random halves of a "regular" and of a "large" data set.
    """

    sources: tuple
    protocols: tuple = tuple(PROTOCOLS)
    methods: tuple = tuple(STUDIED)
    kernels: tuple = ("linear", "rbf")
    repetitions: dict = field(default_factory=lambda: dict(REPETITIONS))

    def tasks(self, source, scale):
        """Return the tasks for a data set."""
        return [
            Task(source, protocol, kernel, name, repetition)
            for repetition in range(self.repetitions[scale])
            for protocol in self.protocols
            for kernel in KERNELS_BY_SCALE[scale]
            for name, method in STUDIED.items()
            if name in self.methods
            and kernel in self.kernels
            and kernel in method.machines
            and scale in method.scales
            and protocol in method.protocols
        ]

    def refuse(self):
        """Raise ValueError: the sets that are there leave nothing to measure."""
        ways = {
            name: (STUDIED[name].machines, STUDIED[name].protocols, STUDIED[name].scales)
            for name in self.methods
        }
        known = [
            f"{name} has kernel {' and '.join(kernels)}, protocol "
            f"{' and '.join(protocols)}, {' and '.join(scales)} sets"
            for name, (kernels, protocols, scales) in ways.items()
        ]
        raise ValueError(
            f"Nothing to measure on these sets with kernel "
            f"{' and '.join(self.kernels) or 'none'}, protocol "
            f"{' and '.join(self.protocols)}: {'; '.join(known) or 'no method was given'}. "
            "Large sets have the linear kernel only."
        )


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    n_done : int
        How many results it added to the store.

    missing : dict
        Why a data set is missing, by its name.

    skipped : list of Task
        Tasks that need the parameters of a method without a result.

    failures : list of (str, str)
        What failed, and why.
    """

    n_done: int = 0
    missing: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)
    failures: list = field(default_factory=list)


def ignore(n_done, n_tasks, task):
    """Do nothing."""


def run(plan, store, *, n_jobs=1, on_progress=ignore):
    """Measure what the plan asks for and the store does not have yet.

    Parameters
    ----------
    plan : Plan
        What to measure.

    store : Store
        Where results are, and go as soon as they are there.

    n_jobs : int, default=1
        Worker processes, each with one thread.

    on_progress : callable
        Called with the number of finished tasks, the number of all tasks, and the task that
        finished last (None at the start).

    Returns
    -------
    outcome : Outcome
        If one task fails, the others are still done.
    """
    with store, Run(store, n_jobs, on_progress) as going:
        return going.complete(plan)


class Run:
    """The state of a run: the tasks that wait, and the outcome of the others."""

    def __init__(self, store, n_jobs, on_progress):
        self.store, self.n_jobs, self.on_progress = store, n_jobs, on_progress
        self.outcome = Outcome()
        self.chosen = {result.key: result.chosen for result in store.results()}
        self.followers = {}
        self.n_ended = self.n_tasks = 0
        self.pool = None

    def __enter__(self):
        return self

    def __exit__(self, kind, *details):
        if kind is KeyboardInterrupt:
            # A thread of the pool may find workers that the same interrupt has ended, and
            # print a traceback of it.
            threading.excepthook = lambda arguments: None
        # Workers keep data in memory, and after an interrupt nobody waits for them.
        if self.pool is not None:
            self.pool.shutdown(kill_workers=True)

    @property
    def survey(self):
        """What looks at a data set, in a worker process."""
        return survey

    @property
    def perform(self):
        """What does a task, in a worker process."""
        return perform

    def complete(self, plan):
        """Look at the data sets, then do their tasks; return the outcome."""
        queue = self._queue(plan)
        self.n_tasks = len(queue) + sum(map(len, self.followers.values()))
        self.on_progress(0, self.n_tasks, None)
        for task, future in self._ended(self.perform, queue):
            error = future.exception()
            if error is None:
                self._keep(future.result())
            else:
                self._fail(task, error)
            self._report(task)
            self._release(task, queue)
        return self.outcome

    def _queue(self, plan):
        """Return the tasks to begin with, and note which ones wait for another's end.

        Repetition by repetition, so that an early end leaves full tables of fewer
        repetitions; the largest set first, so that no long task is left for the end.
        """
        tasks, rows = [], {}
        for source, (facts, scale) in self._surveyed(plan):
            rows[source] = facts.rows
            tasks += plan.tasks(source, scale)
        if rows and not tasks:
            plan.refuse()
        # A sort keeps the order of what is equal.
        tasks.sort(key=lambda task: (task.repetition, -rows[task.source], task.source.name))
        waiting = {task.key: task for task in tasks if task.key not in self.chosen}
        queue = deque()
        for task in waiting.values():
            if task.leader is None:
                queue.append(task)
            elif task.leader in self.chosen:
                queue.append(replace(task, chosen=self.chosen[task.leader]))
            elif task.leader in waiting:
                self.followers.setdefault(task.leader, []).append(task)
            else:
                self._skip(task)
        return queue

    def _surveyed(self, plan):
        """Return the sources that are there, with what a first look says of them."""
        found = []
        for source, future in self._ended(self.survey, deque(plan.sources)):
            error = future.exception()
            if isinstance(error, datasets.MissingDataset):
                self.outcome.missing[source.name] = str(error)
            elif error is not None:
                self._fail(source.name, error)
            elif self._noted(source.name, future.result()[0]):
                found.append((source, future.result()))
        return found

    def _noted(self, name, facts):
        try:
            self.store.note_dataset(name, facts)
        except StoreError as error:
            self._fail(name, error)
            return False
        return True

    def _ended(self, work, queue):
        """Yield each item of the queue, which may grow, with its future once it ended."""
        running = {}
        while queue or running:
            while queue and len(running) < self.n_jobs:
                item = queue.popleft()
                # Asked for each time: a pool whose process died is replaced.
                self.pool = get_reusable_executor(self.n_jobs)
                running[self.pool.submit(work, item)] = item
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future

    def _release(self, leader, queue):
        """Let the followers of a task begin, or skip them if it failed."""
        for task in reversed(self.followers.pop(leader.key, [])):
            if leader.key in self.chosen:
                queue.appendleft(replace(task, chosen=self.chosen[leader.key]))
            else:
                self._skip(task)
                self._report(task)

    def _keep(self, result):
        self.store.append([result])
        self.chosen[result.key] = result.chosen
        self.outcome.n_done += 1

    def _skip(self, task):
        self.outcome.skipped.append(task)

    def _fail(self, what, error):
        reason = f"{type(error).__name__}: {error}"
        logger.info("failed: %s: %s", what, reason)
        self.outcome.failures.append((str(what), reason))

    def _report(self, task):
        self.n_ended += 1
        self.on_progress(self.n_ended, self.n_tasks, task)
