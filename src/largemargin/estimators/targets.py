"""Target encoders: from ``y`` to row weights and the targets of problems."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets

from largemargin.numerics.memory import FLOAT_BYTES, check_room
from largemargin.problem import Targets

# Arrays with one number per problem and row that a fit has at once: dual variables and
# coefficients.
ARRAYS_OF_FIT = 2


class Part(NamedTuple):
    """Some of the rows, as an index of them, and the targets of the problems there."""

    members: np.ndarray | slice
    targets: list[Targets]


@dataclass(frozen=True)
class Classes:
    """One problem for two classes, otherwise one for each class or for each pair of them.

    ``multi_class`` is "ovr" for problems of one class against the rest, on all rows, or
    "ovo" for problems of two classes, on their rows. Pairs are in the order (0, 1), (0, 2),
    .. (k - 2, k - 1), and the second class of a pair is the positive one.
    """

    class_weight: object = None
    multi_class: str = "ovr"

    y_options = {"multi_output": False}
    default_scoring = "accuracy"
    kept_type = np.float32

    def checked(self, y):
        """Return the labels; raise if more than two of them look like measurements."""
        if len(np.unique(y)) > 2:
            check_classification_targets(y)
        return y

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
        """Return the classes, and the parts of the rows; errors mention the name."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(
                f"{name} needs at least two classes with positive weight; "
                f"got one class only: {classes.tolist()[0]!r}."
            )
        check_machines(len(classes), len(y), "rows", self.multi_class)
        return classes, self.parts(y, classes)

    def is_pairwise(self, classes):
        """Return whether each problem has two of these classes."""
        return self.multi_class == "ovo" and len(classes) > 2

    def parts(self, y, classes):
        """Return the parts of rows that have these classes, or some of them."""
        if not self.is_pairwise(classes):
            signs = [np.where(y == label, 1.0, -1.0) for label in positives_of(classes)]
            return [Part(slice(None), [Targets.of_classes(sign) for sign in signs])]
        places = [np.flatnonzero(y == label) for label in classes]
        parts = []
        for first, second in zip(*pairs_of(len(classes)), strict=True):
            members = np.sort(np.concatenate([places[first], places[second]]))
            sign = np.where(y[members] == classes[second], 1.0, -1.0)
            parts.append(Part(members, [Targets.of_classes(sign)]))
        return parts

    def store(self, machine, labels, means, variances):
        """Store the classes, and the means and variances of the margins."""
        machine.classes_, machine._one_vs_one = labels, self.is_pairwise(labels)
        machine.margin_mean_, machine.margin_variance_ = means, variances

    def splits(self, cv, X, y, groups=None):
        """Return the splits of rows, in strata of the classes."""
        return splits_of(cv, X, y, groups)

    def n_scores(self, y):
        """Return the number of problems."""
        return n_problems(len(np.unique(y)), self.multi_class)

    def score(self, y, labels, scores, weight):
        """Return the accuracy."""
        if self.is_pairwise(labels):
            scores = class_scores(scores, len(labels))
        return np.average(labels[winners_of(scores)] == y, weights=weight)

    @property
    def weights_depend_on_others(self):
        """Whether leaving a row out changes the weights of others."""
        return self.class_weight == "balanced"


def check_machines(n_classes, length, unit, multi_class):
    """Raise if arrays with one number per machine and unit do not fit into memory."""
    way_out = "Give labels that are classes, or fewer of them"
    if multi_class == "ovo" and n_classes > 2:
        way_out += ", use multi_class='ovr'"
    check_room(
        FLOAT_BYTES * ARRAYS_OF_FIT * n_problems(n_classes, multi_class) * length,
        f"y has {n_classes:,} classes in {length:,} {unit}, and a fit with this many",
        way_out,
    )


def positives_of(classes):
    """Return the positive class of each problem: one for two classes, otherwise all."""
    return classes[1:] if len(classes) == 2 else classes


def n_pairs(n_classes):
    """Return the number of pairs of classes."""
    return n_classes * (n_classes - 1) // 2


def n_problems(n_classes, multi_class):
    """Return the number of problems, one for two classes."""
    return n_pairs(n_classes) if multi_class == "ovo" or n_classes == 2 else n_classes


def pairs_of(n_classes):
    """Return the first and the second class of each pair, as two arrays of indices."""
    return np.triu_indices(n_classes, 1)


def incidence(n_classes):
    """Return the matrix of pairs by classes: -1 at the first class, 1 at the second."""
    first, second = pairs_of(n_classes)
    out, pairs = np.zeros((len(first), n_classes)), np.arange(len(first))
    out[pairs, first], out[pairs, second] = -1.0, 1.0
    return out


def class_scores(scores, n_classes):
    """Return one score per class from the scores of the pairs, as ``SVC`` does.

    A score is the number of pairs that the class wins, where zero is a victory of the first
    class, plus a number between -1/3 and 1/3 that rises with the sum of its scores.
    """
    largest = np.finfo(np.float64).max / n_classes  # so that sums are finite
    scores, sides = np.clip(scores, -largest, largest), incidence(n_classes)
    votes = np.where(scores > 0, 0.5, -0.5) @ sides + 0.5 * (n_classes - 1)
    return refined(votes, scores @ sides)


def refined(votes, sums):
    """Return votes that the sums of the scores decide where they are equal."""
    return votes + sums / (np.abs(sums) + 1.0) / 3.0


def pair_margins(scores, own, n_classes):
    """Return the smallest score of each row's own class against another, and the pair.

    ``scores`` has a column per pair, and ``own`` the index of the class of each row.
    """
    sides = incidence(n_classes).T[own]
    signed = np.where(sides == 0, np.inf, sides * scores)
    pairs = signed.argmin(axis=1)
    return signed[np.arange(len(own)), pairs], pairs


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
