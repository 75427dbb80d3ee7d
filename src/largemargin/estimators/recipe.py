"""The parts of a certified estimator, which fits, searches and inspection work with."""

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
        """Raise if ``y`` cannot be encoded."""

    def weighted(self, y, weight):
        """Return the weights of the rows, given those of the user and ``y``."""

    def encode(self, y, name):
        """Return the labels, and the targets of each problem."""


class Space(Protocol):
    """How rows become a design, and how an estimator stores its solutions."""

    # Parameters of the estimator that the design depends on.
    parameters: tuple[str, ...]

    def design(self, rows):
        """Return the design of the rows that count."""

    def last_elements(self, machine, rows):
        """Return the elements of the last fit, one per problem."""

    def keep(self, machine, rows, solutions, problems=None, deadline=float("inf")):
        """Store the elements; return the solutions, examined if ``problems`` are given."""

    def score(self, X, rows, solutions):
        """Return the scores, without intercepts, of new rows by solutions on the rows."""

    def settled(self, machine):
        """Return the parameters that the last fit took from the data."""


@dataclass(frozen=True)
class Recipe:
    """The parts of an estimator.

    ``pose(targets, weight)`` returns a problem without a design; ``solve`` solves it, as
    ``solvers.solve`` does.
    """

    encoder: Encoder
    space: Space
    pose: Callable[..., Problem]
    solver: str = "auto"
    solve: Callable = solve

    def posed(self, rows, name):
        """Return the labels, and the problems, without a design."""
        labels, targets = self.encoder.encode(rows.labels, name)
        return labels, [self.pose(one, rows.weight) for one in targets]


def recipe_of(machine):
    """Return the recipe of an estimator with its parameters, None if it has none.

    An estimator with a recipe has a method ``__largemargin_recipe__`` and the parameters
    ``tol``, ``max_iter``, ``time_limit``, ``n_jobs``, ``verbose``, and possibly
    ``random_state`` and ``warm_start``. Once fitted it has ``dual_beta_``, ``intercept_``
    and what its space stores.
    """
    return getattr(machine, "__largemargin_recipe__", lambda: None)()
