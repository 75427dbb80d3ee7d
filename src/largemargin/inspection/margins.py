"""The margin distribution of a fitted classifier, to look at."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from largemargin._compat import check_sample_weight
from largemargin.estimators.nesting import innermost

LEVELS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@dataclass(frozen=True)
class MarginDistribution:
    """Margins of rows, and what they say together.

    Parameters
    ----------
    margins : ndarray of shape (n_samples,)
        The margin of each row: how far its score is on its own side; with more than two
        classes, by how much the score of its class exceeds that of the runner-up.

    lengths : ndarray of shape (n_samples,) or None
        The length of ``w`` that makes each margin, where it is known.

    weight : ndarray of shape (n_samples,)
        Weights of the rows, which count in everything below.
    """

    margins: np.ndarray
    lengths: np.ndarray | None
    weight: np.ndarray

    @property
    def normalised(self):
        """The margins divided by ``|w|``: signed distances from the boundary.

        None for a classifier whose ``|w|`` is not known.
        """
        if self.lengths is None:
            return None
        return np.divide(
            self.margins,
            self.lengths,
            out=np.zeros_like(self.margins),
            where=self.lengths > 0,
        )

    def normalised_distribution(self):
        """Return the distribution of the normalised margins."""
        return MarginDistribution(self.normalised, np.ones_like(self.margins), self.weight)

    @property
    def mean(self):
        """Their weighted mean."""
        return float(np.average(self.margins, weights=self.weight))

    @property
    def variance(self):
        """Their weighted population variance."""
        squares = (self.margins - self.mean) ** 2
        return float(np.average(squares, weights=self.weight))

    @property
    def minimum(self):
        """The smallest margin of a row that counts."""
        return float(self.margins[self.weight > 0].min())

    @property
    def error(self):
        """The weighted share of rows on the wrong side."""
        return float(np.average(self.margins <= 0, weights=self.weight))

    def quantiles(self, levels=LEVELS):
        """Return the smallest margins that at least these shares of the rows stay within.

        Parameters
        ----------
        levels : sequence of float, default=(0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
            Shares of the rows, between 0 and 1.

        Returns
        -------
        quantiles : ndarray
            One margin for each level.
        """
        return np.quantile(self.margins, levels, weights=self.weight, method="inverted_cdf")

    def cumulative(self):
        """Return the sorted margins and the share of rows with at most each of them."""
        order = np.argsort(self.margins, kind="stable")
        margins, shares = self.margins[order], np.cumsum(self.weight[order])
        last_of_ties = np.searchsorted(margins, margins, side="right") - 1
        return margins, shares[last_of_ties] / shares[-1]


def margin_distribution(estimator, X, y, sample_weight=None):
    """Return the margins of rows under a fitted classifier.

    Parameters
    ----------
    estimator : classifier
        Fitted, with ``decision_function``; also a pipeline or a search.

    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.

    y : array-like of shape (n_samples,)
        Their labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Their weights.

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
    scores = np.asarray(estimator.decision_function(X))
    return distribution_of_scores(estimator, scores, y, sample_weight)


def distribution_of_scores(estimator, scores, y, sample_weight=None):
    """Return the margins of rows whose scores under a fitted classifier are known."""
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
    weight = check_sample_weight(sample_weight, scores.reshape(len(y), -1))
    if (weight < 0).any() or not weight.any():
        raise ValueError("sample_weight must not be negative, and positive somewhere.")
    codes = np.searchsorted(classes, y)
    if scores.ndim == 1:
        margins, pairs = np.where(codes == 1, scores, -scores), None
    elif scores.shape[1] != len(classes):
        raise ValueError(
            f"decision_function must have a column for each of the {len(classes)} classes; "
            f"got {scores.shape[1]}. For SVC set decision_function_shape='ovr'."
        )
    else:
        own = scores[np.arange(len(y)), codes]
        others = scores.copy()
        others[np.arange(len(y)), codes] = -np.inf
        rivals = others.argmax(axis=1)
        margins, pairs = own - others.max(axis=1), (codes, rivals)
    lengths = element_lengths(innermost(estimator), len(classes), pairs, len(y))
    return MarginDistribution(margins, lengths, weight)


def element_lengths(machine, n_classes, pairs, n_rows):
    """Return ``|w|`` for each row, or ``|w_own - w_rival|``; None if it is not known."""
    products = element_products(machine)
    n_elements = 1 if n_classes == 2 else n_classes
    if products is None or products.shape != (n_elements, n_elements):
        return None
    if pairs is None:
        squares = np.full(n_rows, products[0, 0])
    else:
        own, rival = pairs
        squares = products[own, own] + products[rival, rival] - 2.0 * products[own, rival]
    return np.sqrt(np.maximum(squares, 0.0))


def element_products(machine):
    """Return the inner products of the elements ``w`` of a machine, if they are known."""
    if hasattr(machine, "_products"):
        return machine._products
    if hasattr(machine, "decision_function_shape") and len(machine.classes_) > 2:
        return None  # coef_ has a row for each pair of classes
    try:
        coef = machine.coef_
    except AttributeError:
        return None
    coef = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else coef)
    return coef @ coef.T
