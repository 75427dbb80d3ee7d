"""The space of explicit features, in which an estimator stores ``w`` itself."""

from copy import copy

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.designs.dense import DenseDesign
from largemargin.designs.in_memory import MAX_GRAM_ROWS, without_offsets
from largemargin.designs.sparse import SparseDesign
from largemargin.estimators.recipe import Found
from largemargin.estimators.targets import check_machines
from largemargin.kernels.gram import gram_block
from largemargin.numerics.memory import check_width, max_bytes
from largemargin.numerics.threads import one_blas_thread
from largemargin.solvers.small_linear import solve_small_linear

# Parts of rows share a float32 matrix of inner products of up to this many bytes, if the
# largest part has at least so many rows: smaller ones are solved as fast without it.
MAX_SHARED_BYTES = 1 << 30
FEWEST_SHARED_ROWS = 500


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
        # Of parts of rows: which rows count, their places among the inner products, these.
        self.counted = self.places = self.shared_gram = None

    def settle(self, rows):
        """Return the rows that count."""
        return rows.used

    def share(self, rows, few_digits=False):
        """Return the space of parts of the rows, which may share inner products.

        With ``few_digits``, pairs of classes with fewer rows than features share a float32
        matrix. Raise if the elements of all pairs do not fit into memory.
        """
        sizes = np.unique(rows.labels, return_counts=True)[1]
        n_rows, n_features = len(rows.labels), rows.X.shape[1]
        check_machines(len(sizes), n_features, "features", "ovo")
        largest = np.sort(sizes)[-2:].sum()
        most = min(n_features - 1, MAX_GRAM_ROWS)
        is_wide = FEWEST_SHARED_ROWS <= largest <= most
        has_room = 4 * n_rows**2 <= min(MAX_SHARED_BYTES, max_bytes())
        if not (few_digits and is_wide and has_room) or sp.issparse(rows.X):
            return self
        space, order = copy(self), np.argsort(rows.labels, kind="stable")
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            narrow = rows.used.astype(np.float32, copy=False)[order]
            gram = narrow @ narrow.T
        if np.isfinite(gram).all():
            space.counted, space.shared_gram = rows.counted, gram
            space.places = np.argsort(order)
        return space

    def design(self, rows, few_digits=False):
        """Return the design of the rows that count, with the digits that they have."""
        design = linear_design(self.settle(rows), self.fit_intercept)
        if self.shared_gram is not None and design.shift is None:
            members = self.places[rows.counted[self.counted]]
            design.narrow_gram = gram_block(self.shared_gram, members)
        return design

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
