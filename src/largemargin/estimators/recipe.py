"""The parts of a certified estimator, which fits, searches and inspection work with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from largemargin.estimators.self_tuning import WORD, tuned
from largemargin.problem import Problem
from largemargin.solvers import solve


class Encoder(Protocol):
    """How ``y`` becomes the targets of problems, see ``targets`` and ``values``."""

    # How scikit-learn validates ``y``; None if there is none.
    y_options: dict[str, Any] | None
    # Whether leaving a row out changes the weights of others.
    weights_depend_on_others: bool

    def checked(self, y):
        """Return ``y``, or raise if it cannot be encoded."""

    def weighted(self, y, weight):
        """Return the weights of the rows, given those of the user and ``y``."""

    def encode(self, y, name):
        """Return the labels, and the parts of the rows with the targets of problems."""

    def store(self, machine, labels, means, variances):
        """Store the labels, and the means and variances of the margins."""


class Searched(Encoder, Protocol):
    """What searches ask of the encoder of their estimator, too."""

    # The name of the scorer that returns ``score``, if there is one.
    default_scoring: str | None
    # The type of the scores of held-out rows, which are stored for all points.
    kept_type: type

    def splits(self, cv, X, y, groups=None):
        """Return the splits of rows into training and test folds."""

    def n_scores(self, y):
        """Return the number of problems, each of which gives a row a score."""

    def score(self, y, labels, scores, weight):
        """Return what an estimator scores that gives rows with targets ``y`` these scores.

        ``scores`` has a column per problem, and ``labels`` are those of the training rows.
        """


class Space(Protocol):
    """How rows become a design, and how an estimator stores its solutions."""

    # Parameters of the estimator that the design depends on.
    parameters: tuple[str, ...]

    def share(self, rows):
        """Return the space in which the designs of parts of the rows are made."""

    # Whether the last design has fewer digits than are usual for its number of rows.
    is_narrowed: bool

    def design(self, rows, few_digits=False):
        """Return the design of the rows that count, narrowed if few digits may do."""

    def last_elements(self, machine, rows, problems):
        """Return the elements of some problems, by a slice, of the last fit."""

    def finish(self, rows, solutions, problems=None, deadline=float("inf")):
        """Return what an estimator stores; examine solutions if ``problems`` are given."""

    def store(self, machine, rows, found):
        """Store the elements that were found in the parts of the rows."""

    def expand(self, solutions):
        """Return the elements of solutions in the form in which they are stored."""

    def score(self, X, rows, parts):
        """Return the scores of new rows, without intercepts, by elements on the rows.

        ``parts`` are pairs of an index of rows that count and expanded elements there.
        """

    def settled(self, machine):
        """Return the parameters that the last fit took from the data."""


class Found(NamedTuple):
    """What an estimator stores of the solutions on some of the rows.

    ``places`` are the indices of these rows among all, ``elements`` the elements in the
    form in which they are stored, and ``products`` their inner products if the estimator
    stores them. ``residual`` is the share of the trace that a low-rank model leaves out.
    """

    places: np.ndarray
    elements: np.ndarray
    solutions: list[Any]
    products: np.ndarray | None = None
    residual: float | None = None


def products_of(found):
    """Return the inner products of all elements, or the squares of those of pairs."""
    if len(found) == 1:
        return found[0].products
    return np.concatenate([np.diagonal(one.products) for one in found])


class PosedPart(NamedTuple):
    """Some of the rows, by an index of those that count, and the problems on them."""

    members: np.ndarray | slice
    problems: list[Problem]


@dataclass(frozen=True)
class Recipe:
    """The parts of an estimator.

    ``pose(targets, weight, number)`` returns a problem without a design, given its number
    among those on the same rows; ``solve`` solves it, as ``solvers.solve`` does.
    ``curvature`` is that of the terms of a margin for C = 1, if C may be "loo", see
    ``self_tuning``; ``tune(machine, rows, recipe)`` chooses it. ``settle(rows)`` returns
    the recipe with prices that follow from the rows. ``keep(machine, problems)`` stores
    the prices that the problems of a fit have.
    """

    encoder: Encoder
    space: Space
    pose: Callable[..., Problem]
    solver: str = "auto"
    solve: Callable = solve
    curvature: float | None = None
    tune: Callable = tuned
    settle: Callable | None = None
    keep: Callable | None = None

    def settled(self, machine):
        """Return the parameters of a fitted machine that its fit took from the data."""
        chosen = {"C": machine.C_} if getattr(machine, "C", None) == WORD else {}
        chosen = getattr(machine, "loo_results_", {}).get("chosen", chosen)
        return {**chosen, **self.space.settled(machine)}

    @property
    def solves_small(self):
        """Whether the space has a solver of its own for small problems."""
        return self.solve is solve and hasattr(self.space, "solve_small")

    def posed(self, rows, name):
        """Return the labels, and the parts of the rows with their problems."""
        labels, parts = self.encoder.encode(rows.labels, name)
        posed = []
        for members, targets in parts:
            weight = rows.weight[members]  # one array, by which designs know the weights
            problems = [self.pose(one, weight, k) for k, one in enumerate(targets)]
            posed.append(PosedPart(members, problems))
        return labels, posed


def recipe_of(machine):
    """Return the recipe of an estimator with its parameters, None if it has none.

    An estimator with a recipe has a method ``__largemargin_recipe__`` and the parameters
    ``tol``, ``max_iter``, ``time_limit``, ``n_jobs``, ``verbose``, and possibly
    ``random_state`` and ``warm_start``. Once fitted it has ``dual_beta_``, ``intercept_``
    and what its space stores.
    """
    return getattr(machine, "__largemargin_recipe__", lambda: None)()
