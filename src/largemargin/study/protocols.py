"""How data are scaled and parameters chosen: the paper's way, and a fair one."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MinMaxScaler, normalize

from largemargin.estimators.grids import PAPER_LAMBDAS, paper_gammas

REPETITIONS = {"regular": 30, "large": 10}
KERNELS = {"regular": ("linear", "rbf"), "large": ("linear",)}
# A user's file with more rows than this is treated as the paper's large sets are.
MAX_REGULAR_ROWS = 2000

FAIR_WIDTHS = 0.0625, 0.25, 1.0, 4.0
FAIR_CS = tuple(2.0**k for k in range(-7, 8))
LARGE_CS = tuple(2.0**k for k in range(-6, 7, 3))
TENTHS = tuple(k / 10 for k in range(1, 10))


def scale_of(data):
    """Return "regular" or "large", the table a data set belongs to."""
    if data.entry is not None:
        return data.entry.scale
    return "regular" if data.X.shape[0] <= MAX_REGULAR_ROWS else "large"


def scaled(X, shown, *, text):
    """Return rows with features in [0, 1], or in [-1, 1] if sparse.

    Parameters
    ----------
    X : {ndarray, csr matrix} of shape (n_samples, n_features)
        Raw rows.

    shown : slice or ndarray
        The rows whose ranges are used; what exceeds them in others is clipped.

    text : bool
        Whether the rows are documents, which get unit length instead.

    Returns
    -------
    X : {ndarray, csr matrix} of shape (n_samples, n_features)
        New rows; zeros of sparse ones stay zero.
    """
    if text:
        return normalize(X)
    if not sp.issparse(X):
        return MinMaxScaler(clip=True).fit(X[shown]).transform(X)
    largest = abs(X[shown]).max(axis=0).toarray().ravel()
    divided = (X @ sp.diags(1.0 / np.where(largest > 0, largest, 1.0))).tocsr()
    np.clip(divided.data, -1.0, 1.0, out=divided.data)
    return divided


def widths_by_distance(X):
    """Return the paper's ``gamma``, from the mean distance of training rows."""
    return tuple(map(float, paper_gammas(X, np.ones(X.shape[0]))))


def widths_by_variance(X):
    """Return multiples of scikit-learn's ``gamma="scale"``, as numbers."""
    mean_square = X.multiply(X).mean() if sp.issparse(X) else np.mean(np.square(X))
    variance = mean_square - X.mean() ** 2
    scale = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    return tuple(float(width * scale) for width in FAIR_WIDTHS)


@dataclass(frozen=True)
class Protocol:
    """A way to scale rows and to choose parameters.

    Attributes
    ----------
    sees_all_rows : bool
        Whether features are scaled by the ranges of all rows, not of the training half.

    gammas : callable
        Maps training rows to the values of ``gamma`` for the rbf kernel.

    grids : dict
        Values to choose from, by method and parameter; none for methods without a choice.

    large_grids : dict
        The same for large data sets where it differs.

    settings : dict
        Parameters that are set rather than chosen, by method.
    """

    sees_all_rows: bool
    gammas: Callable
    grids: dict
    large_grids: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)

    def scaled(self, data, train):
        """Return the scaled rows of a data set."""
        text = data.entry is not None and data.entry.text
        return scaled(data.X, slice(None) if self.sees_all_rows else train, text=text)

    def grid(self, method, kernel, scale, X_train):
        """Return the values to choose from, by parameter of the machine."""
        grid = self.grids.get(method, {})
        if scale == "large":
            grid = self.large_grids.get(method, grid)
        if kernel == "rbf":
            grid = {**grid, "gamma": self.gammas(X_train)}
        return grid


PROTOCOLS = {
    "paper": Protocol(
        sees_all_rows=True,
        gammas=widths_by_distance,
        grids={
            "svm": {"C": (10.0, 50.0, 100.0)},
            "svc": {"C": (10.0, 50.0, 100.0)},
            "ldm": {
                "C": (10.0, 50.0, 100.0),
                "lambda_var": PAPER_LAMBDAS,
                "lambda_mean": PAPER_LAMBDAS,
            },
            # The paper names a C for it, which the method does not have.
            "komd": {"lam": (*TENTHS, 1.0)},
        },
        large_grids={"komd": {"lam": (0.1, 0.5, 0.9, 1.0)}},
        # The paper's SVM and LDM are both written without an intercept.
        settings={
            method: {"fit_intercept": False}
            for method in ("svm", "ldm", "linear_svc", "svm_asgd", "ldm_asgd")
        },
    ),
    "fair": Protocol(
        sees_all_rows=False,
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
    ),
}
