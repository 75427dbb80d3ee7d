"""Target encoders: from ``y`` to row weights and the targets of problems."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets

from largemargin.numerics.memory import FLOAT_BYTES, check_room
from largemargin.problem import Targets


@dataclass(frozen=True)
class Classes:
    """One problem for two classes, otherwise one against the rest for each class."""

    class_weight: object = None

    def check(self, y):
        """Raise if more than two labels look like measurements rather than classes."""
        if len(np.unique(y)) > 2:
            check_classification_targets(y)

    def weighted(self, y, weight):
        """Return the weights, multiplied by the factors of the classes."""
        weight = weight * class_factors(self.class_weight, y, weight)
        if not weight.any():
            raise ValueError(
                f"class_weight={self.class_weight!r} leaves no row with a weight; expected "
                "at least two classes above 0."
            )
        return weight

    def encode(self, y, name):
        """Return the classes, and the targets of each problem; errors mention the name."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(
                f"{name} needs at least two classes with positive weight; "
                f"got one class only: {classes[0]!r}."
            )
        positives = positives_of(classes)
        check_room(
            FLOAT_BYTES * len(positives) * len(y),
            f"y has {len(classes):,} classes in {len(y):,} rows, and a fit with this many",
            "Give labels that are classes, or fewer of them",
        )
        return classes, [self.signs(y, label) for label in positives]

    def signs(self, y, label):
        """Return the targets of the problem with a given positive class."""
        return Targets.of_classes(np.where(y == label, 1.0, -1.0))

    @property
    def weights_depend_on_others(self):
        """Whether leaving a row out changes the weights of others."""
        return self.class_weight == "balanced"


def positives_of(classes):
    """Return the positive class of each problem: one for two classes, otherwise all."""
    return classes[1:] if len(classes) == 2 else classes


def splits_of(cv, X, y, groups=None):
    """Return the splits of rows into training and test folds."""
    if y.dtype.kind == "f":
        # Scikit-learn takes labels 0.5 and 1.5 for measurements, which have no strata.
        y = np.unique(y, return_inverse=True)[1]
    return list(check_cv(cv, y, classifier=True).split(X, y, groups))


def winners_of(scores):
    """Return the index of the class that is predicted by the scores of each row."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return (scores.ravel() > 0).astype(int)
    return scores.argmax(axis=1)


def class_factors(class_weight, y, weight):
    """Return the factor on the weight of each row, according to its class."""
    if class_weight is None:
        return np.ones(len(y))
    classes, codes = np.unique(y, return_inverse=True)
    if class_weight == "balanced":
        mass = np.bincount(codes, weight)
        with np.errstate(divide="ignore"):
            factors = mass.sum() / (np.count_nonzero(mass) * mass)
        return np.where(weight > 0, factors[codes], 0.0)
    factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()])
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise ValueError(f"class_weight must be finite and >= 0; got {class_weight!r}.")
    return factors[codes]
