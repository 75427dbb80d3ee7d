"""One task: one method on one split of one data set, scaled in one way."""

import warnings
from dataclasses import dataclass

from sklearn.preprocessing import MinMaxScaler, StandardScaler

from largemargin.numerics.threads import one_blas_thread
from study.defaults.candidates import METHODS, chosen_by
from study.defaults.sets import SETS, Source
from study.splits import draw_stratified
from study.store import Facts, Result
from study.tasks import SHORT_SECONDS, cpu_seconds, digest_of, loaded

SCALINGS = {"standardised": StandardScaler, "unit": lambda: MinMaxScaler(clip=True)}
MAX_TRAIN, MAX_TRAIN_OF_LARGE = 2000, 5000
MAX_TEST = 10_000
# Number of splits for up to so many training rows, and for more.
SPLITS = {250: 30, 500: 15, 1200: 6, 2000: 3}
SPLITS_OF_MORE = 2


def sizes(known):
    """Return how many rows of a set are trained and tested on."""
    most = MAX_TRAIN_OF_LARGE if known.large else MAX_TRAIN
    n_train = min(known.rows // 2, most)
    return n_train, min(known.rows - n_train, MAX_TEST)


def n_splits(known):
    """Return how many random splits of a set there are."""
    n_train, _ = sizes(known)
    return next((n for rows, n in SPLITS.items() if n_train <= rows), SPLITS_OF_MORE)


@dataclass(frozen=True)
class Task:
    """What one result is made from."""

    source: Source
    scaling: str
    method: str
    repetition: int

    leader = None  # no method waits for another

    @property
    def key(self):
        """The key of the result."""
        kernel = METHODS[self.method].kernel
        return self.scaling, self.source.name, kernel, self.method, self.repetition

    def __str__(self):
        return f"{self.source.name}, {self.scaling}, {self.method}, split {self.repetition}"


def survey(source):
    """Return the facts of a data set, and its entry in the table."""
    data, known = loaded(source), SETS[source.name]
    n_last = int((data.y == data.y.max()).sum())
    facts = Facts(*data.X.shape, n_last, data.source, digest_of(data), known.classes)
    return facts, known


def perform(task):
    """Fit a method on the training rows and return its accuracy on the test rows."""
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")  # a point of a grid may stop early
        data, known = loaded(task.source), SETS[task.source.name]
        train, test = draw_stratified(known.name, data.y, task.repetition, *sizes(known))
        scaler = SCALINGS[task.scaling]().fit(data.X[train])
        X_train, X_test = scaler.transform(data.X[train]), scaler.transform(data.X[test])
        machine = METHODS[task.method].make(X_train)
        seconds = cpu_seconds(machine, X_train, data.y[train])
        # scikit-learn's machines wait for no compiled loops, and searches take longer.
        is_candidate = METHODS[task.method].part == "candidate"
        if is_candidate and seconds < SHORT_SECONDS:
            seconds = min(seconds, cpu_seconds(machine, X_train, data.y[train]))
        accuracy = float(machine.score(X_test, data.y[test]))
    chosen = chosen_by(machine)
    return Result(*task.key, accuracy=accuracy, chosen=chosen, cpu_seconds=seconds)
