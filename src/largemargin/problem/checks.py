"""Checks that refuse problems without a solution, and the errors they raise."""

import numpy as np

from largemargin.problem.intercept import brakes, is_bounded, pull_of
from largemargin.problem.value_losses import HardTube

# Sums of weights, and their products with prices, must lie between these.
SMALLEST, LARGEST = 1e-100, 1e100
# A separating margin below this fraction of the longest row counts as none.
NO_MARGIN = 1e-7


class NoMinimum(ValueError):
    """Raised for prices at which the objective is unbounded from below."""


class NotSeparable(ValueError):
    """Raised if a hard margin is requested for classes that no hyperplane separates."""


class OutsideTube(ValueError):
    """Raised if a hard tube is requested for values that no function keeps inside."""


def refuse_overflow(problem) -> None:
    """Raise if prices or weights are so large or small that squares would overflow."""
    C, *rest = problem.prices
    finite_C = C if np.isfinite(C) else 1.0
    largest = max(problem.total, finite_C * problem.total, *map(abs, rest))
    if not (problem.total > SMALLEST and largest < LARGEST):
        named = problem.prices._asdict().items()
        shown = [f"{name}={price:g}" for name, price in named if price != 0]
        at_prices = f", at {', '.join(shown)}" if shown else ""
        raise ValueError(
            f"The sample weights add up to {problem.total:g}{at_prices}; "
            f"expected their sum above {SMALLEST:g} and its product with each price "
            f"below {LARGEST:g}. Scale the weights or lower the prices."
        )


def refuse_unbounded(problem) -> None:
    """Raise if the objective has no minimum."""
    if is_bounded(problem):
        return
    pull, prices = pull_of(problem), problem.prices
    brake = brakes(problem)[1 if pull > 0 else 0]
    if prices.intercept != 0:
        raise NoMinimum(
            f"The problem has no minimum: moving the intercept gains {abs(pull):g} per "
            f"unit from its price {prices.intercept:g} and "
            f"lambda_mean={prices.lambda_mean:g}, while C={prices.C:g} charges at most "
            f"{brake:g}. Raise C."
        )
    raise NoMinimum(
        f"The problem has no minimum: lambda_mean={prices.lambda_mean:g} rewards "
        f"moving the intercept towards the larger class by {abs(pull):g} per unit, "
        f"while C={prices.C:g} charges at most {brake:g}. Lower lambda_mean, raise C, "
        "set lambda_var > 0, weight the classes evenly or use fit_intercept=False."
    )


def refuse_other_hard_margins(problem) -> None:
    """Raise if C is infinite but the problem is neither a hard margin nor a hard tube.

    Points are stretched until all margins reach the kink. This requires a single kink,
    above zero, and margins that are zero where scores are.
    """
    loss = problem.loss
    if isinstance(loss, HardTube):
        return
    has_kink = loss.is_one_sided and not loss.is_smooth and loss.kink > 0
    is_known = has_kink and not problem.origin.any()
    if problem.is_hard and not is_known:
        raise ValueError(
            "C=inf asks for a hard margin, which only classes have, and only losses of one "
            "kink above zero, such as the hinge loss, or for a tube that no residual may "
            f"leave; got {loss}. Use a finite C."
        )


def refuse_impossible(problem, beta) -> None:
    """Raise if these dual variables prove that no point keeps a hard margin or tube."""
    if problem.has_hard_margin:
        refuse_unseparable(problem, beta)
    else:
        refuse_outside_tube(problem, beta)


def refuse_outside_tube(problem, beta) -> None:
    """Raise if these dual variables prove that no reasonable function stays in the tube.

    Let d be the dual variables, weighted and scaled to a sum of absolute values of one. The
    combination of the residuals by d is at most the largest of them, and it is that of the
    values minus that of the scores, which is small if the combination of the rows is.
    """
    design, weighted = problem.design, problem.weight * beta
    size = np.abs(weighted).sum()
    if not 0 < size < np.inf:
        return
    length, values = np.sqrt(design.squared_norms().max()), problem.origin
    values = values - problem.mean(values) if problem.fit_intercept else values
    imbalance = length * weighted.sum() if problem.fit_intercept else 0.0
    exact = np.zeros_like(weighted)
    distance = np.hypot(design.slope_length(design.zeros(), weighted, exact), imbalance)
    # Scores of functions whose elements are longer than this are mostly rounding.
    longest = np.abs(values).max() / (NO_MARGIN * max(length, 1e-300))
    least = (values @ weighted - longest * distance) / size
    if least > problem.loss.epsilon:
        raise OutsideTube(
            "C=inf asks for residuals of at most "
            f"epsilon={problem.loss.epsilon:.3g}, but the largest residual of every "
            f"function is {least:.3g} or more. Use a finite C, a larger epsilon or "
            "another kernel."
        )


def refuse_unseparable(problem, beta) -> None:
    """Raise if these weights, all >= 0, prove that no hyperplane separates the classes.

    They form one combination of rows per class, and no margin can be wider than the
    distance of the two combinations.
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
