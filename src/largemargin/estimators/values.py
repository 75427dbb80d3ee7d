"""Target encoders of values and of one class."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import d2_pinball_score, r2_score
from sklearn.model_selection import check_cv

from largemargin.estimators.targets import Part
from largemargin.problem import Targets

# The largest absolute value must be between these, as prices are in its units.
SMALLEST, LARGEST = 1e-90, 1e90


@dataclass(frozen=True)
class Values:
    """One problem for each column of ``y``, or one for each of several quantiles.

    ``quantile`` is the only one, if the values to predict are quantiles.
    """

    n_quantiles: int | None = None
    quantile: float | None = None

    y_options = {"multi_output": True, "y_numeric": True}
    weights_depend_on_others = False
    # Values may be far from zero and close to each other, as the years of dates are.
    kept_type = np.float64

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

    def splits(self, cv, X, y, groups=None):
        """Return the splits of rows, which have no strata."""
        return list(check_cv(cv, y, classifier=False).split(X, y, groups))

    def n_scores(self, y):
        """Return the number of problems."""
        return 1 if y.ndim == 1 else y.shape[1]

    @property
    def default_scoring(self):
        """The scorer of ``score``, None for a quantile."""
        return "r2" if self.quantile is None else None

    def score(self, y, labels, scores, weight):
        """Return R2, or its counterpart for the pinball loss of a quantile.

        Both are one for perfect predictions, zero for the best constant, and do not depend
        on the units of the values, so that folds and columns count the same.
        """
        if self.quantile is None:
            return r2_score(y, scores, sample_weight=weight)
        return d2_pinball_score(y, scores, sample_weight=weight, alpha=self.quantile)


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
