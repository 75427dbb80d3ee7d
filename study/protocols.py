"""How data are scaled and parameters chosen: the paper's way, and a fair one."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MinMaxScaler, normalize

from largemargin.cli.tuning import (
    FAIR_GRIDS,
    LARGE_FAIR_GRIDS,
    MAX_REGULAR_ROWS,
    TENTHS,
    widths_by_variance,
)
from largemargin.estimators.grids import PAPER_LAMBDAS, paper_gammas

REPETITIONS = {"regular": 30, "large": 10}
KERNELS_BY_SCALE = {"regular": ("linear", "rbf"), "large": ("linear",)}


def scale_of_rows(n_rows: int) -> str:
    """Return whether a data set of this many rows is "regular" or "large"."""
    return "regular" if n_rows <= MAX_REGULAR_ROWS else "large"


def scale_of(data):
    """Return "regular" or "large", the table a data set belongs to."""
    if data.entry is not None:
        return data.entry.scale
    return scale_of_rows(data.X.shape[0])


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


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A way to scale rows and to choose parameters.

    Attributes
    ----------
    gammas : callable
        Maps training rows to the values of ``gamma`` for the rbf kernel.

    grids : dict
        Values to choose from, by method and parameter.

    large_grids : dict
        The same for large data sets, where they differ.

    sees_all_rows : bool
        Whether features are scaled by the ranges of all rows, not of the training half.

    settings : dict
        Parameters that are set rather than chosen, by method.

    named_grids : dict
        The grid of a search for parameters that ``grids`` do not have, by method; by
        default "scale".
    """

    gammas: Callable
    grids: dict
    large_grids: dict
    sees_all_rows: bool
    settings: dict = field(default_factory=dict)
    named_grids: dict = field(default_factory=dict)

    def grid(self, method: str, kernel: str, scale: str, X_train) -> dict:
        """Return the values to choose from, by parameter of the estimator."""
        grid = self.grids.get(method, {})
        if scale == "large":
            grid = self.large_grids.get(method, grid)
        return grid | {"gamma": self.gammas(X_train)} if kernel == "rbf" else grid

    def scaled(self, data, train):
        """Return the scaled rows of a data set."""
        text = data.entry is not None and data.entry.text
        return scaled(data.X, slice(None) if self.sees_all_rows else train, text=text)


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
        grids=FAIR_GRIDS,
        large_grids=LARGE_FAIR_GRIDS,
        # The default one when the stored results were measured.
        named_grids={"ldm": "wide"},
    ),
}
