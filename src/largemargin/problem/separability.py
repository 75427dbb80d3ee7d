"""Whether classes can be told apart without any violation, as a hard margin asks."""

import numpy as np

# A separating margin below this fraction of the rows' length counts as none.
NO_MARGIN = 1e-7


class NotSeparable(ValueError):
    """Raised where a hard margin is asked of classes that no hyperplane separates."""


def refuse_other_hard_margins(problem):
    """Raise if C is infinite where that is no hard margin of classes.

    Points are stretched until all margins reach the kink: this takes a single kink, above
    zero, and margins that are zero where scores are.
    """
    loss = problem.loss
    is_known = loss.is_one_sided and loss.kink > 0 and not problem.origin.any()
    if problem.is_hard and not is_known:
        raise ValueError(
            "C=inf asks for a hard margin, which only classes have, and only losses of one "
            f"kink above zero, such as the hinge loss; got {loss}. Use a finite C."
        )


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
