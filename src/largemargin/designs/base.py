"""What all designs share: where the origin of their rows lies."""

from typing import NamedTuple

import numpy as np

from largemargin.rounding import add_wide_dot


class Measured(NamedTuple):
    """Scores and squared length of an element, with bounds of their errors.

    ``value_errors`` are those errors of the scores that the objective is told with.
    """

    scores: np.ndarray
    errors: np.ndarray
    value_errors: np.ndarray
    square: float
    square_error: float


class Design:
    """Rows, all moved by the same ``shift`` or not at all.

    With a free intercept such a move changes nothing but the intercept.
    """

    shift = None

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
