"""Kernel widths, and the word "scale" for parameters that follow the data."""

import re

import numpy as np
import scipy.sparse as sp

from largemargin.kernels.values import tiles

# Kernels without a width.
WITHOUT_WIDTH = {"linear", "cosine", "precomputed"}
MULTIPLE = re.compile(r"(?:([^*\s]+)\s*\*\s*)?scale")


def multiple_of_scale(value: object, name: str) -> float | None:
    """Return the factor in "scale" or "0.3*scale"; None if ``value`` is no string."""
    if not isinstance(value, str):
        return None
    matched = MULTIPLE.fullmatch(value.strip())
    try:
        factor = float((matched[1] or 1.0) if matched else "")
    except ValueError:
        factor = -1.0
    if not 0 <= factor < float("inf"):
        raise ValueError(
            f"{name} must be a number, 'scale' or a multiple of it such as '0.3*scale'; "
            f"got {value!r}."
        )
    return factor


@np.errstate(over="ignore", invalid="ignore")  # the kernel refuses such rows
def settle_gamma(gamma: float | str, X, weight: np.ndarray) -> float:
    """Return ``gamma`` as a number; ``"scale"`` counts each row by its weight."""
    n_features = X.shape[1]
    if gamma == "auto":
        return 1.0 / n_features
    factor = multiple_of_scale(gamma, "gamma")
    if factor is None:
        return float(gamma)
    if factor == 0:
        raise ValueError(f"gamma must be above 0; got {gamma!r}.")
    entries = weight.sum() * n_features
    mean = (weight @ X).sum() / entries
    if sp.issparse(X):
        X = X.astype(np.float64, copy=False)
        variance = (weight @ X.multiply(X)).sum() / entries - mean**2
    else:
        squares = (
            weight[tile] @ ((X[tile] - mean) ** 2).sum(axis=1) for tile in tiles(len(X))
        )
        variance = sum(squares) / entries
    return factor / (n_features * variance) if variance > 0 else factor
