"""Runs the tasks of the study of regression."""

from dataclasses import dataclass

from study.defaults.running import DefaultsRun
from study.regression.methods import METHODS
from study.regression.tasks import TARGETS, Task, n_splits, perform, survey


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes
    ----------
    sources : tuple of Source
        The data sets.

    methods, targets : tuple of str
        Which of them to run.

    max_splits : int or None
        At most this many splits of each set.
    """

    sources: tuple
    methods: tuple = tuple(METHODS)
    targets: tuple = TARGETS
    max_splits: int | None = None

    def tasks(self, source, known):
        """Return the tasks for a data set."""
        n = n_splits(known)
        n = n if self.max_splits is None else min(n, self.max_splits)
        return [
            Task(source, targets, method, repetition)
            for repetition in range(n)
            for targets in self.targets
            for method in self.methods
        ]

    def refuse(self):
        """Raise ValueError: there is nothing to measure."""
        raise ValueError("Nothing to measure on these sets with these methods.")


class RegressionRun(DefaultsRun):
    """A run of this study; parameters are those of its base class."""

    @property
    def survey(self):
        """What looks at a data set."""
        return survey

    @property
    def perform(self):
        """What does a task."""
        return perform
