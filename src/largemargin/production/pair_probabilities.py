"""Probabilities of classes from the scores of machines of pairs of classes."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit, softmax
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression

from largemargin._compat import SigmoidCalibration
from largemargin.estimators.targets import incidence, pairs_of

# Log-odds are cut here, so that sums of odds are finite.
MAX_LOG_ODDS = 500.0
MAX_SHARPNESS = 1024.0


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
    calibrators_ : list
        The map of each pair, by scikit-learn.
    sharpness_ : float
        The power; above 1 it makes probabilities more extreme.
    n_classes_ : int
        Number of classes.
    """

    def __init__(self, method="sigmoid"):
        self.method = method

    def fit(self, scores, numbers, weight):
        """Fit the map to scores of pairs, and the numbers of the classes of rows."""
        self.n_classes_ = numbers.max() + 1
        masses = np.bincount(numbers, weight)
        self.calibrators_ = []
        for pair, (first, second) in enumerate(
            zip(*pairs_of(self.n_classes_), strict=True)
        ):
            own = (numbers == first) | (numbers == second)
            is_second = (numbers[own] == second).astype(float)
            calibrator = self._calibrator(masses[first], masses[second])
            self.calibrators_.append(
                calibrator.fit(scores[own, pair], is_second, sample_weight=weight[own])
            )
        logs = coupled(self.log_odds(scores), self.n_classes_)
        self.sharpness_ = fit_sharpness(logs, numbers, weight)
        return self

    def _calibrator(self, first_mass, second_mass):
        if self.method == "sigmoid":
            return SigmoidCalibration()
        # Rows of one class only do not make the other one impossible. The ends are Platt's
        # targets, as those of the sigmoid.
        low, high = 1.0 / (first_mass + 2.0), (second_mass + 1.0) / (second_mass + 2.0)
        return IsotonicRegression(y_min=low, y_max=high, out_of_bounds="clip")

    def log_odds(self, scores):
        """Return the log-odds of the second class of each pair."""
        pairs = zip(self.calibrators_, scores.T, strict=True)
        columns = [log_odds_of_pair(calibrator, column) for calibrator, column in pairs]
        return np.clip(np.column_stack(columns), -MAX_LOG_ODDS, MAX_LOG_ODDS)

    def predict_proba(self, scores):
        """Return the probability of each class from the scores of pairs."""
        logs = coupled(self.log_odds(scores), self.n_classes_)
        return softmax(self.sharpness_ * logs, axis=1)


def log_odds_of_pair(calibrator, scores):
    """Return the log-odds of the second class of a pair."""
    if isinstance(calibrator, IsotonicRegression):
        return logit(calibrator.predict(scores))
    with np.errstate(over="ignore"):
        return -(calibrator.a_ * scores + calibrator.b_)


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
