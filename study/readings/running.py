"""Runs the tasks of this study."""

from dataclasses import dataclass

from study.readings.scalings import METHODS
from study.readings.tasks import Task, perform
from study.runner import Run


@dataclass(frozen=True)
class Plan:
    """What to measure: data sets, methods, and how many random halves of each set."""

    sources: tuple
    methods: tuple = tuple(METHODS)
    repetitions: int = 10

    def tasks(self, source, scale):
        """Return the tasks for a data set."""
        return [
            Task(source, method, repetition)
            for repetition in range(self.repetitions)
            for method in self.methods
        ]


class ReadingsRun(Run):
    """A run of this study; parameters are those of :class:`study.runner.Run`."""

    @property
    def perform(self):
        """What does a task."""
        return perform
