"""The space of explicit features, in which an estimator stores ``w`` itself."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.designs.dense import DenseDesign
from largemargin.designs.in_memory import without_offsets
from largemargin.designs.sparse import SparseDesign
from largemargin.estimators.recipe import Found
from largemargin.estimators.targets import check_machines
from largemargin.numerics.memory import check_width
from largemargin.numerics.threads import one_blas_thread
from largemargin.solvers.small_linear import solve_small_linear


def design_of(X):
    """Return the design for explicit rows."""
    return SparseDesign(X) if sp.issparse(X) else DenseDesign(X)


def linear_design(X, fit_intercept):
    """Return the design of rows, or raise if they have too many or too large features."""
    check_width(X.shape[1])
    design = design_of(X)
    with np.errstate(over="ignore"):
        check_lengths(design.row_lengths)
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
    is_narrowed = False

    def __init__(self, fit_intercept=True):
        self.fit_intercept = fit_intercept

    def settle(self, rows):
        """Return the rows that count."""
        return rows.used

    def share(self, rows):
        """Return the space of parts of the rows, whose designs share nothing.

        Raise if the elements of all pairs of classes do not fit into memory.
        """
        check_machines(len(np.unique(rows.labels)), rows.X.shape[1], "features", "ovo")
        return self

    def design(self, rows, few_digits=False):
        """Return the design of the rows that count, with the digits that they have."""
        return linear_design(self.settle(rows), self.fit_intercept)

    def solve_small(self, rows, members, problem, tol, progress):
        """Return what is found if the problem is small and its rows dense, else None."""
        if sp.issparse(rows.X):
            return None
        places = np.flatnonzero(rows.counted)[members]
        with one_blas_thread():
            solution = solve_small_linear(rows.X, places, problem, tol)
        if solution is None:
            return None
        progress(solution.certificate)
        coef = elements_of([solution])
        return Found(places, coef, [solution], coef @ coef.T)

    def last_elements(self, machine, rows, problems):
        """Return the elements of some problems of the last fit."""
        is_same = machine.coef_.shape[1] == rows.X.shape[1]
        return machine.coef_[problems] if is_same else []

    def expand(self, solutions):
        """Return the elements, which are stored as they are."""
        return elements_of(solutions)

    def finish(self, rows, solutions, problems=None, deadline=np.inf):
        """Return the elements, which were examined as they are."""
        coef = elements_of(solutions)
        return Found(np.flatnonzero(rows.counted), coef, solutions, coef @ coef.T)

    def store(self, machine, rows, found):
        """Store the elements; this ends a stream."""
        vars(machine).pop("_descents", None)
        machine.coef_ = np.concatenate([one.elements for one in found])

    def settled(self, machine):
        """Return the parameters that the last fit took from the data: none."""
        return {}

    def score(self, X, rows, parts):
        """Return the scores, without intercepts, of new rows by elements."""
        coef = np.concatenate([elements for _, elements in parts])
        return safe_sparse_dot(X, coef.T, dense_output=True)
