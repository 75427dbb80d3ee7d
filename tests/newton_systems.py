"""Newton systems of expansions as dense matrices, for tests of what solves them."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from largemargin.designs.base import Curvature

N_ROWS = 40
# Squared terms, a mean, an intercept, rows at a kink: what a curvature may consist of.
KINDS = {
    "squares": (0.5, False, False, 0),
    "squares and kinks": (0.5, False, False, 9),
    "variance": (0.5, True, False, 9),
    "intercept": (0.5, False, True, 9),
    "variance and intercept": (0.5, True, True, 9),
    "nothing at a kink": (0.5, True, True, 0),
    "kinks only": (0.0, False, False, 9),
    "kinks and intercept": (0.0, False, True, 9),
    "every row at a kink": (0.0, False, True, N_ROWS),
}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def curvature_of(spread, has_mean, has_intercept, n_bent, seed=0):
    """Return a curvature of weighted rows, and the same as a dense matrix."""
    rng = np.random.default_rng(seed)
    weight, sign = rng.uniform(0.3, 3.0, N_ROWS), rng.choice([-1.0, 1.0], N_ROWS)
    extra = np.zeros(N_ROWS)
    extra[rng.permutation(N_ROWS)[:n_bent]] = 2.0
    extra *= weight
    matrix = np.diag(weight * spread + extra)
    mean = border = None
    if has_mean:
        mean = np.sqrt(spread / weight.sum()) * sign * weight
        matrix -= np.outer(mean, mean)
    if has_intercept:
        # What minimising over a common shift of all scores takes away.
        border = matrix.sum(axis=0) / np.sqrt(matrix.sum())
        matrix = matrix - np.outer(border, border)
    return Curvature(weight, spread, extra, mean, border), matrix


def rows_and_target(seed=1):
    rng = np.random.default_rng(seed)
    return rbf_kernel(rng.normal(size=(N_ROWS, 2)), gamma=1.0), rng.normal(size=N_ROWS)


def dense_step(matrix, gram, target):
    """Return the step whose element solves ``(I + X' curvature X) step = target``."""
    return np.linalg.solve(np.eye(N_ROWS) + matrix @ gram, target)
