"""Drawing problems: the same seed and number always give the same arrays."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from fuzz.rows import KINDS
from fuzz.values import draw_one_class, draw_values

# Counts of rows that lead to different solvers, and how often each range is drawn.
ROWS = (2, 10), (11, 60), (61, 100), (101, 130), (301, 320)
ROW_SHARES = 0.25, 0.37, 0.15, 0.20, 0.03
STORAGES = "dense", "csr", "csr64", "dense32", "csr32"
STORAGE_SHARES = 0.60, 0.15, 0.10, 0.10, 0.05
LABELS = "separable", "one flipped", "noise", "imbalanced", "one row", "classes"
LABEL_SHARES = 0.30, 0.15, 0.20, 0.10, 0.10, 0.15
WEIGHTS = "none", "constant", "decades", "zeros", "integers", "near overflow"
WEIGHT_SHARES = 0.45, 0.08, 0.16, 0.13, 0.13, 0.05
LAMBDAS = "zero", "small", "scale", "0.1*scale", "10*scale", "100*scale", "large"
LAMBDA_SHARES = 0.25, 0.15, 0.25, 0.10, 0.10, 0.05, 0.10


# Part of the problems has prices of squares that matter, and some of these more rows.
ACTIVE_SHARE, MANY_SHARE, MANY_ROWS = 0.4, 0.1, (301, 600)
ACTIVE = "0.01*scale", "0.1*scale", "scale", "10*scale", "100*scale", "1000*scale"


@dataclass
class Drawn:
    """One problem: arrays, prices and the other parameters of the machines."""

    seed: int
    number: int
    kind: str
    labels: str
    weights: str
    storage: str
    X: object
    y: np.ndarray
    sample_weight: np.ndarray | None
    prices: dict = field(default_factory=dict)
    common: dict = field(default_factory=dict)
    kernel: dict = field(default_factory=dict)
    band: dict = field(default_factory=dict)
    komd: dict = field(default_factory=dict)
    # Values to predict, how they were drawn, and the prices of their regressors.
    values: np.ndarray | None = None
    of_values: str = ""
    regression: dict = field(default_factory=dict)
    one_class: dict = field(default_factory=dict)

    @property
    def name(self):
        """What ``--replay`` takes."""
        return f"{self.seed}:{self.number}"

    @property
    def rows(self):
        """The rows as a dense array of float64, each number as it was given."""
        X = self.X.toarray() if sp.issparse(self.X) else self.X
        return X.astype(np.float64)

    def describe(self):
        """Return the problem in one line."""
        shape = "x".join(map(str, self.X.shape))
        parts = [self.name, self.kind, shape, self.storage, self.labels]
        parts.append(f"weights {self.weights}")
        parts.append(f"values {self.of_values}")
        for options in self.prices, self.regression, self.one_class, self.common:
            parts += [f"{name}={value!r}" for name, value in options.items()]
        return ", ".join(parts)


def kind_of(number):
    """Return the name of the kind of rows of the problem of that number."""
    return list(KINDS)[number % len(KINDS)]


def draw(seed, number, active_share=ACTIVE_SHARE):
    """Return the problem of that number; some get active prices in place of their own."""
    rng = np.random.default_rng([seed, number])
    kind = kind_of(number)
    low, high = ROWS[rng.choice(len(ROWS), p=ROW_SHARES)]
    n_rows = int(rng.integers(low, high + 1))
    # From generators of their own: other problems of a seed stay what they were.
    own = np.random.default_rng([seed, number, 2])
    is_active = own.random() < active_share
    if is_active and own.random() < MANY_SHARE:
        n_rows = int(own.integers(*MANY_ROWS))
    n_features = int(rng.choice([1, 2, 3, rng.integers(4, 20), rng.integers(20, 61)]))
    X = KINDS[kind](rng, n_rows, n_features)
    scores = scores_of_some_direction(np.random.default_rng([seed, number, 4]), X)
    labels = str(rng.choice(LABELS, p=LABEL_SHARES))
    y = draw_labels(rng, labels, X)
    weights = str(rng.choice(WEIGHTS, p=WEIGHT_SHARES))
    sample_weight = draw_weights(rng, weights, n_rows)
    storage = str(rng.choice(STORAGES, p=STORAGE_SHARES))
    X = store(X, storage)
    chosen = np.random.default_rng([seed, number, 1]).integers(2)
    several = {"multi_class": ("ovr", "ovo")[chosen]}
    of_others = np.random.default_rng([seed, number, 3])
    values = draw_values(of_others, scores)
    return Drawn(
        seed,
        number,
        kind,
        labels,
        weights,
        storage,
        X,
        y,
        sample_weight,
        draw_prices(rng) | (active_prices(own) if is_active else {}) | several,
        draw_common(rng),
        draw_kernel(rng),
        {
            "mu": float(rng.choice([0.0, 0.5, 1.0])),
            "theta": float(rng.choice([0.0, 0.1, 0.9])),
        },
        {
            "lam": float(rng.choice([0.0, 1e-6, 0.1, 0.5, 1.0])),
            "ridge": str(rng.choice(["unit", "classes"])),
        },
        *values,
        draw_one_class(of_others),
    )


def draw_labels(rng, labels, X):
    """Return labels from 0; two classes at least are there."""
    n_rows = len(X)
    y = (scores_of_some_direction(rng, X) > 0).astype(int)
    if labels == "one flipped":
        y[rng.integers(n_rows)] ^= 1
    elif labels == "noise":
        y = rng.integers(2, size=n_rows)
    elif labels == "imbalanced":
        y = (rng.random(n_rows) < 0.1).astype(int)
    elif labels == "one row":
        y = np.zeros(n_rows, dtype=int)
        y[rng.integers(n_rows)] = 1
    elif labels == "classes":
        y = y + 2 * (scores_of_some_direction(rng, X) > 0)
    if len(np.unique(y)) == 1:
        y[rng.integers(n_rows)] = y[0] + 1
    return y


def scores_of_some_direction(rng, X):
    """Return centred scores that no column dominates by its units."""
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = X - np.median(X, axis=0)
        centred = centred / np.abs(centred).max(axis=0)
    scores = np.nan_to_num(centred) @ rng.normal(size=X.shape[1])
    return scores - np.median(scores)


def draw_weights(rng, weights, n_rows):
    """Return weights of the rows."""
    if weights == "none":
        return None
    if weights == "constant":
        return np.full(n_rows, 10.0 ** rng.uniform(-12, 12))
    if weights == "decades":
        reach = rng.choice([1.0, 4.0, 12.0])
        return 10.0 ** rng.uniform(-reach, reach, n_rows)
    if weights == "zeros":
        return rng.random(n_rows) * (rng.random(n_rows) < 0.7) + np.eye(1, n_rows)[0]
    if weights == "integers":
        return rng.integers(1, 6, n_rows).astype(float)
    return rng.random(n_rows) * rng.choice([1e-300, 1e150, 1e300, 1e308])


def store(X, storage):
    """Return the rows as they are stored; float32 only where that has room for them."""
    if storage.endswith("32"):
        with np.errstate(over="ignore"):
            narrow = X.astype(np.float32)
        X = narrow if np.isfinite(narrow).all() else X
    if not storage.startswith("csr"):
        return X
    X = sp.csr_matrix(X)
    if storage == "csr64":
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def draw_prices(rng):
    """Return C and both lambdas."""
    C = rng.choice(
        [0.0, 1.0, 10.0 ** rng.integers(-8, 9), np.inf], p=[0.06, 0.2, 0.6, 0.14]
    )
    return {
        "C": float(C),
        "lambda_var": draw_lambda(rng),
        "lambda_mean": draw_lambda(rng),
        "fit_intercept": bool(rng.random() < 0.7),
        "class_weight": draw_class_weight(rng),
    }


def active_prices(rng):
    """Return prices by which the squared terms matter."""
    return {
        "C": float(10.0 ** rng.uniform(-3, 6)),
        "lambda_var": str(rng.choice(ACTIVE)),
        "lambda_mean": str(rng.choice(ACTIVE)) if rng.random() < 0.5 else 0.0,
    }


def draw_lambda(rng):
    """Return the price of a margin statistic."""
    chosen = str(rng.choice(LAMBDAS, p=LAMBDA_SHARES))
    numbers = {
        "zero": 0.0,
        "small": float(2.0 ** rng.integers(-10, 1)),
        "large": float(10.0 ** rng.integers(1, 9)),
    }
    return numbers.get(chosen, chosen)


def draw_class_weight(rng):
    """Return weights of the classes, or none."""
    chosen = rng.choice(3, p=[0.8, 0.12, 0.08])
    return [None, "balanced", {0: 3.0, 1: 0.01}][chosen]


def draw_common(rng):
    """Return accuracy, limit and seed."""
    return {
        "tol": float(rng.choice([1e-2, 1e-4, 1e-8], p=[0.15, 0.55, 0.3])),
        "max_iter": [None, 1, 3][rng.choice(3, p=[0.86, 0.07, 0.07])],
        "random_state": int(rng.integers(1000)),
    }


def draw_kernel(rng):
    """Return the parameters of kernels that have such."""
    gamma = [
        "scale",
        "auto",
        float(10.0 ** rng.uniform(-6, 3)),
    ][rng.choice(3, p=[0.7, 0.1, 0.2])]
    return {
        "gamma": gamma,
        "degree": int(rng.choice([2, 3])),
        "coef0": float(rng.choice([0.0, 1.0])),
        "precomputed": str(rng.choice(["linear", "rbf"])),
    }
