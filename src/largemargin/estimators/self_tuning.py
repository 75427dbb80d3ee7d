"""The word "loo": C and the width of the kernel, chosen by leave-one-out errors.

With a price of the margin variance, an LDM is close to a ridge regression on the signs of
its rows, whose outputs for rows left out have a closed form (``numerics.ridge``). The rule:

1. Take at most 500 rows, each class by its share of all rows.
2. Compute the leave-one-out error of these regressions at a grid of prices and widths. With
   pairs of classes it is the error of the votes. A row is left out of the pairs it belongs
   to, and the others have not seen it.
3. Keep the points whose error is within one standard error of the least.
4. Of these, choose the one with the least squared residuals of rows left out.

The price c of the squares of the regression is ``C (4 k + 2)`` for the machine, where
``lambda_var`` is ``k C sum(s)``: the curvature of its variance and of a squared hinge.
Without a kernel, C is four times as large: a squared hinge bends only where margins are
below one, and most rows of a linear machine that fits are not.
"""

from copy import copy
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from largemargin.estimators.targets import Classes, pairs_of, refined, winners_of
from largemargin.kernels.functions import Kernel
from largemargin.kernels.widths import WITHOUT_WIDTH, settle_gamma
from largemargin.numerics.ridge import RidgePath
from largemargin.numerics.threads import in_threads

WORD = "loo"
# At most this many rows, taken at random but always the same. More would cost more, and
# were no better judges: docs/user_guide/self_tuning.md.
MAX_ROWS = 500
# The grids: widths in units of "scale", and prices of the squares.
WIDTHS = 1 / 16, 1 / 4, 1.0, 4.0
KERNEL_PRICES = 2.0 ** np.arange(-4, 12)
LINEAR_PRICES = 2.0 ** np.arange(-14, 6)
# Chosen on the selection half of the study of the defaults, see docs/defaults.
LINEAR_FACTOR = 4.0


class Sample(NamedTuple):
    """The rows by which a choice is made."""

    X: object  # or their Gram matrix
    labels: np.ndarray
    weight: np.ndarray
    repeats: np.ndarray


class GramRows(NamedTuple):
    """Rows known by their Gram matrix."""

    gram: np.ndarray

    def path(self, members, weight, fit_intercept):
        """Return the regressions on some of the rows."""
        block = self.gram[np.ix_(members, members)]
        return RidgePath.on_gram(block, weight, fit_intercept)

    def scores(self, members, coefficients):
        """Return the scores of all rows by combinations of some of them."""
        return self.gram[:, members] @ coefficients


class FeatureRows(NamedTuple):
    """Dense rows known by their features."""

    X: np.ndarray

    def path(self, members, weight, fit_intercept):
        """Return the regressions on some of the rows."""
        return RidgePath.on_rows(self.X[members], weight, fit_intercept)

    def scores(self, members, coefficients):
        """Return the scores of all rows by combinations of some of them."""
        return self.X @ (self.X[members].T @ coefficients)


def tuned(machine, rows, recipe):
    """Return the machine with numbers in place of "loo", and the results if there are any.

    The machine itself is not changed.
    """
    wants_C, wants_gamma = machine.C == WORD, getattr(machine, "gamma", None) == WORD
    if not (wants_C or wants_gamma):
        return machine, None
    kernel, curvature = getattr(machine, "kernel", "linear"), recipe.curvature
    if kernel == "linear":
        curvature /= LINEAR_FACTOR
    if not wants_C and not 0 < machine.C < np.inf:  # no regression has such a price
        settled = copy(machine)
        settled.gamma = "scale"
        return settled, None
    recipe.encoder.encode(rows.labels, type(machine).__name__)  # raises for one class
    prices = np.array([curvature * float(machine.C)]) if not wants_C else KERNEL_PRICES
    if wants_C and kernel == "linear":
        prices = LINEAR_PRICES
    gammas = gammas_of(machine, kernel, rows)
    sample = sample_of(rows, recipe.space if kernel == "precomputed" else None)
    points = in_threads(
        lambda gamma: judge(
            sample, rows_of(machine, kernel, gamma, sample.X), machine, prices
        ),
        gammas,
    )
    errors, residuals = np.swapaxes(points, 0, 1)
    # A row of weight below one is left out as a whole.
    best = best_point(errors, residuals, np.maximum(sample.repeats, 1.0).sum())
    Cs = prices / curvature if wants_C else np.array([float(machine.C)])
    settled = copy(machine)
    settled.C = float(Cs[best[1]])
    if wants_gamma:
        settled.gamma = float(gammas[best[0]])
    results = {"C": Cs, "gamma": np.array(gammas), "error": errors}
    return settled, {**results, "squared_residual": residuals, "best": best}


def gammas_of(machine, kernel, rows):
    """Return the widths to choose from, or the only one."""
    if callable(kernel) or kernel in WITHOUT_WIDTH:
        return [1.0]
    if machine.gamma != WORD:
        return [settle_gamma(machine.gamma, rows.used, rows.weight)]
    scale = settle_gamma("scale", rows.used, rows.weight)
    return [width * scale for width in WIDTHS]


def sample_of(rows, space=None, has_classes=True) -> Sample:
    """Return some of the rows that count, or all, each class by its share of them.

    Given the space of a precomputed kernel, they are known by their Gram matrix.
    """
    labels = rows.labels
    places = np.arange(len(labels))
    if len(places) > MAX_ROWS:
        order = np.random.default_rng(0).permutation(len(labels))
        places = np.sort(order[:MAX_ROWS])
    if len(labels) > MAX_ROWS and has_classes:
        share, classes = MAX_ROWS / len(labels), np.unique(labels)
        parts = [order[labels[order] == label] for label in classes]
        parts = [part[: int(np.ceil(share * len(part)))] for part in parts]
        places = np.sort(np.concatenate(parts))
    own = labels[places], rows.weight[places], rows.repeats[places]
    if space is None:
        return Sample(rows.used[places], *own)
    return Sample(space.settle(rows)[np.ix_(places, places)], *own)


def rows_of(machine, kernel, gamma, X):
    """Return the rows as the kernel of this width sees them."""
    if kernel == "linear" and not sp.issparse(X) and X.shape[1] < X.shape[0]:
        return FeatureRows(X.astype(np.float64))
    if kernel == "linear":
        return GramRows(Kernel("linear").gram_matrix(X))
    if kernel == "precomputed":
        return GramRows(X)
    kernel = Kernel(kernel, gamma, machine.degree, machine.coef0)
    return GramRows(kernel.gram_matrix(X))


@np.errstate(over="ignore", invalid="ignore")  # the fit refuses such rows
def judge(sample, rows, machine, prices):
    """Return the leave-one-out error and the mean squared residual at each price."""
    labels, weight = sample.labels, sample.weight
    classes, encoder = np.unique(labels), Classes(None, machine.multi_class)
    is_pairwise = encoder.is_pairwise(classes)
    ballot = Ballot(len(labels), len(classes), len(prices), is_pairwise)
    residuals, total = np.zeros(len(prices)), 0.0
    for members, several in encoder.parts(labels, classes):
        own = np.arange(len(labels))[members]
        path = rows.path(own, weight[own], machine.fit_intercept)
        for targets in several:
            outputs = path.outputs(targets.sign, prices, sample.repeats[own])
            scores = outputs.left_out
            if len(own) < len(labels):
                scores = rows.scores(own, outputs.coefficients) + outputs.intercepts
                scores[own] = outputs.left_out
            ballot.add(scores)
            misses = outputs.left_out - targets.sign[:, None]
            residuals += weight[own] @ misses**2
            total += weight[own].sum()
    winners = classes[ballot.winners()]
    errors = weight @ (winners != labels[:, None]) / weight.sum()
    return errors, residuals / total


class Ballot:
    """The scores of all problems at each price, as far as they decide on the classes."""

    def __init__(self, n_rows, n_classes, n_prices, is_pairwise):
        self.shape = n_classes, n_rows, n_prices
        self.pairs = iter(zip(*pairs_of(n_classes), strict=True)) if is_pairwise else None
        self.votes, self.sums = np.zeros((2, *self.shape)) if is_pairwise else ([], None)

    def add(self, scores):
        """Add the scores of the next problem."""
        if self.pairs is None:
            self.votes.append(scores)
            return
        first, second = next(self.pairs)
        wins = scores > 0
        self.votes[second] += wins
        self.votes[first] += ~wins
        self.sums[second] += scores
        self.sums[first] -= scores

    def winners(self):
        """Return the index of the class that each row is given at each price."""
        if self.pairs is None:
            scores = np.array(self.votes)
        else:
            scores = refined(self.votes, self.sums)
        flat = winners_of(scores.reshape(len(scores), -1).T)
        return flat.reshape(self.shape[1:])


def best_point(errors, residuals, n_rows):
    """Return the indices of the width and the price that the rule chooses."""
    least = errors.min()
    likely = max(least, 1.0 / n_rows)
    bound = least + np.sqrt(likely * max(1.0 - likely, 0.0) / n_rows)
    among = np.where((errors <= bound) & np.isfinite(residuals), residuals, np.inf)
    return tuple(int(one) for one in np.unravel_index(np.argmin(among), among.shape))
