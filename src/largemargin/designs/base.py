"""What a design is: stored rows, and the products with them that everything else asks for.

An element is a vector of the feature space, an array of whatever numbers the design has
for it; whoever needs products of elements asks the design. Beyond the methods of
``Design`` there are capabilities: a design declares those it has, and whoever uses one
declares that it needs it. docs/add_a_design.md shows how to write one.
"""

from enum import Enum
from typing import NamedTuple

import numpy as np

from largemargin.designs.memo import Memo
from largemargin.numerics.rounding import add_wide_dot


class Capability(Enum):
    """What only some designs can do; the value says it in words.

    ``FEATURES``: ``n_features``, elements with one number per feature, ``second_moment``,
    Newton systems for problems with prices of squares. ``ROWS``, which comes with
    ``FEATURES``: ``rows`` for compiled loops, and whether ``sweeps_are_cheap``. ``GRAM``:
    ``gram_matrix``, ``damped_inverse`` and ``on_features``. ``INNER_PRODUCTS``:
    ``as_kernel``. ``REMOVAL``, which comes with ``FEATURES`` or ``GRAM``: ``without`` and
    ``score_of``.
    """

    FEATURES = "elements with one number per feature"
    ROWS = "rows in memory, to be visited one at a time"
    GRAM = "a Gram matrix in memory"
    INNER_PRODUCTS = "inner products of all pairs of rows"
    REMOVAL = "the removal of single rows"


class MissingCapability(ValueError):
    """Raised where a design cannot do what is needed of it."""


class Measured(NamedTuple):
    """Scores and squared length of an element, with bounds of their errors.

    ``value_errors`` are those errors of the scores that the objective is told with.
    """

    scores: np.ndarray
    errors: np.ndarray
    value_errors: np.ndarray
    square: float
    square_error: float


class Curvature(NamedTuple):
    """Second derivative of the margin terms with respect to the scores.

    The matrix ``diag(weight * spread + extra) - mean mean' - border border'``, where
    ``extra`` is zero but on the rows near a kink; the last two, which may be None, are
    what the mean of the margins and the intercept take up.
    """

    weight: np.ndarray
    spread: float
    extra: np.ndarray
    mean: np.ndarray | None
    border: np.ndarray | None

    @property
    def downdates(self):
        """The downdates that are present."""
        return [part for part in (self.mean, self.border) if part is not None]


class Design:
    """Rows, all moved by the same ``shift`` or not at all.

    With a free intercept such a move changes nothing but the intercept. Subclasses have
    ``n_rows`` and ``size``, how many numbers they hold, and the methods below.
    """

    capabilities: frozenset[Capability] = frozenset()
    # Whether it has a ``moment_product`` that costs less than a pass over the rows.
    has_cheap_moments = False
    # Whether a visit of one row costs much less than its share of a product with all.
    sweeps_are_cheap = False
    shift = None

    def zeros(self):
        """Return the origin of the feature space."""
        raise NotImplementedError

    def scores(self, w):
        """Return the inner product of every row with an element."""
        raise NotImplementedError

    def combine(self, coefficients):
        """Return the combination of the rows with these coefficients, an element."""
        raise NotImplementedError

    def inner(self, v, w, w_scores=None):
        """Return the inner product of two elements; the scores of the second may help."""
        raise NotImplementedError

    def squared_norms(self):
        """Return the squared length of every row."""
        raise NotImplementedError

    def newton_system(self, curvature):
        """Return ``solve(slope, accuracy)`` of ``(I + X' curvature X) step = slope``."""
        raise NotImplementedError

    def measure(self, w):
        """Return scores and squared length of an element, their errors bounded."""
        raise NotImplementedError

    def measure_closely(self, w, measured, doubtful):
        """Return the same with smaller errors; those of ``doubtful`` rows matter."""
        return measured

    def slope_length(self, w, forces, errors, closely=False):
        """Return a bound of the length of ``w`` less the combination of the forces."""
        raise NotImplementedError

    def offset_within(self, w, offset):
        """Return the intercept that these rows see, and a bound of its error.

        ``offset`` is the one for the rows as they came.
        """
        if self.shift is None:
            return offset, 0.0
        return add_wide_dot(offset, w, self.shift)

    def offset_outside(self, w, offset):
        """Return the intercept for the rows as they came."""
        return offset if self.shift is None else add_wide_dot(offset, -w, self.shift)[0]

    def once_for(self, name, owners, make):
        """Return what ``make`` gave for this name and these very arrays, made once.

        A name is a word or a class, or begins with one; of each the last result is kept.
        """
        return vars(self).setdefault("_memo", Memo(self.size))(name, owners, make)

    def has_any(self, *capabilities):
        """Return whether the design can do one of these."""
        return not self.capabilities.isdisjoint(capabilities)

    def require(self, user, *capabilities):
        """Raise unless the design can do one of these; ``user`` says who needs it."""
        if not self.has_any(*capabilities):
            wanted = ", or ".join(one.value for one in capabilities)
            raise MissingCapability(
                f"{user} needs {wanted}; {type(self).__name__} does not have that."
            )
