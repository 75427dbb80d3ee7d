"""Target encoders of values and of one class."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from largemargin.estimators.targets import Part
from largemargin.problem import Targets

# The largest absolute value must be between these, as prices are in its units.
SMALLEST, LARGEST = 1e-90, 1e90


@dataclass(frozen=True)
class Values:
    """One problem for each column of ``y``, or one for each of several quantiles."""

    n_quantiles: int | None = None

    y_options = {"multi_output": True, "y_numeric": True}
    weights_depend_on_others = False

    def checked(self, y):
        """Return the values as floats; raise if there are too many columns."""
        if sp.issparse(y):
            raise TypeError("y must be an array of values; got a sparse matrix.")
        if self.n_quantiles is not None and y.ndim == 2:
            raise ValueError(
                "Several quantiles need a one-dimensional y, as predictions have a column "
                f"per quantile; got y of shape {y.shape}. Fit one model per column."
            )
        return y.astype(np.float64, copy=False)

    def weighted(self, y, weight):
        """Return the weights as they are."""
        return weight

    def encode(self, y, name):
        """Return whether ``y`` has columns, and the targets of each column or quantile."""
        columns = y.T if y.ndim == 2 else [y] * (self.n_quantiles or 1)
        check_sizes(columns)
        has_columns = y.ndim == 2 or self.n_quantiles is not None
        targets = [Targets.of_values(np.ascontiguousarray(one)) for one in columns]
        return has_columns, [Part(slice(None), targets)]

    def store(self, machine, labels, means, variances):
        """Store the means and variances of the residuals."""
        machine._has_columns = labels
        machine.residual_mean_, machine.residual_variance_ = 0.0 - means, variances


def check_sizes(columns):
    """Raise if squares of values would overflow, or all vanish."""
    for values in columns:
        largest = np.abs(values).max()
        if largest != 0 and not SMALLEST < largest < LARGEST:
            raise ValueError(
                f"The largest absolute value in y is {largest:.3g}, so that squares "
                f"overflow or vanish; expected zero, or a number between {SMALLEST:g} and "
                f"{LARGEST:g}. Divide y by {largest:.3g}."
            )


@dataclass(frozen=True)
class OneClass:
    """One problem, in which no row has a label."""

    y_options = None
    weights_depend_on_others = False

    def checked(self, y):
        """Return the zeros that stand for labels."""
        return y

    def weighted(self, y, weight):
        """Return the weights as they are."""
        return weight

    def encode(self, y, name):
        """Return no labels, and the targets."""
        return None, [Part(slice(None), [Targets.of_values(np.zeros(len(y)))])]

    def store(self, machine, labels, means, variances):
        """Store the mean and variance of what scores are above the threshold."""
        machine.margin_mean_, machine.margin_variance_ = means, variances
