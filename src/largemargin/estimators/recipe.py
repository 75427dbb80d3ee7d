"""What a certified machine is made of: all that others may ask of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from largemargin.problem import Problem
from largemargin.solvers import solve


class Encoder(Protocol):
    """How ``y`` becomes the targets of problems, see ``targets``."""

    # Whether leaving a row out changes the weights of others.
    weights_depend_on_others: bool

    def check(self, y):
        """Raise if ``y`` is nothing that can be encoded."""

    def weighted(self, y, weight):
        """Return the weights, multiplied by what ``y`` says of them."""

    def encode(self, y, name):
        """Return the labels, and the targets of each machine."""


class Space(Protocol):
    """How rows become a design, and solutions on it what a machine keeps."""

    # Parameters of the machine that the design depends on.
    parameters: tuple[str, ...]

    def design(self, rows):
        """Return the design of the rows that count."""

    def last_elements(self, machine, rows):
        """Return where the last fit of a machine ended, one element per machine."""

    def keep(self, machine, rows, solutions, problems=None, deadline=float("inf")):
        """Store elements in a machine; return the solutions, examined as they are stored.

        Without ``problems`` there is nothing to examine.
        """

    def score(self, X, rows, solutions):
        """Return the scores, without intercepts, of new rows by solutions on the rows."""

    def settled(self, machine):
        """Return the parameters that the last fit of a machine took from the data."""


@dataclass(frozen=True)
class Recipe:
    """The parts of a machine.

    ``pose(targets, weight)`` returns the problem of one machine, still without a design;
    ``solve`` solves it, as ``solvers.solve`` does.
    """

    encoder: Encoder
    space: Space
    pose: Callable[..., Problem]
    solver: str = "auto"
    solve: Callable = solve

    def posed(self, rows, name):
        """Return the labels, and a problem for each machine, still without a design."""
        labels, targets = self.encoder.encode(rows.labels, name)
        return labels, [self.pose(one, rows.weight) for one in targets]


def recipe_of(machine):
    """Return the recipe of a machine at its present parameters, None if it has none.

    A machine with a recipe has a method ``__largemargin_recipe__``, the parameters ``tol``,
    ``max_iter``, ``time_limit``, ``n_jobs`` and ``verbose`` and, where there is a choice,
    ``random_state`` and ``warm_start``. Once fitted it has ``dual_beta_``, ``intercept_``
    and what its space keeps.
    """
    if not hasattr(type(machine), "__largemargin_recipe__"):
        return None
    return machine.__largemargin_recipe__()
