"""Whether classes can be told apart without any violation, as a hard margin asks."""

import numpy as np

# A separating margin below this fraction of the rows' length counts as none.
NO_MARGIN = 1e-7


class NotSeparable(ValueError):
    """Raised where a hard margin is asked of classes that no hyperplane separates."""


def refuse_unseparable(problem, beta):
    """Raise if these weights, all >= 0, prove that no hyperplane separates the classes.

    They form two combinations of rows, one a class, and no margin can be wider than the
    distance of the two.
    """
    design = problem.design
    weighted = problem.weight * beta
    length = np.sqrt(design.squared_norms().max())
    imbalance = length * (problem.sign @ weighted) if problem.fit_intercept else 0.0
    exact = np.zeros_like(weighted)
    distance = design.slope_length(design.zeros(), problem.sign * weighted, exact)
    width = np.hypot(distance, imbalance)
    if 0 < weighted.sum() < np.inf and width <= NO_MARGIN * length * weighted.sum():
        raise NotSeparable(
            "C=inf asks for a hard margin, but the classes cannot be separated beyond "
            f"rounding: every margin is below {width / weighted.sum():.1e}. Use a finite C "
            "or another kernel."
        )
