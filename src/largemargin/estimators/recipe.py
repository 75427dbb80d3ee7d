"""What a certified machine is made of: all that others may ask of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from largemargin.estimators.targets import Classes
from largemargin.problem import Problem
from largemargin.solvers import solve


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


@dataclass(frozen=True)
class Recipe:
    """The parts of a machine.

    ``pose(targets, weight)`` returns the problem of one machine, still without a design;
    ``solve`` solves it, as ``solvers.solve`` does.
    """

    encoder: Classes
    space: Space
    pose: Callable[..., Problem]
    solver: str = "auto"
    solve: Callable = solve

    def posed(self, rows, name):
        """Return the labels, and a problem for each machine, still without a design."""
        labels, targets = self.encoder.encode(rows.labels, name)
        return labels, [self.pose(one, rows.weight) for one in targets]


class CertifiedMachine(Protocol):
    """An estimator that tells its recipe.

    Its parameters are ``tol``, ``max_iter``, ``time_limit``, ``n_jobs`` and ``verbose``,
    and as far as it has them ``random_state`` and ``warm_start``. Once fitted it has
    ``dual_beta_`` and ``intercept_``.
    """

    def __largemargin_recipe__(self) -> Recipe:
        """Return the parts of the machine at its present parameters."""


def recipe_of(machine):
    """Return the recipe of a machine, None if it is not a certified one."""
    if not hasattr(type(machine), "__largemargin_recipe__"):
        return None
    return machine.__largemargin_recipe__()
