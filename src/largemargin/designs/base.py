"""What a design is: stored rows, and the products with them that solvers need.

An *element* is a vector of the feature space, such as ``w``. It is an array whose meaning
only the design knows: one number per feature, or one coefficient per row. Callers may add
elements and multiply them by numbers; inner products are left to the design. The *scores*
of an element are its inner products with all rows.

Solvers need four things of every design: scores, combinations of rows, Newton steps, and
bounds of the rounding errors of what they end with. Beyond these there are capabilities: a
design declares those it has, and its users declare those they need. docs/add_a_design.md
shows how to write a design.
"""

import operator
from collections.abc import Callable, Hashable
from enum import Enum
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from largemargin.numerics.interrupt import interruptible
from largemargin.numerics.rounding import add_wide_dot

Array = np.ndarray
# Work on more numbers than this takes longer than starting a thread, and is interruptible.
MANY = 1_000_000


class Capability(Enum):
    """What only some designs can do; the value describes it in messages.

    ``FEATURES``: ``n_features``, elements with one number per feature, ``second_moment``,
    Newton systems for problems with prices of squares. ``ROWS``, which comes with
    ``FEATURES``: ``rows`` for compiled loops, and whether ``sweeps_are_cheap``. ``GRAM``:
    ``gram_matrix``, ``damped_inverse``, ``on_features``, and the methods of
    ``FactorableDesign``. ``PRODUCTS``: the methods of ``FactorableDesign``, and
    ``pass_seconds``, the time that a product takes. ``INNER_PRODUCTS``:
    ``as_gram_design``. ``REMOVAL``, which comes with ``FEATURES`` or ``GRAM``:
    ``without`` and ``score_of``.
    """

    FEATURES = "elements with one number per feature"
    ROWS = "rows in memory, to be visited one at a time"
    GRAM = "a Gram matrix in memory"
    PRODUCTS = "products with a Gram matrix that is not stored"
    INNER_PRODUCTS = "inner products of all pairs of rows"
    REMOVAL = "the removal of single rows"


class MissingCapability(ValueError):
    """Raised where a design cannot do what is needed of it."""


class Measured(NamedTuple):
    """Scores and squared length of an element, with bounds of their errors.

    ``errors`` bounds the errors of the scores. ``value_errors`` is the bound to use for the
    objective, which takes the entries of a float32 Gram matrix as exact.
    """

    scores: Array
    errors: Array
    value_errors: Array
    square: float
    square_error: float


class Curvature(NamedTuple):
    """Second derivative of the margin terms with respect to the scores.

    It is the matrix ``diag(weight * spread + extra) - mean mean' - border border'``.
    ``spread`` comes from the squared terms. ``extra`` comes from the smoothed losses and is
    zero except on rows near a kink. ``mean`` stands for the mean of the margins and
    ``border`` for the intercept; either may be None.
    """

    weight: Array
    spread: float
    extra: Array
    mean: Array | None
    border: Array | None

    @property
    def downdates(self) -> list[Array]:
        """The downdates that are present."""
        return [part for part in (self.mean, self.border) if part is not None]


# Solves a Newton system for a slope; the number is the accuracy where it iterates.
NewtonSolve = Callable[[Array, float], Array]


class Goals(NamedTuple):
    """How exactly a Newton step is computed where that takes iterations.

    A Newton step minimises a quadratic model of the objective. The model may stay above its
    minimum by ``accuracy**2`` times its decrease, or by ``enough``, in units of the
    objective.
    """

    accuracy: float
    enough: float = 0.0


class Step(NamedTuple):
    """A step in the feature space, and its scores."""

    element: Array
    scores: Array


class Design:
    """Rows, possibly all moved by the same ``shift``.

    With a free intercept such a move changes nothing but the intercept. Subclasses set
    ``n_rows`` and ``size``, the number of stored numbers, and override the methods below
    that raise ``NotImplementedError``. All results are float64, whatever the rows are.
    """

    n_rows: int
    size: int
    capabilities: frozenset[Capability] = frozenset()
    # Whether ``moment_product`` exists and costs less than a pass over the rows.
    has_cheap_moments: bool = False
    # Whether visiting one row costs much less than its share of a product with all.
    sweeps_are_cheap: bool = False
    # Whether an element has one coefficient per row: its inner products need scores.
    elements_are_expansions: bool = False
    shift: Array | None = None

    def zeros(self) -> Array:
        """Return the origin of the feature space, a new element."""
        raise NotImplementedError

    def scores(self, w: Array) -> Array:
        """Return the inner product of every row with an element."""
        raise NotImplementedError

    def combine(self, coefficients: Array) -> Array:
        """Return the combination of the rows with these coefficients, an element.

        It is a new array if the design has ``ROWS``; else it may be the coefficients.
        """
        raise NotImplementedError

    def inner(self, v: Array, w: Array, w_scores: Array | None = None) -> float:
        """Return the inner product of two elements; the scores of the second may help."""
        raise NotImplementedError

    def squared_norms(self) -> Array:
        """Return the squared length of every row."""
        raise NotImplementedError

    @cached_property
    def row_lengths(self) -> Array:
        """The length of every row."""
        return np.sqrt(np.maximum(self.squared_norms(), 0.0))

    def newton_system(self, curvature: Curvature) -> NewtonSolve:
        """Return ``solve(slope, accuracy)`` of ``(I + X' curvature X) step = slope``."""
        raise NotImplementedError

    def newton_step(self, curvature: Curvature, target: Array, goals: Goals) -> Step:
        """Return the step with ``(I + X' curvature X) step = target``, and its scores."""
        step = self.newton_system(curvature)(target, goals.accuracy)
        return Step(step, self.scores(step))

    def measure(self, w: Array) -> Measured:
        """Return scores and squared length of an element, with bounds of their errors."""
        raise NotImplementedError

    def measure_closely(self, w: Array, measured: Measured, doubtful: Array) -> Measured:
        """Return the same with smaller errors, at least on the ``doubtful`` rows."""
        return measured

    def slope_length(self, w: Array, forces: Array, errors: Array, closely=False) -> float:
        """Return a bound of the length of ``w`` minus the combination of the forces.

        ``errors`` bounds the errors of the forces; ``closely`` asks for a tighter bound.
        """
        raise NotImplementedError

    def offset_within(self, w: Array, offset: float) -> tuple[float, float]:
        """Return the intercept for these rows, and a bound of its error.

        ``offset`` is the intercept for the original rows, before the shift.
        """
        if self.shift is None or not w.any():
            return offset, 0.0
        return add_wide_dot(offset, w, self.shift)

    def offset_outside(self, w: Array, offset: float) -> float:
        """Return the intercept for the original rows, before the shift."""
        return offset if self.shift is None else add_wide_dot(offset, -w, self.shift)[0]

    def once_for(self, name: Hashable, owners: tuple, make: Callable[[], Any]) -> Any:
        """Return ``make()``, computed once for this name and these array objects.

        A name is a string or a class, or a tuple that begins with one; only the last
        result of each is kept. ``make`` must not call this method of the same design.
        """
        results, lock = vars(self).setdefault("_results", ({}, Lock()))
        kind = name[0] if isinstance(name, tuple) else name
        key = name, *map(id, owners)  # the owners are kept, so an id is not used again
        with lock:
            if kind not in results or results[kind][0] != key:
                run = interruptible if self.size > MANY else operator.call
                results[kind] = key, owners, run(make)
            return results[kind][2]

    def has_any(self, *capabilities: Capability) -> bool:
        """Return whether the design has at least one of these capabilities."""
        return not self.capabilities.isdisjoint(capabilities)

    def require(self, user: str, *capabilities: Capability) -> None:
        """Raise unless the design has one of these capabilities, which ``user`` needs."""
        if not self.has_any(*capabilities):
            wanted = ", or ".join(one.value for one in capabilities)
            raise MissingCapability(
                f"{user} needs {wanted}; {type(self).__name__} does not have that."
            )
