"""Surrogates: matrices of low rank plus a diagonal, in place of a Gram matrix.

Newton's method on a Gram matrix of m rows would factorise matrices of m rows, ``m^3``
operations. A *surrogate* replaces the Gram matrix by ``L' L + diag(missing)``. L has r rows
and comes from a pivoted Cholesky factorisation, which reads r columns of the Gram matrix;
``missing`` is what ``L' L`` leaves out of its diagonal. A Newton system on a surrogate is
solved exactly, by ``m r^2`` operations. Solvers use it twice: its solution is their start,
and its Newton steps precondition those on the Gram matrix itself. The result of a solver
does not depend on how good the surrogate is, only the number of its iterations does.
"""

from functools import partial
from weakref import WeakMethod

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.blas import dsyrk, ssyrk

from largemargin.designs.base import MissingCapability, Step
from largemargin.designs.cholesky import damped_factor, solve_small
from largemargin.designs.expansions import (
    Bordered,
    ExpansionDesign,
    conjugate_gradients,
)
from largemargin.numerics.jit import SUM, njit
from largemargin.numerics.low_rank import GrowingFactor
from largemargin.numerics.threads import in_threads

# Moments are sums over rows, in blocks of about this many numbers.
BLOCK_NUMBERS = 1 << 18
# Over more rows than this they are sums of float32 within parts, which is twice as fast,
# up to this trace: the identity is added to them, and rounding must not hide it.
MAX_WIDE_ROWS = 400
MAX_NARROW_TRACE = 1e7
# Sums over more rows than this are made in parts, at most so many, by several threads. Each
# part takes the memory of a moment.
MANY_ROWS = 2500
N_PARTS = 4
# A factor of low rank has at most this many pivots and bytes.
MAX_RANK = 1200
MAX_FACTOR_BYTES = 1 << 30
# Up to this many rows with curvature, and no others, a Newton system is factorised.
MAX_DIRECT_ROWS = 2000


class Surrogate(ExpansionDesign):
    """Rows whose Gram matrix is one of low rank plus a diagonal.

    ``columns`` is L, one row for each pivot and one column for each row of the design. One
    object serves one problem at a time: it remembers ``L W L'`` of its last Newton system,
    from which the next one differs by few rows.
    """

    def __init__(self, columns: np.ndarray, missing: np.ndarray):
        self.columns, self.missing = columns, missing
        rank, self.n_rows = columns.shape
        self.size = columns.size
        self._weights, self._moment = np.zeros(self.n_rows), np.eye(rank, order="F")
        self._spanned = np.einsum("ij,ij->j", columns, columns, dtype=np.float64)

    def scores(self, alpha) -> np.ndarray:
        """Return the inner product of every row with an element."""
        return self._up(self._down(alpha)) + self.missing * alpha

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        return self._spanned + self.missing

    def slope_length(self, alpha, forces, errors, closely=False) -> float:
        """Return no bound: lengths on a surrogate prove nothing about the rows."""
        return np.inf

    def _down(self, v):
        out = np.empty(len(self.columns))
        add_dots(self.columns, v, out)
        return out

    def _up(self, u):
        out = np.zeros(self.n_rows)
        add_combination(self.columns, u, out)
        return out

    def newton_step(self, curvature, target, goals) -> Step:
        """Return the Newton step, solved exactly."""
        system = Bordered.of(curvature)
        step = np.where(system.inverse > 0, 0.0, target)
        residual = system.residual(target, step, self.scores(step))
        step += self.factorised(system)(residual, system.border.T @ target)[0]
        return Step(step, self.scores(step))

    def factorised(self, system: Bordered):
        """Return ``solve(r, c)`` of the bordered system with any right-hand side."""
        weights = system.diagonal / (1.0 + system.diagonal * self.missing)
        moment = self._updated_moment(weights)
        diagonal = np.diagonal(moment).copy()
        factor = damped_factor(moment)
        np.fill_diagonal(moment, diagonal)  # which may have been damped
        border = system.border
        weighted = weights[:, None] * border
        shape = len(self.columns), border.shape[1]
        down = np.reshape([self._down(part) for part in weighted.T], shape[::-1]).T
        inside = cho_solve(factor, down, check_finite=False)
        corner = border.T @ weighted - down.T @ inside + system.corner

        def solve(r, c):
            z = weights * r
            u = cho_solve(factor, self._down(z), check_finite=False)
            nu = solve_small(corner, weighted.T @ r - down.T @ u - c)
            x = z - weighted @ nu - weights * self._up(u - inside @ nu)
            return x, nu

        return solve

    def _updated_moment(self, weights):
        """Return ``I + L W L'``, from the last one if few weights have changed."""
        change = weights - self._weights
        if 2 * np.count_nonzero(change) > np.count_nonzero(weights):
            change = weights
            self._moment = np.eye(len(self.columns), order="F")
        for sign in 1.0, -1.0:
            rows = np.flatnonzero(sign * change > 0)
            n_parts = min(max(-(-len(rows) // MANY_ROWS), 1), N_PARTS)
            parts = np.array_split(rows, n_parts)
            for part in in_threads(partial(self._moment_of, np.abs(change)), parts):
                self._moment += sign * part
        self._weights = weights
        return self._moment

    def _moment_of(self, weights, rows):
        """Return the share of some rows in ``L W L'``; only its lower triangle is valid."""
        rank = len(self.columns)
        is_narrow = (
            len(rows) > MAX_WIDE_ROWS and weights @ self._spanned <= MAX_NARROW_TRACE
        )
        dtype, syrk = (np.float32, ssyrk) if is_narrow else (np.float64, dsyrk)
        roots, height = np.sqrt(weights).astype(dtype), max(BLOCK_NUMBERS // rank, 1)
        moment = np.zeros((rank, rank), dtype, order="F")
        for start in range(0, len(rows), height):
            some = rows[start : start + height]
            part = self.columns[:, some].astype(dtype, copy=False)
            part *= roots[some]
            moment = syrk(1.0, part.T, 1.0, moment, trans=1, lower=1, overwrite_c=1)
        return moment


class FactorableDesign(ExpansionDesign):
    """Expansions over rows whose Gram matrix can be read in parts, and has a surrogate.

    Subclasses have ``scores``, ``squared_norms``, ``columns`` and ``block``.
    """

    def columns(self, pivots: np.ndarray) -> np.ndarray:
        """Return the columns of the Gram matrix of some rows, one column each."""
        raise NotImplementedError

    def block(self, rows: np.ndarray) -> np.ndarray:
        """Return the Gram matrix of some rows."""
        raise NotImplementedError

    def low_rank(self, weight: np.ndarray) -> GrowingFactor:
        """Return the factor of low rank for rows of these weights, extended on demand."""
        owner = self.shared or self

        def begin():
            max_rank = min(MAX_RANK, max(MAX_FACTOR_BYTES // (4 * self.n_rows), 1))
            # A cycle of the factor and its owner would keep the matrix after the fit.
            columns = WeakMethod(owner.columns)
            return GrowingFactor(
                lambda pivots: columns()(pivots), owner.squared_norms(), max_rank, weight
            )

        return owner.once_for("low rank", (weight,), begin)

    def surrogate(self, weight: np.ndarray, rank: int) -> Surrogate:
        """Return a new surrogate of a rank that the factor has reached."""
        factor = self.low_rank(weight)
        columns = factor.rows[:rank]
        if rank == 0:  # all rows are zero
            columns = np.zeros((1, self.n_rows), dtype=np.float32)
        return Surrogate(columns, factor.missing_at(rank))

    def newton_system(self, curvature):
        """Return a solver of ``(I + curvature G) step = slope`` in expansions.

        Only rows with curvature are coupled, so there is one equation for each of them.
        A margin variance would couple all rows; ``solvers.active_kernel`` handles it.
        """
        if curvature.spread > 0:
            raise MissingCapability(
                "A Newton system with prices of squares needs elements with one number per "
                f"feature; {type(self).__name__} has none. Use solver='auto'."
            )
        near = np.flatnonzero(curvature.extra)
        if len(near) == 0:
            return lambda slope, accuracy: slope
        matrix = self.block(near).astype(np.float64)
        matrix[np.diag_indices_from(matrix)] += 1.0 / curvature.extra[near]
        factor = damped_factor(matrix)
        along_ones = cho_solve(factor, np.ones(len(near)), check_finite=False)

        def solve(slope, accuracy):
            response = cho_solve(factor, self.scores(slope)[near], check_finite=False)
            if curvature.border is not None and along_ones.sum() > 0:
                # The intercept keeps the sum of the responses zero.
                response -= along_ones * (response.sum() / along_ones.sum())
            step = slope.copy()
            step[near] -= response
            return step

        return solve


class PreconditionedDesign(ExpansionDesign):
    """The rows of another design, with Newton systems that a surrogate preconditions."""

    def __init__(self, design: ExpansionDesign, surrogate: Surrogate):
        self.design, self.surrogate = design, surrogate
        self.n_rows, self.size = design.n_rows, design.size

    def scores(self, alpha) -> np.ndarray:
        """Return the inner product of every row with an element."""
        return self.design.scores(alpha)

    def squared_norms(self) -> np.ndarray:
        """Return the squared length of every row."""
        return self.design.squared_norms()

    def slope_length(self, alpha, forces, errors, closely=False) -> float:
        """Return a bound of the length of an element minus the combined forces."""
        return self.design.slope_length(alpha, forces, errors, closely)

    def newton_step(self, curvature, target, goals) -> Step:
        """Return the Newton step by conjugate gradients, unless few rows are coupled."""
        n_coupled = np.count_nonzero(curvature.extra)
        if curvature.spread == 0 and n_coupled <= MAX_DIRECT_ROWS:
            return self.design.newton_step(curvature, target, goals)
        system = Bordered.of(curvature)
        solve = self.surrogate.factorised(system)
        return conjugate_gradients(self.scores, system, solve, target, goals)


@njit(**SUM)
def add_dots(columns, v, out):
    """Fill in the dot product of each row of ``columns`` with ``v``."""
    n_fours = columns.shape[0] // 4
    for k in range(n_fours):
        first, second = columns[4 * k], columns[4 * k + 1]
        third, fourth = columns[4 * k + 2], columns[4 * k + 3]
        a = b = c = d = 0.0
        for i in range(columns.shape[1]):
            a += first[i] * v[i]
            b += second[i] * v[i]
            c += third[i] * v[i]
            d += fourth[i] * v[i]
        out[4 * k], out[4 * k + 1], out[4 * k + 2], out[4 * k + 3] = a, b, c, d
    for k in range(4 * n_fours, columns.shape[0]):
        a = 0.0
        for i in range(columns.shape[1]):
            a += columns[k, i] * v[i]
        out[k] = a


@njit(**SUM)
def add_combination(columns, u, out):
    """Add the rows of ``columns`` times the coefficients ``u`` to ``out``."""
    n_fours = columns.shape[0] // 4
    for k in range(n_fours):
        first, second = columns[4 * k], columns[4 * k + 1]
        third, fourth = columns[4 * k + 2], columns[4 * k + 3]
        a, b, c, d = u[4 * k], u[4 * k + 1], u[4 * k + 2], u[4 * k + 3]
        for i in range(columns.shape[1]):
            out[i] += a * first[i] + b * second[i] + c * third[i] + d * fourth[i]
    for k in range(4 * n_fours, columns.shape[0]):
        for i in range(columns.shape[1]):
            out[i] += u[k] * columns[k, i]
