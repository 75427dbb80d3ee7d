"""Runs the tasks of the study of defaults and estimates the time that is left."""

import time
from collections import defaultdict
from dataclasses import dataclass

from study.defaults.candidates import METHODS
from study.defaults.tasks import SCALINGS, Task, n_splits, perform, survey
from study.runner import Run

# Seconds between two lines of progress.
PAUSE = 30.0


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes
    ----------
    sources : tuple of Source
        The data sets.

    methods, scalings : tuple of str
        Which of them to run.

    max_splits : int or None
        At most this many splits of each set.
    """

    sources: tuple
    methods: tuple = tuple(METHODS)
    scalings: tuple = tuple(SCALINGS)
    max_splits: int | None = None

    def tasks(self, source, known):
        """Return the tasks for a data set."""
        n = n_splits(known)
        n = n if self.max_splits is None else min(n, self.max_splits)
        return [
            Task(source, scaling, method, repetition)
            for repetition in range(n)
            for scaling in self.scalings
            for method in self.methods
            if METHODS[method].as_binary is None or known.classes > 2
        ]

    def refuse(self):
        """Raise ValueError: there is nothing to measure."""
        raise ValueError(
            "Nothing to measure on these sets with these methods: those named 'ovr' are "
            "run on sets with more than two classes only."
        )


class Costs:
    """The mean CPU seconds of tasks, from those that have ended.

    A task without results of its set and method costs what its method costs on average,
    and before that what all tasks do.
    """

    def __init__(self, results=()):
        self.seconds = defaultdict(list)
        for result in results:
            self.add(result)

    def add(self, result):
        """Take in one result."""
        own = result.dataset, result.method
        for key in (own, result.method, None):
            self.seconds[key].append(result.cpu_seconds)

    def of(self, task):
        """Return what a task will probably cost; None if nothing is known."""
        for key in ((task.source.name, task.method), task.method, None):
            if self.seconds.get(key):
                return sum(self.seconds[key]) / len(self.seconds[key])
        return None


class DefaultsRun(Run):
    """A run of this study, which notes how long tasks take.

    Parameters are those of :class:`study.runner.Run`; ``on_progress`` is called with the
    number of finished tasks, the number of all tasks, and a function that returns the
    seconds that are left, or None as long as nothing is known.
    """

    def __init__(self, store, n_jobs, on_progress):
        super().__init__(store, n_jobs, self._told)
        self.tell = on_progress
        self.costs = Costs(store.results())
        self.waiting = {}
        self.cpu_seconds = 0.0

    @property
    def survey(self):
        """What looks at a data set."""
        return survey

    @property
    def perform(self):
        """What does a task."""
        return perform

    def _queue(self, plan):
        queue = super()._queue(plan)
        self.waiting = {task.key: task for task in queue}
        return queue

    def _keep(self, result):
        super()._keep(result)
        self.costs.add(result)
        self.cpu_seconds += result.cpu_seconds

    def _told(self, n_done, n_tasks, task):
        if task is not None:
            self.waiting.pop(task.key, None)
        self.tell(n_done, n_tasks, self.seconds_left)

    def seconds_left(self):
        """Return an estimate of the time until the end; None if nothing is known."""
        costs = [self.costs.of(one) for one in self.waiting.values()]
        return None if None in costs else sum(costs) / self.n_jobs


class Lines:
    """Progress as lines of text, at most one every half minute.

    Parameters
    ----------
    write : callable
        Writes one line.
    """

    def __init__(self, write):
        self.write = write
        self.last = -float("inf")

    def __call__(self, n_done, n_tasks, seconds_left):
        """Write how far the run is, if there was no line for a while."""
        now = time.monotonic()
        if now - self.last < PAUSE and n_done < n_tasks:
            return
        self.last = now
        left = seconds_left()
        rest = "" if left is None else f", about {in_words(left)} left"
        self.write(f"{n_done} of {n_tasks} tasks{rest}")


def in_words(seconds):
    """Return a length of time in a unit that suits it.

    Examples
    --------
    >>> in_words(90)
    '2 minutes'
    >>> in_words(9000)
    '2.5 hours'
    """
    if seconds < 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
