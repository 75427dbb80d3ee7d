"""The maximal average margin classifier, in closed form."""

from typing import NamedTuple

import numpy as np

from largemargin._compat import StrOptions
from largemargin.estimators.base import CONSTRAINTS, KernelChoice, MarginClassifier
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import margin_moments
from largemargin.estimators.kernel_expansion import KernelExpansion
from largemargin.estimators.kernel_space import space_of
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.targets import Classes

# A squared length below this part of its terms is due to rounding.
ROUNDING = 1e-12


class Element(NamedTuple):
    """A combination of rows, and the scores it gives them."""

    w: np.ndarray
    scores: np.ndarray


@described_like(LDMClassifier)
class MAMCClassifier(KernelExpansion, MarginClassifier):
    r"""Maximal average margin classifier: the Parzen window rule.

    Maximises the mean of the margins ``y_i w . phi(x_i)`` over ``|w| <= 1`` [1]_. The
    solution is ``w = sum_i s_i y_i phi(x_i)``, scaled to length one, where ``s`` are the
    sample weights. There is nothing to iterate, and only the kernel to tune.

    Parameters
    ----------
    threshold : {"balanced", "none", "bounded"}, default="balanced"
        How to choose the intercept ``b``. (The mean margin alone would only move it
        towards the larger class.)

        - ``"none"``: no intercept. If all inner products are positive, as for features in
          [0, 1], the larger class is then predicted almost everywhere.
        - ``"balanced"``: both classes get the same weight, and the threshold is halfway
          between them, which is the nearest centroid rule.
        - ``"bounded"``: ``b`` is part of the bound, ``|w|^2 + b^2 <= 1``.
    kernel
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. A larger
        value narrows the kernel. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted; ``"auto"`` is ``1 / n_features``.
    degree, coef0

    Attributes
    ----------
    classes_, gamma_, coef_, support_, support_vectors_, dual_coef_, low_rank_residual_
    intercept_
    margin_mean_, margin_variance_, n_features_in_, feature_names_in_

    Notes
    -----
    The kernel need not be positive semi-definite as long as ``|w|`` exists.
    ``kernel="linear"`` makes one pass over the rows and stores ``coef_`` instead of support
    vectors. Other kernels are evaluated once for each pair of rows, for the length of
    ``w``; no Gram matrix is stored.

    References
    ----------
    .. [1] K. Pelckmans, J. Suykens, B. De Moor. A risk minimization principle for a class
       of Parzen estimators. NIPS 2007.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import MAMCClassifier
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> print(f"{MAMCClassifier().fit(X, y).score(X, y):.2f}")
    0.88
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "threshold": [StrOptions({"none", "balanced", "bounded"})],
    }

    def __init__(
        self,
        *,
        threshold: str = "balanced",
        kernel: KernelChoice = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
    ) -> None:
        self.threshold = threshold
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0

    def _learn(self, rows):
        self.classes_, (part,) = Classes().encode(rows.labels, type(self).__name__)
        space = space_of(self)
        used, signs = space.settle(rows), [one.sign for one in part.targets]
        with np.errstate(over="ignore", invalid="ignore"):
            machines = [
                self._average(used, space.kernel, sign, rows.weight) for sign in signs
            ]
        elements, offsets = zip(*machines, strict=True)
        self.intercept_ = np.array(offsets)
        space.store(self, rows, [space.finish(rows, elements)])
        margins = [
            sign * (element.scores + offset)
            for element, sign, offset in zip(elements, signs, offsets, strict=True)
        ]
        moments = margin_moments(margins, [rows.weight] * len(margins))
        self.margin_mean_, self.margin_variance_ = moments

    def _average(self, rows, kernel, sign, weight):
        """Return the element of largest mean margin, and its intercept."""
        pull = sign * weight
        if self.threshold == "balanced":
            for label in -1, 1:
                pull[sign == label] /= weight[sign == label].sum()
        parts = np.array([np.where(sign == label, pull, 0.0) for label in (-1, 1)])
        w, part_scores = self._combine(rows, kernel, parts)
        scores = part_scores.sum(axis=1)
        squared_length = pull @ scores
        # What the classes have in common cancels, except for its rounding.
        noise = ROUNDING * (np.abs(pull) @ np.abs(part_scores).sum(axis=1))
        if not np.isfinite(squared_length):
            raise ValueError(
                f"kernel={self.kernel!r} overflows on these rows. Scale the features, for "
                "example with sklearn.preprocessing.MinMaxScaler."
            )
        if squared_length < -noise:
            raise ValueError(
                f"kernel={self.kernel!r} gives the combination of these rows a negative "
                f"squared length, {squared_length:.3g}, so the mean margin has no maximum. "
                "Use a kernel that is positive semi-definite."
            )
        offset = 0.0
        if self.threshold == "bounded":
            offset = pull.sum()
            squared_length += offset**2
        elif self.threshold == "balanced":
            offset = -0.5 * (np.abs(pull) @ scores)
        # If the classes coincide, there is nothing to scale.
        scale = 1.0 / np.sqrt(squared_length) if squared_length > noise else 1.0
        return Element(scale * w, scale * scores), scale * offset

    def _combine(self, rows, kernel, parts):
        """Return the sum of some combinations of the rows, and the scores of each."""
        if kernel.name == "linear":
            elements = np.asarray(parts @ rows, dtype=np.float64)
            return elements.sum(axis=0), np.asarray(rows @ elements.T, dtype=np.float64)
        alpha = parts.sum(axis=0)
        if self.kernel == "precomputed" or callable(self.kernel):
            gram = rows if self.kernel == "precomputed" else kernel.gram_matrix(rows)
            return alpha, np.asarray(gram @ parts.T, dtype=np.float64)
        return alpha, kernel.scores(rows, rows, parts)
