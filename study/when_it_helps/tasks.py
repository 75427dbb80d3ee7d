"""One task: one method under one condition on one split of one data set."""

import warnings
import zlib
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from largemargin import calibrate
from largemargin.numerics.threads import one_blas_thread
from study.defaults.candidates import METHODS, chosen_by
from study.defaults.sets import SETS, Source
from study.splits import draw_stratified
from study.store import Result
from study.tasks import cpu_seconds, loaded
from study.when_it_helps.conditions import CONDITIONS

# A shorter fit is timed twice: the first may have waited for compiled loops to load.
SHORT_SECONDS = 0.1


@dataclass(frozen=True)
class Task:
    """What one result is made from."""

    source: Source
    condition: str
    method: str
    repetition: int

    leader = None  # no method waits for another

    @property
    def key(self):
        """The key of the result."""
        kernel = METHODS[self.method].kernel
        return self.condition, self.source.name, kernel, self.method, self.repetition

    def __str__(self):
        return (
            f"{self.source.name}, {self.condition}, {self.method}, split {self.repetition}"
        )


def perform(task):
    """Fit a method on the training rows and return how good it is on the test rows."""
    condition = CONDITIONS[task.condition]
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")  # a point of a grid may stop early
        data, known = loaded(task.source), SETS[task.source.name]
        n_rows = condition.sizes(known)
        train, test = draw_stratified(known.name, data.y, task.repetition, *n_rows)
        scaler = StandardScaler().fit(data.X[train])
        X_train, X_test = scaler.transform(data.X[train]), scaler.transform(data.X[test])
        seed = zlib.crc32(known.name.encode()), task.repetition
        y_train, y_test = flipped(data.y[train], condition.flipped, seed), data.y[test]
        machine = METHODS[task.method].make(X_train)
        seconds = cpu_seconds(machine, X_train, y_train)
        if seconds < SHORT_SECONDS:
            seconds = min(seconds, cpu_seconds(machine, X_train, y_train))
        accuracy = float(machine.score(X_test, y_test))
        loss = None
        if condition.has_probabilities:
            calibrated = with_probabilities(machine, X_train, y_train)
            probabilities = calibrated.predict_proba(X_test)
            loss = float(log_loss(y_test, probabilities, labels=calibrated.classes_))
    return Result(*task.key, accuracy, chosen_by(machine), seconds, log_loss=loss)


def flipped(y, share, seed):
    """Return labels of which a share is replaced by another class, chosen at random."""
    classes, numbers = np.unique(y, return_inverse=True)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[: round(share * len(y))]
    numbers[rows] += rng.integers(1, len(classes), size=len(rows))
    return classes[numbers % len(classes)]


def with_probabilities(machine, X, y):
    """Return a fitted machine with calibrated probabilities.

    A search is not repeated for them: its best estimator is calibrated.
    """
    if not type(machine).__module__.startswith("sklearn."):
        return calibrate(machine, X, y)
    best = getattr(machine, "best_estimator_", machine)
    return CalibratedClassifierCV(clone(best)).fit(X, y)
