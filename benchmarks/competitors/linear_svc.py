"""LIBLINEAR's SVM with the hinge loss, through scikit-learn."""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

from sklearn.svm import LinearSVC

from benchmarks.competitors.base import Competitor

GROWTH = 4
# Two halvings on the scale of logarithms leave the fewest epochs known to a factor sqrt(2).
HALVINGS = 2
# Some stop at a limit of their own, which no larger number changes.
MAX_EPOCHS = 4**10


@dataclass(frozen=True)
class LiblinearSVM(Competitor):
    """``LinearSVC(loss="hinge")`` for a number of epochs: no tolerance stops it earlier."""

    C: float
    epochs: int
    name = "LinearSVC"

    def machine(self, X):
        """Return the estimator."""
        return LinearSVC(
            loss="hinge",
            C=self.C,
            fit_intercept=False,
            tol=1e-12,
            max_iter=self.epochs,
            random_state=0,
        )


class Search(NamedTuple):
    """The fewest epochs found, or the most that time allowed and the fit they gave."""

    epochs: int
    reached: bool
    seconds: float
    machine: object


def fewest_epochs(X, y, competitor, is_good, cap):
    """Search for the fewest epochs that satisfy ``is_good`` in at most ``cap`` seconds.

    Epochs of ``competitor(epochs)`` grow until a fit is good or takes that long; then the
    last step is refined.
    """

    def attempt(epochs):
        fitting = competitor(epochs)
        begin = time.perf_counter()
        machine = fitting.fit(X, y)
        seconds = time.perf_counter() - begin
        return Search(epochs, is_good(machine), seconds, machine)

    low, high = 0, 1
    while True:
        found = attempt(high)
        if found.reached:
            break
        affordable = int(high * cap / found.seconds)
        # More than 0.8 of the cap is as near as the spread of timings lets one come.
        if found.seconds > 0.8 * cap or affordable <= high or high >= MAX_EPOCHS:
            return found
        low, high = high, min(GROWTH * high, affordable)
    for _ in range(HALVINGS):
        middle = round(math.sqrt(max(low, 1) * high))
        if not low < middle < high:
            break
        closer = attempt(middle)
        if closer.reached:
            found, high = closer, middle
        else:
            low = middle
    return found
