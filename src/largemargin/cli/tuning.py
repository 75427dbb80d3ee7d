"""Parameters chosen by cross-validation, from grids that are fair to every method."""

from contextlib import suppress
from operator import itemgetter

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold, cross_val_score

from largemargin.estimators.table import search_for
from largemargin.estimators.targets import splits_of

# With more rows than this, grids are those for large data sets.
MAX_REGULAR_ROWS = 2000

FAIR_WIDTHS = 0.0625, 0.25, 1.0, 4.0
FAIR_CS = tuple(2.0**k for k in range(-7, 8))
LARGE_CS = tuple(2.0**k for k in range(-6, 7, 3))
TENTHS = tuple(k / 10 for k in range(1, 10))
# Values to choose from, by method and parameter, besides kernel widths. LDM and ODM are
# not here: the default grids of their searches are scale-free.
FAIR_GRIDS: dict[str, dict] = {
    "svm": {"C": FAIR_CS},
    "komd": {"lam": (0.01, *TENTHS, 0.99, 1.0)},
    "mdo": {"alpha": ("median", 10.0, 100.0)},
}
LARGE_FAIR_GRIDS: dict[str, dict] = {
    "svm": {"C": LARGE_CS},
    "ldm": {
        "C": LARGE_CS,
        "lambda_var": (0.0, "3*scale", "30*scale"),
        "lambda_mean": (0.0, "30*scale"),
    },
    "komd": {"lam": (0.1, 0.5, 0.9, 0.99, 1.0)},
    "odm": {"C": LARGE_CS, "mu": (0.2, 1.0), "theta": (0.1,)},
    "mdo": {},
}
# The same for regression, in multiples of the scale of the values.
SCALES = 0.1, 1.0, 10.0, 100.0
MANY_SCALES = 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0
EPSILONS = 0.03, 0.1, 0.3
ALPHAS = tuple(10.0**k for k in range(-4, 4))
# At C = 0, a price of squares of this multiple of "scale" is ridge with alpha = 1.
SQUARES_OF_RIDGE = 50.0
FAIR_VALUE_GRIDS: dict[str, dict] = {
    "ldm": {
        "C": tuple(f"{factor:g}*scale" for factor in SCALES),
        "epsilon": ("0.1*scale",),
        "lambda_var": (0.0, "scale"),
        "lambda_square": (0.0, "scale", "10*scale"),
    },
    "svm": {
        "C": tuple(f"{factor:g}*scale" for factor in MANY_SCALES),
        "epsilon": tuple(f"{factor:g}*scale" for factor in EPSILONS),
    },
    "ridge": {
        "epsilon": ("scale",),  # which means nothing at C = 0
        "lambda_square": tuple(f"{SQUARES_OF_RIDGE / alpha:g}*scale" for alpha in ALPHAS),
    },
}


def fair_grid(method: str, kernel: str, X, task: str = "classification") -> dict:
    """Return the values to choose from for training rows, by parameter."""
    grids = FAIR_GRIDS if X.shape[0] <= MAX_REGULAR_ROWS else LARGE_FAIR_GRIDS
    grids = FAIR_VALUE_GRIDS if task == "regression" else grids
    widths = {"gamma": widths_by_variance(X)} if kernel == "rbf" else {}
    return grids.get(method, {}) | widths


def widths_by_variance(X):
    """Return multiples of scikit-learn's ``gamma="scale"``, as numbers."""
    mean_square = X.multiply(X).mean() if sp.issparse(X) else np.mean(np.square(X))
    variance = mean_square - X.mean() ** 2
    scale = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    return tuple(float(width * scale) for width in FAIR_WIDTHS)


def stratified_splits(y, n_folds: int, seed: int) -> list:
    """Return random stratified folds: pairs of row numbers to train and to test on."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return splits_of(folds, y, y)


def search_around(machine, pinned, values=None, **options):
    """Return a search, not fitted, of ``values`` by parameter.

    Parameters in neither ``values`` nor ``pinned`` are searched in the default grid.
    """
    kind = search_for(machine)
    free = dict.fromkeys(set(kind._grids) - set(pinned))
    return kind.around(machine, **free | (values or {}), **options)


def best_point(machine, grid, fixed, X, y, folds, named="scale") -> dict:
    """Return the best point of a grid, without the ``fixed`` parameters of the method.

    Values that the grid does not have are those of a search's grid of this name.
    """
    if search_for(machine) is not None:
        search = search_around(machine, fixed, grid, grid=named, cv=folds, refit=False)
        best = search.fit(X, y).best_params_
        return {name: value for name, value in best.items() if name not in fixed}
    points = list(ParameterGrid(grid))
    if len(points) == 1:
        return points[0]
    means = []
    for point in points:
        one = clone(machine).set_params(**point)
        # Points that cannot be fitted are passed over; too little memory is an error.
        with suppress(ValueError):
            shares = cross_val_score(one, X, y, cv=folds, error_score="raise")
            means.append((shares.mean(), point))
    if not means:
        raise ValueError(
            f"{type(machine).__name__} could not be fitted at any of the {len(points)} "
            "points of its grid."
        )
    return max(means, key=itemgetter(0))[1]
