"""Scores of a fitted estimator by the expansion of ``w`` over support vectors."""

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.estimators.targets import pairs_of
from largemargin.kernels.functions import Kernel
from largemargin.numerics.rounding import MAX_WIDE_NUMBERS, wide_product


class KernelExpansion:
    """The part of a fitted estimator that scores by a kernel.

    ONNX graphs are made from ``_kernel``, the kernel with its width, and margins are
    normalised by ``_products``, the inner products of the vectors ``w`` of all problems; of
    pairs of classes, only their squared lengths. Support vectors of pairs are grouped by
    class: those of class k end at ``_class_ends[k]``.
    """

    _kernel: Kernel
    _products: np.ndarray

    @property
    def coef_(self):
        """``w`` itself, for a linear kernel."""
        if self._kernel.name != "linear":
            raise AttributeError("coef_ exists for kernel='linear' only.")
        if not hasattr(self, "support_"):  # no rows were stored
            return self._coef
        if np.prod(self.support_vectors_.shape) > MAX_WIDE_NUMBERS:
            return np.asarray(self.dual_coef_ @ self.support_vectors_)
        return wide_product(self.support_vectors_.T, self.dual_coef_.T).T

    def _scores(self, X):
        if self._kernel.name == "linear":
            return safe_sparse_dot(X, self.coef_.T, dense_output=True)
        out = np.zeros((X.shape[0], len(self.dual_coef_)))
        for vectors, problems in self._blocks():
            coefficients = self.dual_coef_[problems, vectors]
            if self._kernel.name == "precomputed":
                values = X[:, self.support_[vectors]] @ coefficients.T
            else:
                values = self._kernel.scores(
                    X, self.support_vectors_[vectors], coefficients
                )
            out[:, problems] += values
        return out

    def _blocks(self):
        """Return slices of support vectors, and the problems with coefficients of them."""
        if not getattr(self, "_one_vs_one", False):
            return [(slice(None), slice(None))]
        ends = self._class_ends
        first, second = pairs_of(len(ends))
        return [
            (slice(begin, end), np.flatnonzero((first == k) | (second == k)))
            for k, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True))
        ]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
