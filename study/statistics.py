"""Means, deviations and paired tests over the repetitions of a study."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of a method on a data set.

    Parameters
    ----------
    mean : float
        Over the repetitions.

    std : float or None
        Their standard deviation, that of a sample; None if there is only one.

    mark : int
        1 or -1 where it is significantly better or worse than that of the SVM, else 0.
    """

    mean: float
    std: float | None
    mark: int


def accuracies(results, protocol, kernel):
    """Return accuracies by data set, method and repetition.

    Parameters
    ----------
    results : iterable of Result
        From a store.

    protocol, kernel : str
        Which of them to keep.

    Returns
    -------
    found : dict of dict of dict of float
        ``found[dataset][method][repetition]``.
    """
    found = {}
    for result in results:
        if (result.protocol, result.kernel) == (protocol, kernel):
            by_method = found.setdefault(result.dataset, {})
            by_method.setdefault(result.method, {})[result.repetition] = result.accuracy
    return found


def summarise(values, reference=None):
    """Return mean, deviation and mark of a method.

    Parameters
    ----------
    values : dict of int to float
        Its accuracy in each repetition.

    reference : dict of int to float, default=None
        Those of the SVM; None if there are none, then nothing is marked.

    Returns
    -------
    accuracy : Accuracy
        A single repetition has no deviation.

    Examples
    --------
    >>> summarise({0: 0.5, 1: 0.7}, {0: 0.4, 1: 0.6}).mark
    1
    """
    found = np.array(list(values.values()))
    std = float(found.std(ddof=1)) if len(found) > 1 else None
    return Accuracy(float(found.mean()), std, compare(values, reference or {}))


def compare(ours, theirs):
    """Return 1, 0 or -1: significantly better, no difference, significantly worse.

    A paired t-test on the repetitions that both have; with fewer than two of them there
    is no difference.

    Parameters
    ----------
    ours, theirs : dict of int to float
        Accuracy in each repetition.

    Returns
    -------
    sign : int
        Of the difference, if it is significant.
    """
    common = sorted(ours.keys() & theirs.keys())
    differences = np.array([ours[rep] - theirs[rep] for rep in common])
    if len(common) < 2 or not differences.any():
        return 0
    mean = differences.mean()
    error = differences.std(ddof=1) / np.sqrt(len(common))
    # A constant difference has no error: it is as significant as can be.
    statistic = abs(mean) / error if error > 0 else np.inf
    p_value = 2 * stdtr(len(common) - 1, -statistic)
    return int(np.sign(mean)) if p_value < SIGNIFICANCE else 0


def win_tie_loss(by_set, ours, theirs):
    """Return on how many sets one method is better than, equal to and worse than another.

    Parameters
    ----------
    by_set : iterable of dict
        Of every data set, accuracies by method and repetition; sets without results of
        both methods do not count.

    ours, theirs : str
        The two methods.

    Returns
    -------
    wins, ties, losses : int
        Numbers of sets.
    """
    signs = [
        compare(methods[ours], methods[theirs])
        for methods in by_set
        if ours in methods and theirs in methods
    ]
    return tuple(signs.count(sign) for sign in (1, 0, -1))


def corrected_interval(differences, test_share):
    """Return half the width of the 95 % interval of a mean difference over random splits.

    Corrected for splits that share rows, by Nadeau and Bengio (Machine Learning, 2003):
    the variance of the mean is that of a split times ``1 / n + test_share``.

    Parameters
    ----------
    differences : array-like of shape (n_splits,)
        One difference for each split.

    test_share : float
        Test rows over training rows.

    Returns
    -------
    half_width : float or None
        None for a single split.
    """
    n_splits = len(differences)
    if n_splits < 2:
        return None
    variance = np.var(differences, ddof=1) * (1 / n_splits + test_share)
    return float(stdtrit(n_splits - 1, 1 - SIGNIFICANCE / 2) * np.sqrt(variance))
