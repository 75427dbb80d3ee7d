"""The objective of a machine with an rbf kernel and an intercept."""

import numpy as np
import scipy.sparse as sp

from benchmarks.objectives.base import Bound, Objective

TILE = 512
# Rows that the paper's kernel width is taken from; they were shuffled.
N_SAMPLED = 1000


def gamma_scale(X):
    """Return what ``gamma="scale"`` stands for."""
    squares = X.multiply(X) if sp.issparse(X) else X * X
    variance = squares.mean() - X.mean() ** 2
    return float(1.0 / (X.shape[1] * variance))


def gamma_paper(X):
    """Return ``1 / (2 width^2)``, the width being the mean distance between some rows."""
    A = X[:N_SAMPLED]
    norms = squared_norms(A)
    squares = norms[:, None] + norms - 2.0 * dense(A @ A.T)
    return float(0.5 / np.sqrt(np.maximum(squares, 0.0)).mean() ** 2)


def dense(A):
    """Return an array of what may be sparse."""
    return A.toarray() if sp.issparse(A) else A


def rbf(A, B, gamma):
    """Return the kernel between the rows of two matrices."""
    exponents = squared_norms(A)[:, None] + squared_norms(B) - 2.0 * dense(A @ B.T)
    return np.exp(-gamma * np.maximum(exponents, 0.0, out=exponents))


def squared_norms(A):
    """Return the squared length of each row."""
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)


def expansion(machine, X, gamma):
    """Return the squared norm of a machine's ``w`` and its scores without the intercept.

    It was fitted on the rows ``X``. They come from the support vectors in tiles: no square
    array.
    """
    coefficients = dense(machine.dual_coef_).ravel()
    support = X[machine.support_]
    scores = np.empty(X.shape[0])
    for start in range(0, len(scores), TILE):
        tile = slice(start, start + TILE)
        scores[tile] = rbf(X[tile], support, gamma) @ coefficients
    return coefficients @ scores[machine.support_], scores


def certified(machine, value):
    """Return the bound that one of our machines, of known value, certifies by its gap.

    ``duality_gap_`` is relative to the sum of the sizes of the terms.
    """
    lower = machine.objective_ - machine.duality_gap_ * value.size
    return Bound(float(lower), value.size)


class RbfObjective(Objective):
    """The objective of a fitted machine: ours or ``SVC``, both on the same rows."""

    def __init__(self, X, y, gamma, prices, loss="hinge"):
        super().__init__(X, y, prices, loss)
        self.gamma = gamma

    def value(self, machine):
        """Return the objective."""
        norm, scores = expansion(machine, self.X, self.gamma)
        return self.value_at(norm, self.y * (scores + machine.intercept_[0]))

    def bound(self, machine, value):
        """Return the bound that one of our machines, of known value, certifies."""
        return certified(machine, value)
