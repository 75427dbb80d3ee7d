"""Losses and designs that several tests of problems and solvers share."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.designs.sparse import SparseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.losses import HINGE, Loss, Pull

DESIGNS = {
    "dense": DenseDesign,
    "narrow": lambda X: DenseDesign(X.astype(np.float32)),
    "sparse": lambda X: SparseDesign(sp.csr_matrix(X)),
    "gram": lambda X: GramDesign(X @ X.T),
}


@dataclass(frozen=True)
class HingeAt(Loss):
    """``max(0, place - margin)``."""

    place: float

    def pull(self, C):
        return Pull(self.place, C)


@dataclass(frozen=True)
class EpsilonInsensitive(Loss):
    """``max(0, |margin| - epsilon)``."""

    epsilon: float

    def pull(self, C):
        return Pull(-self.epsilon, C, 0.0, self.epsilon, -C)


@dataclass(frozen=True)
class Pinball(Loss):
    """``max(tau r, (tau - 1) r)`` of the residual, which is the negative margin."""

    tau: float

    def pull(self, C):
        floor = (self.tau - 1.0) * C
        return Pull(0.0, self.tau * C, floor, 0.0, floor)


def classes_on_rows(n_rows=30, prices=(1.0, 0.5, 0.3), fit_intercept=True, seed=0, **rest):
    """Return a problem of two weighted classes on four dense features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    sign = np.where(X[:, 0] + rng.normal(size=n_rows) > 0, 1.0, -1.0)
    sign[:2] = 1, -1
    weight, targets = rng.uniform(0.3, 2, n_rows), Targets.of_classes(sign)
    return Problem(DenseDesign(X), targets, weight, Prices(*prices), fit_intercept, **rest)


def sparse_classes(C, lambdas=(0.0, 0.0), fit_intercept=False, loss=HINGE):
    """Return a problem of two weighted classes on 40 sparse features, some rows twice."""
    rng = np.random.default_rng(0)
    X = sp.random(500, 40, 0.2, "csr", random_state=0)
    X = sp.vstack([X[30:60], X[30:]], format="csr")
    sign = np.where(X @ rng.normal(size=40) + 0.3 * rng.normal(size=500) > 0, 1.0, -1.0)
    weight, targets = rng.uniform(0.2, 3.0, 500), Targets.of_classes(sign)
    prices = Prices(C, *lambdas)
    return Problem(SparseDesign(X), targets, weight, prices, fit_intercept, loss)
