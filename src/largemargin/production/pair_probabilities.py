"""Probabilities of classes from the scores of machines of pairs of classes."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, softmax
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression

from largemargin.estimators.targets import incidence, pairs_of

# Log-odds are cut here, so that sums of odds are finite.
MAX_LOG_ODDS = 500.0
MAX_SHARPNESS = 1024.0
# Newton's method ends after so many steps, or if a step of this relative size is left.
MAX_STEPS = 100
SMALLEST = 1e-12


class PairMap(BaseEstimator):
    """A map from the scores of pairs of classes to probabilities of classes.

    The score of each pair is mapped to the odds of its second class, by a map fitted to
    rows of the two classes. If these are the odds of probabilities p, then
    ``1 / p_i = 1 + sum_j p_j / p_i`` for each class i, a sum of the odds of the others
    against i. In general these p do not have the sum one: they are raised to a power, the
    sharpness, and divided by their sum. The sharpness makes all rows as likely as possible.

    Parameters
    ----------
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        The map of each pair.

    Attributes
    ----------
    slopes_, offsets_ : ndarrays of shape (n_pairs,)
        The log-odds of each pair are ``slope * score + offset``; for ``"sigmoid"``.
    calibrators_ : list of IsotonicRegression
        The probability of the second class of each pair; for ``"isotonic"``.
    sharpness_ : float
        The power; above 1 it makes probabilities more extreme.
    n_classes_ : int
        Number of classes.
    """

    def __init__(self, method="sigmoid"):
        self.method = method

    def fit(self, scores, numbers, weight):
        """Fit the map to scores of pairs, and the numbers of the classes of rows."""
        self.n_classes_ = int(numbers.max()) + 1
        fit = fit_sigmoid if self.method == "sigmoid" else fit_isotonic
        maps = []
        pairs = zip(*pairs_of(self.n_classes_), scores.T, strict=True)
        for first, second, column in pairs:
            own = (numbers == first) | (numbers == second)
            maps.append(fit(column[own], numbers[own] == second, weight[own]))
        if self.method == "sigmoid":
            self.slopes_, self.offsets_ = np.transpose(maps)
        else:
            self.calibrators_ = maps
        logs = coupled(self.log_odds(scores), self.n_classes_)
        self.sharpness_ = fit_sharpness(logs, numbers, weight)
        return self

    def log_odds(self, scores):
        """Return the log-odds of the second class of each pair."""
        if self.method == "sigmoid":
            with np.errstate(over="ignore"):
                odds = self.slopes_ * scores + self.offsets_
        else:
            pairs = zip(self.calibrators_, scores.T, strict=True)
            odds = logit(np.column_stack([one.predict(column) for one, column in pairs]))
        return np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)

    def predict_proba(self, scores):
        """Return the probability of each class from the scores of pairs."""
        logs = coupled(self.log_odds(scores), self.n_classes_)
        return softmax(self.sharpness_ * logs, axis=1)


def platt_targets(is_second, weight):
    """Return the probabilities that the two classes of a pair are given in a fit.

    They are not 0 and 1: rows of one class do not make the other one impossible there.
    """
    second, first = weight @ is_second, weight @ ~is_second
    return 1.0 / (first + 2.0), (second + 1.0) / (second + 2.0)


def fit_isotonic(scores, is_second, weight):
    """Return the isotonic map from scores of a pair to the probability of its second."""
    low, high = platt_targets(is_second, weight)
    isotonic = IsotonicRegression(y_min=low, y_max=high, out_of_bounds="clip")
    return isotonic.fit(scores, is_second.astype(float), sample_weight=weight)


def fit_sigmoid(scores, is_second, weight):
    """Return slope and offset of the log-odds of a pair, by Newton's method.

    They have the largest likelihood of Platt's targets, as in scikit-learn, whose search
    stops earlier and takes sixty times as long, which counts if pairs are many.
    """
    targets = np.where(is_second, *platt_targets(is_second, weight)[::-1])
    scale = np.abs(scores).max() or 1.0
    rows = np.column_stack([scores / scale, np.ones(len(scores))])

    def loss(point):
        odds = rows @ point
        return weight @ (np.logaddexp(0.0, odds) - targets * odds)

    second, first = weight @ is_second, weight @ ~is_second
    point = np.array([0.0, np.log((second + 1.0) / (first + 1.0))])
    value = loss(point)
    for _ in range(MAX_STEPS):
        chances = expit(rows @ point)
        slope = rows.T @ (weight * (chances - targets))
        curvature = rows.T @ (rows * (weight * chances * (1.0 - chances))[:, None])
        # If all scores are equal, slope and offset are not told apart.
        curvature += SMALLEST * np.trace(curvature) * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        size, gain = 1.0, slope @ step
        while (lower := loss(point - size * step)) > value - 1e-4 * size * gain:
            size /= 2.0
            if size < SMALLEST:
                return point / [scale, 1.0]
        point, value = point - size * step, lower
        if gain <= SMALLEST * weight.sum():
            break
    return point / [scale, 1.0]


def coupled(log_odds, n_classes):
    """Return the logarithm of ``1 / (1 + the odds of all others)`` for each class."""
    sides = incidence(n_classes)
    against = np.exp(log_odds) @ (sides < 0) + np.exp(-log_odds) @ (sides > 0)
    return -np.log1p(against)


def fit_sharpness(logs, numbers, weight):
    """Return the power of probabilities, by their logarithms, that fits rows best.

    It has the largest likelihood of all rows and one more, whose label is drawn at random:
    otherwise it would be infinite if every row has the largest probability at its class.
    """
    total = weight.sum()
    own = logs[np.arange(len(logs)), numbers]
    goals = (total * own + logs.mean(axis=1)) / (total + 1.0)

    def slope(sharpness):
        means = (softmax(sharpness * logs, axis=1) * logs).sum(axis=1)
        return weight @ (means - goals) / total

    if slope(0.0) >= 0:
        return 0.0
    upper = 1.0
    while slope(upper) < 0 and upper < MAX_SHARPNESS:
        upper *= 2.0
    return upper if slope(upper) <= 0 else brentq(slope, 0.0, upper)
