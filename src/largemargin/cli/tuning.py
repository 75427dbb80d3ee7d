"""Parameters chosen by cross-validation, from grids that are fair to every method."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from largemargin.estimators.table import search_for

N_FOLDS = 5
# With more rows than this, grids are those for large data sets.
MAX_REGULAR_ROWS = 2000

FAIR_WIDTHS = 0.0625, 0.25, 1.0, 4.0
FAIR_CS = tuple(2.0**k for k in range(-7, 8))
LARGE_CS = tuple(2.0**k for k in range(-6, 7, 3))
TENTHS = tuple(k / 10 for k in range(1, 10))


@dataclass(frozen=True, kw_only=True)
class Grids:
    """Values to choose parameters from.

    Attributes
    ----------
    gammas : callable
        Maps training rows to the values of ``gamma`` for the rbf kernel.

    grids : dict
        Values to choose from, by method and parameter; none for methods without a choice.

    large_grids : dict
        The same for large data sets where it differs.
    """

    gammas: Callable
    grids: dict
    large_grids: dict = field(default_factory=dict)

    def grid(self, method, kernel, scale, X_train):
        """Return the values to choose from, by parameter of the machine."""
        grid = self.grids.get(method, {})
        if scale == "large":
            grid = self.large_grids.get(method, grid)
        if kernel == "rbf":
            grid = {**grid, "gamma": self.gammas(X_train)}
        return grid


def scale_of_rows(n_rows):
    """Return whether so many rows are a "regular" or a "large" data set."""
    return "regular" if n_rows <= MAX_REGULAR_ROWS else "large"


def widths_by_variance(X):
    """Return multiples of scikit-learn's ``gamma="scale"``, as numbers."""
    mean_square = X.multiply(X).mean() if sp.issparse(X) else np.mean(np.square(X))
    variance = mean_square - X.mean() ** 2
    scale = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    return tuple(float(width * scale) for width in FAIR_WIDTHS)


FAIR = Grids(
    gammas=widths_by_variance,
    grids={
        "svm": {"C": FAIR_CS},
        # Nothing for LDM: its search has a grid of scale-free prices by default.
        "komd": {"lam": (0.01, *TENTHS, 0.99, 1.0)},
        "odm": {
            "C": tuple(2.0**k for k in range(-6, 9, 2)),
            "mu": (0.2, 1.0),
            "theta": (0.1,),
        },
        "mdo": {"alpha": ("median", 10.0, 100.0)},
    },
    large_grids={
        "svm": {"C": LARGE_CS},
        "ldm": {
            "C": LARGE_CS,
            "lambda_var": (0.0, "3*scale", "30*scale"),
            "lambda_mean": (0.0, "30*scale"),
        },
        "komd": {"lam": (0.1, 0.5, 0.9, 0.99, 1.0)},
        "odm": {"C": LARGE_CS, "mu": (0.2, 1.0), "theta": (0.1,)},
        "mdo": {},
    },
)


def draw_folds(y, rng):
    """Return folds in which all classes are dealt out evenly."""
    shuffled = rng.permutation(len(y))
    dealt = shuffled[np.argsort(y[shuffled], kind="stable")]
    number = np.empty(len(y), dtype=int)
    number[dealt] = np.arange(len(y)) % N_FOLDS
    return [
        (np.flatnonzero(number != fold), np.flatnonzero(number == fold))
        for fold in range(N_FOLDS)
    ]


def best_point(machine, grid, fixed, X, y, folds):
    """Return the best point of a grid, by the machine's own search where it has one."""
    search = search_for(machine)
    if search is None:
        points = list(ParameterGrid(grid))
        alone = len(points) == 1
        return points[0] if alone else search_singly(machine, points, X, y, folds)
    given = machine.get_params()
    shared = {name: given[name] for name in search().get_params() if name in given}
    values = grid | {name: (value,) for name, value in fixed.items()}
    grids = {f"{name}s": some for name, some in values.items()}
    best = search(cv=folds, refit=False, **shared, **grids).fit(X, y).best_params_
    return {name: value for name, value in best.items() if name not in fixed}


def search_singly(machine, points, X, y, folds):
    """Return the first of the best points; one that cannot be fitted is passed over."""
    scores = np.array([[score(machine, p, X, y, *f) for f in folds] for p in points])
    means = scores.mean(axis=1)
    if np.isnan(means).all():
        raise ValueError(
            f"{type(machine).__name__} could not be fitted at any of the {len(points)} "
            "points of its grid."
        )
    return points[int(np.nanargmax(means))]


def score(machine, point, X, y, train, test):
    """Return the accuracy in one fold, NaN if the fit fails."""
    try:
        fitted = clone(machine).set_params(**point).fit(X[train], y[train])
    except ValueError:
        return np.nan
    return fitted.score(X[test], y[test])
