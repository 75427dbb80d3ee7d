"""One task: one method on one split of one data set, clean or contaminated."""

import warnings
import zlib
from dataclasses import dataclass, field

import numpy as np
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

from largemargin.numerics.quantiles import robust_scale
from largemargin.numerics.threads import one_blas_thread
from study.regression.methods import METHODS, chosen_by
from study.regression.sets import SETS, Source
from study.store import Facts
from study.tasks import SHORT_SECONDS, cpu_seconds, digest_of, loaded

TARGETS = "clean", "contaminated"
# Of the training rows; how many scales from the median, and by which distribution.
SHARE, DISTANCE, FREEDOM = 0.1, 10.0, 2.0
MAX_TRAIN, MAX_TRAIN_OF_LARGE = 400, 1000
MAX_TEST = 5000
# Number of splits for up to so many training rows, and for more.
SPLITS = {170: 8, 300: 5, 400: 3}
SPLITS_OF_MORE = 1


@dataclass(frozen=True)
class ValueResult:
    """What one method reached on one random half of a data set.

    Attributes
    ----------
    protocol : {"clean", "contaminated"}
        The targets of the training rows; those of the test rows are always clean.

    dataset, kernel, method, repetition
        What was measured.

    r2, mae : float
        On the test rows; the mean absolute error is divided by the scale of their values.

    chosen : dict
        Parameters that the method chose; empty if there was no choice.

    cpu_seconds : float
        CPU time of the fit, search included.
    """

    protocol: str
    dataset: str
    kernel: str
    method: str
    repetition: int
    r2: float
    mae: float
    chosen: dict
    cpu_seconds: float

    @property
    def key(self):
        """What was measured."""
        return self.protocol, self.dataset, self.kernel, self.method, self.repetition


def sizes(known):
    """Return how many rows of a set are trained and tested on."""
    n_train = min(known.rows // 2, MAX_TRAIN_OF_LARGE if known.large else MAX_TRAIN)
    return n_train, min(known.rows - n_train, MAX_TEST)


def n_splits(known):
    """Return how many random splits of a set there are."""
    n_train, _ = sizes(known)
    return next((n for rows, n in SPLITS.items() if n_train <= rows), SPLITS_OF_MORE)


@dataclass(frozen=True)
class Task:
    """What one result is made from; ``chosen`` is the choice of the leader, if any."""

    source: Source
    targets: str
    method: str
    repetition: int
    chosen: dict | None = field(default=None, hash=False)

    @property
    def key(self):
        """The key of the result."""
        return self.key_of(self.method)

    @property
    def leader(self):
        """The key of the result whose choice is taken over, or None."""
        follows = METHODS[self.method].follows
        return None if follows is None else self.key_of(follows)

    def key_of(self, method):
        """Return the key of the result of a method on the same rows."""
        kernel = METHODS[method].kernel
        return self.targets, self.source.name, kernel, method, self.repetition

    def __str__(self):
        return f"{self.source.name}, {self.targets}, {self.method}, split {self.repetition}"


def survey(source):
    """Return the facts of a data set, and its entry in the table."""
    data = loaded(source)
    facts = Facts(*data.X.shape, 0, data.source, digest_of(data), 0)
    return facts, SETS[source.name]


def seeded(task, purpose):
    """Return a random generator that depends on the set and the split alone."""
    return np.random.default_rng(
        [zlib.crc32(task.source.name.encode()), task.repetition, purpose]
    )


def contaminated(y, rng):
    """Return the values, a tenth of them replaced by outliers.

    An outlier is the median plus ten robust scales times a draw of Student's distribution
    with two degrees of freedom.
    """
    n = int(np.ceil(SHARE * len(y)))
    places, scale = rng.permutation(len(y))[:n], robust_scale(y, np.ones(len(y)))
    replaced = y.copy()
    replaced[places] = np.median(y) + DISTANCE * scale * rng.standard_t(FREEDOM, n)
    return replaced


def rows_of(task):
    """Return the scaled training rows, their targets, the test rows and their values."""
    data, known = loaded(task.source), SETS[task.source.name]
    n_train, n_test = sizes(known)
    order = seeded(task, 0).permutation(len(data.y))
    train, test = order[:n_train], order[n_train : n_train + n_test]
    y = data.y[train]
    if task.targets == "contaminated":
        y = contaminated(y, seeded(task, 1))
    scaler = StandardScaler().fit(data.X[train])
    return scaler.transform(data.X[train]), y, scaler.transform(data.X[test]), data.y[test]


def perform(task):
    """Fit a method on the training rows and return its errors on the test rows."""
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")  # a point of a grid may stop early
        X, y, X_test, y_test = rows_of(task)
        method = METHODS[task.method]
        machine = method.make(X)
        if task.chosen is not None:
            machine.regressor.set_params(**task.chosen["by_mae"])
        seconds = cpu_seconds(machine, X, y)
        # scikit-learn's machines wait for no compiled loops.
        if method.part != "reference" and seconds < SHORT_SECONDS:
            seconds = min(seconds, cpu_seconds(machine, X, y))
        predicted = machine.predict(X_test)
    errors = {
        "r2": float(r2_score(y_test, predicted)),
        "mae": float(np.abs(predicted - y_test).mean())
        / robust_scale(y_test, np.ones(len(y_test))),
    }
    chosen = {} if task.chosen is not None else chosen_by(machine)
    return ValueResult(*task.key, **errors, chosen=chosen, cpu_seconds=seconds)
