"""One task of the study: one method on one random half of one data set."""

import time
import warnings
from dataclasses import dataclass, field
from functools import lru_cache

import joblib
import numpy as np
import scipy.sparse as sp

from largemargin.cli.tuning import best_point
from largemargin.numerics.threads import one_blas_thread
from largemargin.tables import load_file
from study import datasets
from study.methods import STUDIED
from study.protocols import PROTOCOLS, scale_of
from study.splits import draw_split
from study.store import Facts, Result

# A shorter fit is timed twice: the first may have waited for compiled loops to load.
SHORT_SECONDS = 2.0


@dataclass(frozen=True)
class Source:
    """Where a data set comes from: the registry, or a user's file.

    Attributes
    ----------
    name : str
        Its name in the registry and in the results.

    path : str or None
        The user's file; None for a set of the registry.

    label : str, int or None
        The column of the labels in a user's CSV file.

    data_home : str or None
        Where sets of the registry are looked for first.

    download : bool
        Whether those that are not there may be downloaded.
    """

    name: str
    path: str | None = None
    label: str | int | None = None
    data_home: str | None = None
    download: bool = False

    def load(self):
        """Return the data set."""
        if self.path is not None:
            return load_file(self.path, label=self.label, name=self.name)
        return datasets.load(self.name, data_home=self.data_home, download=self.download)


# Tasks come grouped by data set; one is kept, since the largest takes 250 MB.
@lru_cache(maxsize=1)
def loaded(source):
    """Return a data set, from memory if it was the last one asked for."""
    return source.load()


def survey(source):
    """Return the facts of a data set and whether it is "regular" or "large"."""
    data = loaded(source)
    n_rows, n_features = data.X.shape
    n_positive = int(np.count_nonzero(data.y > 0))
    facts = Facts(n_rows, n_features, n_positive, data.source, digest_of(data))
    return facts, scale_of(data)


def digest_of(data):
    """Return a digest of rows and labels, whatever file they came from."""
    X = data.X
    # Not of the matrix itself, which remembers whether its indices were found sorted.
    rows = (X.data, X.indices, X.indptr) if sp.issparse(X) else np.ascontiguousarray(X)
    return joblib.hash((rows, data.y))


@dataclass(frozen=True)
class Task:
    """What one result is made from.

    ``chosen`` are the parameters found by the method that this one follows, or None for
    a search of its own.
    """

    source: Source
    protocol: str
    kernel: str
    method: str
    repetition: int
    chosen: dict | None = field(default=None, hash=False)

    @property
    def key(self):
        """The key of the result."""
        return self.protocol, self.source.name, self.kernel, self.method, self.repetition

    @property
    def leader(self):
        """The key of the result whose parameters are taken over, or None."""
        follows = STUDIED[self.method].follows
        if follows is None:
            return None
        return self.protocol, self.source.name, self.kernel, follows, self.repetition

    def __str__(self):
        return (
            f"{self.source.name}, {self.protocol} protocol, {self.kernel} kernel, "
            f"{STUDIED[self.method].label}, repetition {self.repetition}"
        )


@dataclass(frozen=True)
class Halves:
    """The scaled rows and labels of both halves, and folds of the training half."""

    X_train: object
    y_train: np.ndarray
    X_test: object
    y_test: np.ndarray
    folds: list
    scale: str

    @classmethod
    def of(cls, task):
        """Return the halves that a task is about."""
        data = loaded(task.source)
        train, test, folds = draw_split(data.name, data.y, task.repetition)
        X = PROTOCOLS[task.protocol].scaled(data, train)
        return cls(X[train], data.y[train], X[test], data.y[test], folds, scale_of(data))


def perform(task):
    """Choose parameters on the training half and return the accuracy on the other.

    Parameters
    ----------
    task : Task
        What to do.

    Returns
    -------
    result : Result
        With the CPU time of one fit on the training half.
    """
    # Fits that stop early are part of a grid; warnings of thousands help nobody.
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        halves = Halves.of(task)
        chosen = choose(task, halves) if task.chosen is None else task.chosen
        machine = unfitted_machine(task, chosen)
        seconds = cpu_seconds(machine, halves.X_train, halves.y_train)
        if seconds < SHORT_SECONDS:
            seconds = min(seconds, cpu_seconds(machine, halves.X_train, halves.y_train))
        accuracy = float(machine.score(halves.X_test, halves.y_test))
    return Result(*task.key, accuracy=accuracy, chosen=chosen, cpu_seconds=seconds)


def refit(result, *, data_home=None):
    """Return the machine behind a stored result, fitted again, and its data.

    Parameters
    ----------
    result : Result
        Of a set in the registry.

    data_home : path-like, default=None
        Where the set is looked for first.

    Returns
    -------
    machine : estimator
        Fitted on the training half.

    X_train, y_train, X_test, y_test : ndarray or csr matrix, ndarray
        The halves, scaled as in the study.
    """
    source = Source(result.dataset, data_home=data_home)
    task = Task(source, result.protocol, result.kernel, result.method, result.repetition)
    halves = Halves.of(task)
    machine = unfitted_machine(task, result.chosen).fit(halves.X_train, halves.y_train)
    return machine, halves.X_train, halves.y_train, halves.X_test, halves.y_test


def unfitted_machine(task, parameters):
    """Return the machine of a task at some parameters, not fitted."""
    settings = PROTOCOLS[task.protocol].settings.get(task.method, {})
    return STUDIED[task.method].machine(task.kernel, **settings, **parameters)


def cpu_seconds(machine, X, y):
    """Fit a machine and return the CPU time it took."""
    begin = time.process_time()
    machine.fit(X, y)
    return time.process_time() - begin


def choose(task, halves):
    """Return the parameters that are best by cross-validation, as JSON has them."""
    protocol, fixed = PROTOCOLS[task.protocol], STUDIED[task.method].fixed
    grid = protocol.grid(task.method, task.kernel, halves.scale, halves.X_train)
    place = halves.X_train, halves.y_train, halves.folds
    named = protocol.named_grids.get(task.method, "scale")
    return best_point(unfitted_machine(task, {}), grid, fixed, *place, named=named)
