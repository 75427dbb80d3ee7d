"""The space of explicit features: what is kept is ``w`` itself."""

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
    """Return the design of rows, or raise if they are too wide or long."""
    check_width(X.shape[1])
    design = design_of(X)
    with np.errstate(over="ignore"):
        largest = design.squared_norms().max()
    if not np.isfinite(largest):
        raise ValueError(
            "The squared length of a row overflows. Scale the features, for example "
            "with sklearn.preprocessing.MinMaxScaler."
        )
    return without_offsets(design) if fit_intercept else design


def elements_of(solutions):
    """Return the elements of the solutions, one per line."""
    return np.array([solution.w for solution in solutions])


class LinearSpace:
    """Explicit rows; a machine keeps its elements in ``coef_``."""

    # With an intercept, columns far from zero are moved.
    parameters = ("fit_intercept",)

    def __init__(self, fit_intercept=True):
        self.fit_intercept = fit_intercept

    def design(self, rows):
        """Return the design of the rows that count."""
        return linear_design(rows.used, self.fit_intercept)

    def last_elements(self, machine, rows):
        """Return where the last fit of a machine ended."""
        return machine.coef_ if machine.coef_.shape[1] == rows.X.shape[1] else []

    def keep(self, machine, rows, solutions, problems=None, deadline=np.inf):
        """Store the elements, which were examined as they are; a stream ends here."""
        vars(machine).pop("_descents", None)
        machine.coef_ = elements_of(solutions)
        return solutions

    def settled(self, machine):
        """Return parameters that follow the data: none does."""
        return {}

    def score(self, X, rows, solutions):
        """Return the scores, without intercepts, of new rows by solutions."""
        return safe_sparse_dot(X, elements_of(solutions).T, dense_output=True)
