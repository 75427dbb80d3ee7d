"""Expansions over all rows, condensed to few rows that span the others."""

import numpy as np
from scipy.linalg import cho_solve

from largemargin.kernels.functions import Kernel
from largemargin.numerics.low_rank import pivoted_factor

# Rows that span the others are sought in a sample; more than this many are of no use.
MAX_SPANNING = 500
# Predictions by fewer rows than this are fast anyway.
FEWEST_ROWS = 500
# Gram matrices of these fractions of them show beforehand whether it is worthwhile.
PROBES = 1 / 16, 1 / 2
# Two elements are the same if their scores differ on no row by more than this fraction of
# the largest score, or by this many rounding errors of the Gram matrix.
SAME = 1e-8
SAME_ROUNDINGS = 4


def condense(
    kernel: Kernel, X, alpha: np.ndarray, scores: np.ndarray, dtype=np.float64
) -> np.ndarray:
    """Return expansions of the same elements over few rows, or ``alpha`` if there are none.

    An element in the span of some rows is determined by its scores on them. Each row of
    ``alpha`` is the expansion of one element over the rows of ``X``, and each row of
    ``scores`` has its scores on them, which come from kernel values of type ``dtype``.
    """
    n_rows = X.shape[0]
    if n_rows < FEWEST_ROWS:
        return alpha
    most = min(n_rows // 4, MAX_SPANNING)
    sample = np.random.default_rng(0).permutation(n_rows)[: 2 * most]
    if not all(decays(kernel, X[sample], part * most) for part in PROBES):
        return alpha
    gram = kernel.gram_matrix(X[sample])
    corner, pivots = pivoted_factor(gram)
    if not 0 < len(pivots) <= most:
        return alpha
    spanning = sample[pivots]
    wanted = kernel.scores(X[spanning], X, alpha)
    short = np.zeros((len(pivots), len(alpha)))
    for _ in range(2):  # the second time for what rounding left
        missed = wanted - gram[np.ix_(pivots, pivots)] @ short
        short += cho_solve((corner[pivots], True), missed)
    missed = np.abs(kernel.scores(X, X[spanning], short.T) - scores.T).max()
    rounding = np.finfo(dtype).eps * np.linalg.norm(alpha, axis=1).max()
    if missed > max(SAME * np.abs(scores).max(), SAME_ROUNDINGS * rounding):
        return alpha
    out = np.zeros_like(alpha)
    out[:, spanning] = short.T
    return out


def decays(kernel: Kernel, X, n_probed: float) -> bool:
    """Return whether half of these rows may span the others, judged by a few.

    At best each further row shrinks, by the same factor, what the rows leave of the last.
    """
    n_probed = max(int(n_probed), 1)
    corner, pivots = pivoted_factor(kernel.gram_matrix(X[:n_probed]))
    if 2 * len(pivots) <= n_probed:
        return True
    # A few rows that occur several times are no sign of a small space.
    left = corner[pivots[-1], -1] ** 2 / np.square(corner).sum(axis=1).max()
    return left <= np.finfo(np.float64).eps ** (2 * len(pivots) / X.shape[0])
