"""The space of explicit features, in which an estimator stores ``w`` itself."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.designs.dense import DenseDesign
from largemargin.designs.in_memory import without_offsets
from largemargin.designs.sparse import SparseDesign
from largemargin.numerics.memory import check_width


def design_of(X):
    """Return the design for explicit rows."""
    return SparseDesign(X) if sp.issparse(X) else DenseDesign(X)


def linear_design(X, fit_intercept):
    """Return the design of rows, or raise if they have too many or too large features."""
    check_width(X.shape[1])
    design = design_of(X)
    with np.errstate(over="ignore"):
        check_lengths(design.squared_norms())
    return without_offsets(design) if fit_intercept else design


def check_lengths(lengths):
    """Raise if the length of a row is not finite."""
    if not np.isfinite(lengths).all():
        raise ValueError(
            "The squared length of a row overflows. Scale the features, for example with "
            "sklearn.preprocessing.MinMaxScaler."
        )


def elements_of(solutions):
    """Return the elements of the solutions, one per row."""
    return np.array([solution.w for solution in solutions])


class LinearSpace:
    """Explicit rows; an estimator stores its elements in ``coef_``."""

    # With an intercept, the design moves columns that are far from zero.
    parameters: tuple[str, ...] = ("fit_intercept",)

    def __init__(self, fit_intercept=True):
        self.fit_intercept = fit_intercept

    def settle(self, rows):
        """Return the rows that count."""
        return rows.used

    def design(self, rows):
        """Return the design of the rows that count."""
        return linear_design(self.settle(rows), self.fit_intercept)

    def last_elements(self, machine, rows):
        """Return the elements of the last fit."""
        return machine.coef_ if machine.coef_.shape[1] == rows.X.shape[1] else []

    def keep(self, machine, rows, solutions, problems=None, deadline=np.inf):
        """Store the elements, which were examined as they are; this ends a stream."""
        vars(machine).pop("_descents", None)
        machine.coef_ = elements_of(solutions)
        return solutions

    def settled(self, machine):
        """Return the parameters that the last fit took from the data: none."""
        return {}

    def score(self, X, rows, solutions):
        """Return the scores, without intercepts, of new rows by solutions."""
        return safe_sparse_dot(X, elements_of(solutions).T, dense_output=True)
