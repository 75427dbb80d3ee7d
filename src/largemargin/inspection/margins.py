"""The margin distribution of a fitted classifier or machine of one class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted, column_or_1d

from largemargin.estimators.nesting import innermost, is_pairwise, scores_of_problems
from largemargin.estimators.targets import pair_margins
from largemargin.inspection.distribution import Distribution, checked_weight


@dataclass(frozen=True, repr=False)
class MarginDistribution(Distribution):
    """Margins of rows and their statistics.

    Parameters
    ----------
    margins : ndarray of shape (n_samples,)
        The margin of each row: its score, with the sign of its label. With more than two
        classes, the score of its own class minus the largest score of another class; with
        ``multi_class="ovo"``, the smallest score of its class against another one. Of one
        class, by how much the score is above the threshold.
    lengths : ndarray of shape (n_samples,) or None
        ``|w|`` for each margin; None if it is not known.
    weight : ndarray of shape (n_samples,)
        Weights of the rows, which all statistics below take into account.
    """

    margins: np.ndarray
    lengths: np.ndarray | None
    weight: np.ndarray

    @property
    def normalised(self) -> np.ndarray | None:
        """The margins divided by ``|w|``: signed distances from the boundary.

        None for a classifier whose ``|w|`` is not known.
        """
        if self.lengths is None:
            return None
        zeros = np.zeros(len(self.margins))
        return np.divide(self.margins, self.lengths, out=zeros, where=self.lengths > 0)

    def normalised_distribution(self) -> "MarginDistribution":
        """Return the distribution of the normalised margins."""
        margins = self.normalised
        if margins is None:
            raise ValueError("|w| is not known, so the margins cannot be normalised.")
        return MarginDistribution(margins, np.ones_like(margins), self.weight)

    @property
    def _values(self) -> np.ndarray:
        return self.margins

    @property
    def minimum(self) -> float:
        """The smallest margin of a row with positive weight."""
        return float(self.margins[self.weight > 0].min())

    @property
    def error(self) -> float:
        """The weighted share of rows with a margin of at most zero."""
        return self._average(self.margins <= 0)

    def _summary(self) -> dict[str, Any]:
        # Without positive weights there are no statistics, and a prompt must not raise.
        names = ("mean", "variance", "minimum", "error") if self.weight.any() else ()
        return {"n": len(self.margins), **{name: getattr(self, name) for name in names}}

    def _columns(self) -> dict[str, dict[str, Any]]:
        shown = {"margin": self}
        if self.lengths is not None:
            shown["margin / |w|"] = self.normalised_distribution()
        return {title: one._statistics() for title, one in shown.items()}

    def _statistics(self) -> dict[str, Any]:
        values = self._summary()
        if "error" in values:
            values["share at or below 0"] = values.pop("error")
            values |= self._quantiles_by_name()
        return values


def margin_distribution(estimator, X, y=None, sample_weight=None) -> MarginDistribution:
    """Return the margins of rows under a fitted classifier or machine of one class.

    Parameters
    ----------
    estimator : classifier or outlier detector
        Fitted, with ``decision_function``; also a pipeline or a search.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,), default=None
        Labels of the rows. An outlier detector needs none: the margins are its scores above
        the threshold.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    distribution : MarginDistribution
        With ``margins``, ``mean``, ``variance``, ``minimum``, ``quantiles()``, and
        ``normalised``, the margins divided by ``|w|``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier, margin_distribution
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> found = margin_distribution(LDMClassifier().fit(X, y), X, y)
    >>> found.minimum < found.mean
    True
    """
    check_is_fitted(estimator)
    if is_regressor(estimator):
        raise TypeError(
            "Margins need a classifier or an outlier detector; got the regressor "
            f"{type(innermost(estimator)).__name__}. Use residual_distribution."
        )
    scores = scores_of_problems(estimator, X)
    if is_outlier_detector(estimator):
        return distribution_of_one_class(estimator, scores, sample_weight)
    return distribution_of_scores(estimator, scores, y, sample_weight)


def distribution_of_one_class(estimator, scores, sample_weight=None) -> MarginDistribution:
    """Return the margins of rows whose scores above the threshold are known."""
    weight = checked_weight(sample_weight, len(scores))
    products = element_products(innermost(estimator), 1)
    lengths = None if products is None else np.full(len(scores), products[0, 0]) ** 0.5
    return MarginDistribution(scores, lengths, weight)


def distribution_of_scores(estimator, scores, y, sample_weight=None) -> MarginDistribution:
    """Return the margins of rows whose ``scores_of_problems`` are known."""
    if y is None:
        raise ValueError("y must hold the labels of the rows; got None.")
    y = column_or_1d(y)
    classes = np.asarray(estimator.classes_)
    unknown = np.setdiff1d(y, classes)
    if len(y) != len(scores):
        raise ValueError(
            f"y must have a label for each of the {len(scores)} rows; got {len(y)}."
        )
    if len(unknown):
        raise ValueError(
            f"y must hold classes of the estimator, {classes!r}; got {unknown!r} too."
        )
    weight = checked_weight(sample_weight, len(y))
    own = np.searchsorted(classes, y)
    machine = innermost(estimator)
    if is_pairwise(estimator):
        margins, pairs = pair_margins(scores, own, len(classes))
        squares = squared_lengths(machine)[pairs]
    elif scores.ndim == 1:
        margins, products = (
            np.where(own == 1, scores, -scores),
            element_products(machine, 1),
        )
        squares = None if products is None else np.full(len(own), products[0, 0])
    elif scores.shape[1] != len(classes):
        raise ValueError(
            f"decision_function must have a column for each of the {len(classes)} classes; "
            f"got {scores.shape[1]}. For SVC set decision_function_shape='ovr'."
        )
    else:
        margins, rivals = margins_against_best(scores, own)
        products = element_products(machine, len(classes))
        squares = None if products is None else squared_distances(products, own, rivals)
    lengths = None if squares is None else np.sqrt(np.maximum(squares, 0.0))
    return MarginDistribution(margins, lengths, weight)


def margins_against_best(scores, own):
    """Return the lead of the own class of each row, and the class that is next or ahead."""
    rows, others = np.arange(len(own)), scores.copy()
    others[rows, own] = -np.inf
    rivals = others.argmax(axis=1)
    return scores[rows, own] - others[rows, rivals], rivals


def squared_distances(products, own, rivals):
    """Return the squared distances of elements, given all inner products."""
    norms = np.diagonal(products)
    return norms[own] + norms[rivals] - 2.0 * products[own, rivals]


def squared_lengths(machine):
    """Return the squared lengths of the vectors ``w`` of an estimator of pairs."""
    stored = getattr(machine, "_products", None)
    return np.square(machine.coef_).sum(axis=1) if stored is None else stored


def element_products(machine, n_elements):
    """Return the inner products of the vectors ``w`` of an estimator, if they are known."""
    products = getattr(machine, "_products", None)
    # Of three or more classes, SVC has one row of coef_ for each pair.
    has_pairs = hasattr(machine, "decision_function_shape") and n_elements > 1
    if products is None and hasattr(machine, "coef_") and not has_pairs:
        coef = machine.coef_
        coef = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else coef)
        products = coef @ coef.T
    is_known = products is not None and products.shape == (n_elements, n_elements)
    return products if is_known else None
