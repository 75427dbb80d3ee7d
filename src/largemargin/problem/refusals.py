"""Problems without an answer, refused before anything is solved."""

import numpy as np

from largemargin.problem.intercept import brakes, is_bounded, pull_of

# Sums of weights, and their products with prices, lie between these.
SMALLEST, LARGEST = 1e-100, 1e100


class NoMinimum(ValueError):
    """Raised for prices at which the objective falls without end."""


def refuse_overflow(problem):
    """Raise if prices or weights leave no room for the squares of forces."""
    C, *rest = problem.prices
    finite_C = C if np.isfinite(C) else 1.0
    largest = max(problem.total, finite_C * problem.total, *map(abs, rest))
    if not (problem.total > SMALLEST and largest < LARGEST):
        named = zip(problem.prices._fields, problem.prices, strict=True)
        told = [f"{name}={price:g}" for name, price in named if price != 0]
        raise ValueError(
            f"The sample weights add up to {problem.total:g}, at {', '.join(told)}; "
            f"expected their sum above {SMALLEST:g} and its product with each price "
            f"below {LARGEST:g}. Scale the weights or lower the prices."
        )


def refuse_unbounded(problem):
    """Raise if the objective has no minimum."""
    if is_bounded(problem):
        return
    pull, prices = pull_of(problem), problem.prices
    brake = brakes(problem)[1 if pull > 0 else 0]
    if prices.intercept != 0:
        raise NoMinimum(
            f"The problem has no minimum: moving the intercept gains {abs(pull):g} a unit "
            f"by its price {prices.intercept:g} and lambda_mean={prices.lambda_mean:g}, "
            f"while C={prices.C:g} charges {brake:g} at the most. Raise C."
        )
    raise NoMinimum(
        f"The problem has no minimum: lambda_mean={prices.lambda_mean:g} rewards "
        f"moving the intercept towards the larger class by {abs(pull):g} a "
        f"unit, while C={prices.C:g} charges {brake:g} at the most. Lower "
        "lambda_mean, raise C, set lambda_var > 0, weight the classes evenly "
        "or use fit_intercept=False."
    )


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
