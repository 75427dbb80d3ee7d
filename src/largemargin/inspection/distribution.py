"""What the distributions of margins and of residuals have in common."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from largemargin._compat import check_sample_weight
from largemargin.numerics.records import Record

LEVELS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


class Distribution(Record):
    """Weighted values, one per row.

    Subclasses have an array ``weight`` and override ``_values``.
    """

    weight: np.ndarray

    @property
    def _values(self) -> np.ndarray:
        raise NotImplementedError

    @property
    def mean(self) -> float:
        """The weighted mean."""
        return self._average(self._values)

    @property
    def variance(self) -> float:
        """The weighted population variance."""
        return self._average((self._values - self.mean) ** 2)

    def quantiles(self, levels: Sequence[float] = LEVELS) -> np.ndarray:
        """Return the weighted quantiles.

        Parameters
        ----------
        levels : sequence of float, default=(0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
            Shares of the rows, between 0 and 1.

        Returns
        -------
        quantiles : ndarray
            For each level, the smallest value that at least this share of the rows does
            not exceed.
        """
        return np.quantile(self._values, levels, weights=self.weight, method="inverted_cdf")

    def cumulative(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the sorted values and the share of rows with at most each of them."""
        order = np.argsort(self._values, kind="stable")
        values, shares = self._values[order], np.cumsum(self.weight[order])
        last_of_ties = np.searchsorted(values, values, side="right") - 1
        return values, shares[last_of_ties] / shares[-1]

    def _average(self, values) -> float:
        return float(np.average(values, weights=self.weight))

    def _quantiles_by_name(self) -> dict[str, Any]:
        names = [f"{100 * level:g} % quantile" for level in LEVELS]
        return dict(zip(names, self.quantiles().tolist(), strict=True))


def checked_weight(sample_weight, n_rows: int) -> np.ndarray:
    """Return the weights of so many rows; raise if there can be no statistics."""
    weight = check_sample_weight(sample_weight, np.zeros((n_rows, 1)))
    if (weight < 0).any() or not weight.any():
        raise ValueError("sample_weight must not be negative, and positive somewhere.")
    return weight
