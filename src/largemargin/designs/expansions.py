"""Designs whose elements are expansions over the rows, and Newton systems for all of them.

An element of such a design is a vector of coefficients ``a``, which stands for the sum of
``a_i`` times row i. The scores of an element are its product with the Gram matrix G, the
only thing that is expensive.

A Newton step from a target t, which is an expansion too, solves ``step + K G step = t``,
where K is the curvature ``D - u u' - b b'``: D is its diagonal, u the part of the mean of
the margins and b that of the intercept. G may be singular, and K is singular if there is an
intercept. So we solve the *bordered system* of the same step instead, with a small unknown
vector nu:

    [M  B ] [step]   [D^-1 t]      M = D^-1 + G,   B = [1, -D^-1 u],
    [B' -T] [ nu ] = [ B' t ],     T = diag(0, 1 - u' D^-1 u).

The column of ones belongs to the intercept, the other one to the mean; either may be
absent. M is positive definite, and nothing cancels. Rows without curvature have no
equation: the step is the target there. G is never factorised: the system is solved by
conjugate gradients, one product with G each, preconditioned by the same system with a
surrogate in place of G, see ``designs.surrogate``.
"""

from collections.abc import Callable
from copy import copy
from typing import NamedTuple, Self

import numpy as np

from largemargin.designs.base import Curvature, Design, Step

# At most this many products per Newton step.
MAX_PRODUCTS = 200


class Bordered(NamedTuple):
    """The parts of a bordered system that do not depend on the Gram matrix."""

    diagonal: np.ndarray  # D
    inverse: np.ndarray  # of D, zero for rows without curvature
    border: np.ndarray  # B, one column for each of the intercept and the mean
    corner: np.ndarray  # T

    @classmethod
    def of(cls, curvature: Curvature) -> "Bordered":
        """Return the bordered system of a curvature."""
        weight, mean = curvature.weight, curvature.mean
        diagonal = weight * curvature.spread + curvature.extra
        is_curved = diagonal > 0
        inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=is_curved)
        columns, corner = [], []
        if curvature.border is not None:
            columns, corner = [is_curved.astype(np.float64)], [0.0]
        if mean is not None:
            share = weight / weight.sum()
            # The difference of D and the part that the mean takes, without cancellation.
            rest = (share * diagonal - mean**2) * inverse
            columns, corner = [*columns, -mean * inverse], [*corner, max(rest.sum(), 0.0)]
        border = np.reshape(columns, (len(columns), len(weight))).T
        return cls(diagonal, inverse, border, np.diag(corner))

    def apply(self, x, gram_x, nu):
        """Return ``M x + B nu``, given the product of the Gram matrix with x."""
        return x * self.inverse + (self.inverse > 0) * gram_x + self.border @ nu

    def residual(self, target, step, scores):
        """Return ``D^-1 t - M step``, given the scores of the step."""
        return (target - step) * self.inverse - (self.inverse > 0) * scores


class ExpansionDesign(Design):
    """Rows whose elements are vectors of coefficients over the rows themselves.

    Subclasses have ``scores``, a product with the Gram matrix, and ``squared_norms``.
    Those that several machines can share have ``product``, which ``scores`` uses, and
    ``products``, which makes those of all machines together.
    """

    elements_are_expansions = True
    n_products = 0  # made so far
    shared: Self | None = None  # the design of all machines, if this is that of one

    def for_one_of_several(self, product: Callable) -> Self:
        """Return the design for one of several machines, with other ways to products.

        ``product`` has the parameters of this method. What is computed once is computed
        once for this machine, since it may ask for products.
        """
        one = copy(self)
        vars(one).pop("_results", None)
        vars(one).update(shared=self, n_products=0, product=product)
        return one

    def zeros(self) -> np.ndarray:
        """Return the origin of the feature space."""
        return np.zeros(self.n_rows)

    def combine(self, coefficients) -> np.ndarray:
        """Return the combination of the rows with these coefficients."""
        return coefficients

    def inner(self, v, w, w_scores=None) -> float:
        """Return the inner product of two elements, from the scores of the second."""
        return v @ (self.scores(w) if w_scores is None else w_scores)


def conjugate_gradients(product, system, precondition, target, goals) -> Step:
    """Return the Newton step from a target by preconditioned conjugate gradients.

    ``precondition(r, c)`` solves the bordered system on a surrogate of the Gram matrix. All
    iterates satisfy the border exactly, so that only the rows have a residual r, and the
    quadratic model is at most ``r' D r / 2`` above its minimum: stop when this is a
    fraction ``goals.accuracy**2`` of the decrease, or below ``goals.enough``.
    """
    step = np.where(system.inverse > 0, 0.0, target)
    scores = product(step) if step.any() else np.zeros_like(step)
    residual = system.residual(target, step, scores)
    # The first step satisfies the border, the others leave it as it is.
    lack = system.border.T @ target
    last = direction = 0.0
    nu = np.zeros(len(lack))
    for n_products in range(MAX_PRODUCTS):
        if n_products > 1:
            left = residual @ (system.diagonal * residual)
            decrease = target @ scores
            if left <= max(goals.accuracy**2 * decrease, 2.0 * goals.enough):
                break
        z, z_nu = precondition(residual, lack)
        if n_products == 0:
            step += z
            scores += product(z)
            residual = system.residual(target, step, scores) - system.border @ z_nu
            lack = np.zeros_like(lack)
            continue
        size = residual @ z
        if not size > 0:  # by rounding
            break
        ratio = size / last if n_products > 1 else 0.0
        direction, nu = z + ratio * direction, z_nu + ratio * nu
        image = product(direction)
        whole = system.apply(direction, image, nu)
        bend = direction @ whole
        if not bend > 0:
            break
        length = size / bend
        step += length * direction
        scores += length * image
        residual -= length * whole
        last = size
    return Step(step, scores)
