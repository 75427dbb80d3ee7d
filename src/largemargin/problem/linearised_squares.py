"""Squared terms linearised at given margins: a plain SVM with a reward for each margin."""

from dataclasses import replace

import numpy as np

# Linearising repeatedly is worthwhile if it reduces the error by this factor each time.
MAX_CONTRACTION = 0.5


def linearise_squares(problem, margins):
    """Return the problem with its squared terms linearised at these margins."""
    tangent = -problem.square_slopes(margins)
    if problem.tangent is not None:
        tangent += problem.tangent
    return replace(problem, prices=problem.prices.without_squares(), tangent=tangent)


def squares_are_mild(problem) -> bool:
    """Return whether a sequence of such SVMs converges fast."""
    if not problem.is_curved:
        return True
    design = problem.design
    # Each reduces the error by the largest eigenvalue of the squared terms, relative to
    # |w|^2 / 2, which the sum of the squared lengths of the rows bounds.
    if problem.stiffness * (problem.weight @ design.squared_norms()) <= MAX_CONTRACTION:
        return True
    root = np.sqrt(problem.weight)
    # Power iteration; any fixed start with a part along the top eigenvector will do.
    vector = np.cos(np.arange(design.n_rows, dtype=float))
    for _ in range(4):
        vector /= np.linalg.norm(vector)
        image = design.combine(problem.sign * root * vector)
        vector = root * problem.square_slopes(problem.sign * design.scores(image))
        size = np.linalg.norm(vector)
        if size > MAX_CONTRACTION or size == 0:
            break
    return size <= MAX_CONTRACTION
