"""Squared terms of the objective replaced by their linearisation at given margins.

Where their prices are small, the problem is solved as a sequence of plain SVMs, in which
every margin has a reward of its own.
"""

from dataclasses import replace

import numpy as np

# Linearisation is worth repeating if each round reduces the error by this factor.
MAX_CONTRACTION = 0.5


def linearise_squares(problem, margins):
    """Return the problem with its squared terms linearised at these margins."""
    tangent = -problem.square_slopes(margins)
    if problem.tangent is not None:
        tangent += problem.tangent
    return replace(problem, prices=problem.prices.without_squares(), tangent=tangent)


def squares_are_mild(problem) -> bool:
    """Return whether repeated linearisation converges fast.

    A round reduces the error by the largest eigenvalue of the squared terms relative to
    ``|w|^2 / 2``, which the sum of the squared lengths of the rows bounds.
    """
    if not problem.is_curved:
        return True
    design = problem.design
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
