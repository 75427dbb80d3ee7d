"""One task: a method by one reading, on one random half of one data set."""

import warnings
from dataclasses import dataclass

import numpy as np

from largemargin import LinearLDMClassifier, LinearLDMClassifierCV
from largemargin.numerics.threads import one_blas_thread
from study.protocols import PROTOCOLS
from study.readings.scalings import GRID, METHODS, points
from study.store import Result
from study.tasks import Halves, Source, cpu_seconds

PROTOCOL, KERNEL = "paper", "linear"
SETTINGS = PROTOCOLS[PROTOCOL].settings["ldm"]


@dataclass(frozen=True)
class Task:
    """What one result is made from."""

    source: Source
    method: str
    repetition: int

    protocol = PROTOCOL
    leader = None  # no method waits for another

    @property
    def key(self):
        """The key of the result."""
        return PROTOCOL, self.source.name, KERNEL, self.method, self.repetition

    def __str__(self):
        return f"{self.source.name}, {self.method}, repetition {self.repetition}"


def perform(task):
    """Choose prices on the training half and return the accuracy on the other."""
    method, reading = METHODS[task.method]
    # Fits that stop early are part of a grid, as in the paper's study.
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        halves = Halves.of(task)
        X, y = halves.X_train, halves.y_train
        scores = [fold_scores(GRID[method], reading, X, y, fold) for fold in halves.folds]
        chosen = points(method)[int(np.mean(scores, axis=0).argmax())]
        given = {name: [value] for name, value in chosen.items()}
        prices = {name: one for name, (one,) in reading.prices(given, len(y)).items()}
        machine = LinearLDMClassifier(**prices, **SETTINGS)
        seconds = cpu_seconds(machine, X, y)
        accuracy = float(machine.score(halves.X_test, halves.y_test))
    return Result(*task.key, accuracy=accuracy, chosen=chosen, cpu_seconds=seconds)


def fold_scores(grid, reading, X, y, fold):
    """Return the accuracy at each point of the grid on the rows that a fold leaves out."""
    prices = reading.prices(grid, len(fold[0]))
    search = LinearLDMClassifierCV.around(
        LinearLDMClassifier(**SETTINGS), **prices, cv=[fold], refit=False
    )
    return search.fit(X, y).cv_results_["mean_test_score"]
