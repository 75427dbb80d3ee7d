"""Prices of squares replaced by their tangents, and how far that leads.

Where these prices are small, a machine is a plain SVM with a reward of each margin of its
own, taken anew from tangent to tangent.
"""

from dataclasses import replace

import numpy as np

# Steps from tangent to tangent are worth it if each shrinks the error by this factor.
MAX_CONTRACTION = 0.5


def freeze_squares(problem, margins):
    """Return the problem with the prices of squares replaced by their tangents."""
    tangent = -problem.pulled_back(margins)
    if problem.tangent is not None:
        tangent += problem.tangent
    prices = problem.prices._replace(lambda_var=0.0, lambda_square=0.0)
    return replace(problem, prices=prices, tangent=tangent)


def squares_are_mild(problem):
    """Return whether steps from tangent to tangent close in fast.

    They shrink an error by the norm of the squares against that of the margins, which the
    sum of the squared lengths of the rows bounds.
    """
    if not problem.is_curved:
        return True
    design = problem.design
    if problem.stiffness * (problem.weight @ design.squared_norms()) <= MAX_CONTRACTION:
        return True
    root = np.sqrt(problem.weight)
    # Any fixed start with a part along the top eigenvector will do.
    vector = np.cos(np.arange(design.n_rows, dtype=float))
    for _ in range(4):
        vector /= np.linalg.norm(vector)
        image = design.combine(problem.sign * root * vector)
        vector = root * problem.pulled_back(problem.sign * design.scores(image))
        size = np.linalg.norm(vector)
        if size > MAX_CONTRACTION or size == 0:
            break
    return size <= MAX_CONTRACTION
