"""Machines that lie, hang or die, and few honest ones, for the tests of the fuzzer."""

import os
import time

import numpy as np

from fuzz.machines import MACHINES as ALL
from fuzz.machines import Machine
from largemargin import LinearLDMClassifier


class ShortGap(LinearLDMClassifier):
    """Stops far from the optimum and claims to be there."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = 0.9 * self.coef_
        self.duality_gap_ = 1e-9
        return self


class WrongObjective(LinearLDMClassifier):
    """Reports another objective than that of its model."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.objective_ *= 1.01
        return self


class WrongMargins(LinearLDMClassifier):
    """Reports other margins than those of its model."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.margin_variance_ *= 1.01
        return self


class WrongScores(LinearLDMClassifier):
    """Scores rows by another model than the one it shows."""

    def decision_function(self, X):
        return super().decision_function(X) + 1e-6


class SoftMargin(LinearLDMClassifier):
    """Keeps margins below one where none is allowed."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_, self.intercept_ = 0.99 * self.coef_, 0.99 * self.intercept_
        return self


class NotFinite(LinearLDMClassifier):
    """Keeps a model of NaN."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = np.full_like(self.coef_, np.nan)
        return self


class Refusing(LinearLDMClassifier):
    """Refuses what others solve."""

    def fit(self, X, y, sample_weight=None):
        raise ValueError("the classes cannot be separated")


class Raising(LinearLDMClassifier):
    """Fails in a way that no user should see."""

    def fit(self, X, y, sample_weight=None):
        raise ZeroDivisionError("division by zero")


class Singular(LinearLDMClassifier):
    """Lets an error of linear algebra through, which is a ValueError too."""

    def fit(self, X, y, sample_weight=None):
        raise np.linalg.LinAlgError("Singular matrix")


class Overflowing(LinearLDMClassifier):
    """Lets a warning of NumPy through."""

    def fit(self, X, y, sample_weight=None):
        np.float64(1e300) * np.full(1, 1e300)
        return super().fit(X, y, sample_weight)


class Hanging(LinearLDMClassifier):
    """Never ends."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(3600)


class Dying(LinearLDMClassifier):
    """Takes the process with it."""

    def fit(self, X, y, sample_weight=None):
        os._exit(3)


def stub(cls, kernel="linear"):
    """Return a machine of this class; only those on linear kernels are warmed up."""
    return Machine(
        cls.__name__,
        kernel,
        "hinge",
        lambda drawn: cls(**drawn.prices, **drawn.common, loss="hinge", solver="newton"),
    )


HONEST = stub(LinearLDMClassifier)
MACHINES = (
    stub(Hanging, "hanging"),
    stub(Dying, "dying"),
    stub(Raising, "raising"),
    HONEST,
)
# One machine for each way through the library; make fuzz runs all.
NAMES = (
    "LinearLDM auto",
    "LDM linear auto",
    "LDM rbf auto",
    "LDM precomputed auto",
    "ODM rbf",
    "KOMD linear",
    "LinearLDMRegressor auto tube",
    "LDMRegressor rbf auto tube",
    "LDMRegressor rbf auto quantile",
    "OneClassLDM linear",
    "OneClassLDM rbf",
)
QUICK = tuple(machine for machine in ALL if machine.name in NAMES)
