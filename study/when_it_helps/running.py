"""Runs the tasks of this study."""

from dataclasses import dataclass

from study.defaults.running import DefaultsRun
from study.defaults.tasks import survey
from study.when_it_helps.conditions import CONDITIONS
from study.when_it_helps.tasks import Task, perform


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes
    ----------
    sources : tuple of Source
        The data sets; each condition takes those that it has.

    conditions : tuple of str
        Which of them to run.

    splits : int
        Number of random splits of each set.
    """

    sources: tuple
    conditions: tuple = tuple(CONDITIONS)
    splits: int = 10

    def tasks(self, source, known):
        """Return the tasks for a data set."""
        return [
            Task(source, name, method, repetition)
            for repetition in range(self.splits)
            for name in self.conditions
            if known.name in CONDITIONS[name].sets
            for method in CONDITIONS[name].methods
        ]

    def refuse(self):
        """Raise ValueError: there is nothing to measure."""
        raise ValueError(
            "Nothing to measure: none of these conditions is about these sets. 'list' "
            "shows which set belongs to which."
        )


class HelpsRun(DefaultsRun):
    """A run of this study; parameters are those of the run it inherits from."""

    @property
    def survey(self):
        """What looks at a data set."""
        return survey

    @property
    def perform(self):
        """What does a task."""
        return perform
