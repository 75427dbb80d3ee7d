"""Drawing values to predict, and the prices of regressors and of one class."""

import numpy as np

KINDS_OF_VALUES = (
    "noisy",
    "exact",
    "offset",
    "heavy tails",
    "constant",
    "integers",
    "two values",
    "mostly zero",
    "tiny or huge",
)
VALUE_SHARES = 0.25, 0.1, 0.15, 0.1, 0.07, 0.1, 0.08, 0.07, 0.08
MULTIPLES = "0.01*scale", "0.1*scale", "scale", "10*scale", "100*scale", "1000*scale"


def draw_values(rng, scores):
    """Return values near the scores of the rows, their kind, and prices of regressors."""
    kind = str(rng.choice(KINDS_OF_VALUES, p=VALUE_SHARES))
    spread = np.abs(scores).max() or 1.0
    noise = rng.choice([0.1, 1.0, 10.0]) * rng.normal(size=len(scores))
    values = scores / spread + (0.0 if kind == "exact" else noise)
    if kind == "offset":
        values += rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(2, 9)
    elif kind == "heavy tails":
        values += rng.standard_cauchy(len(scores))
    elif kind == "constant":
        values[:] = rng.choice([0.0, 0.1, -7e9])
    elif kind == "integers":
        values = np.round(3.0 * values)
    elif kind == "two values":
        values = np.where(values > 0, 1.0, rng.choice([-1.0, 0.0, 0.9999999]))
    elif kind == "mostly zero":
        values[rng.random(len(values)) < 0.8] = 0.0
    elif kind == "tiny or huge":
        values *= 10.0 ** rng.uniform(-40, 40)
    return values, kind, draw_regression(rng, values)


def draw_regression(rng, values):
    """Return the prices of regressors, some of them numbers in the units of the values."""
    unit = float(values.std()) or 1.0
    C = rng.choice(5, p=[0.3, 0.3, 0.3, 0.05, 0.05])
    epsilon = rng.choice(4, p=[0.3, 0.4, 0.2, 0.1])
    return {
        "C": [
            str(rng.choice(MULTIPLES)),
            float(10.0 ** rng.integers(-6, 7)),
            unit * float(10.0 ** rng.uniform(-3, 4)),
            0.0,
            np.inf,
        ][C],
        "epsilon": ["0.1*scale", 0.0, unit * float(rng.choice([1e-6, 0.3, 10.0])), 0.1][
            epsilon
        ],
        "lambda_var": draw_price(rng),
        "lambda_square": draw_price(rng),
        "quantile": float(rng.choice([0.01, 0.1, 0.5, 0.9, 0.99, rng.uniform()])),
        "fit_intercept": bool(rng.random() < 0.75),
    }


def draw_one_class(rng):
    """Return the parameters of one class."""
    nu = float(rng.choice([0.01, 0.1, 0.5, 0.9, 1.0, rng.uniform(0.001, 1.0)]))
    return {"nu": nu, "lambda_var": draw_price(rng), "lambda_mean": draw_price(rng)}


def draw_price(rng):
    """Return the price of squares or of a mean: zero, a number or in words."""
    chosen = rng.choice(4, p=[0.35, 0.35, 0.2, 0.1])
    numbers = 0.0, str(rng.choice(MULTIPLES)), float(2.0 ** rng.integers(-10, 3))
    return (*numbers, float(10.0 ** rng.integers(1, 7)))[chosen]
