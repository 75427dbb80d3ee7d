"""Random halves and folds, the same for every method and protocol."""

import zlib
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

N_FOLDS = 5
# With two of a class in the training half, every fold leaves one to train on.
FEWEST_TO_TRAIN, FEWEST_TO_TEST = 2, 1
MAX_DRAWS = 1000


class Split(NamedTuple):
    """A random half to train on, the other to test on, and folds of the first.

    ``folds`` are pairs of positions in ``train``: to fit on, to score on.
    """

    train: np.ndarray
    test: np.ndarray
    folds: list


def draw_split(name, y, repetition):
    """Return random halves and folds that depend on nothing but the arguments.

    The halves are plain random ones, as the paper's; the folds have their share of both
    classes. A half that lacks a class is drawn again.

    Parameters
    ----------
    name : str
        The data set, which seeds the draw together with the repetition.

    y : ndarray of shape (n_samples,)
        Labels, two different values.

    repetition : int
        Number of the split.

    Returns
    -------
    split : Split
        Positions of rows.
    """
    rng = np.random.default_rng([zlib.crc32(name.encode()), repetition])
    half = len(y) // 2
    if half >= N_FOLDS:
        for _ in range(MAX_DRAWS):
            order = rng.permutation(len(y))
            train, test = np.sort(order[:half]), np.sort(order[half:])
            if rarest(y[train]) >= FEWEST_TO_TRAIN and rarest(y[test]) >= FEWEST_TO_TEST:
                return Split(train, test, draw_folds(y[train], rng))
    raise ValueError(
        f"{name} is too small to be halved: {len(y)} rows, {rarest(y)} of its rarer class. "
        f"Expected {2 * N_FOLDS} rows at least and a few of each class."
    )


def draw_stratified(name, y, repetition, n_train, n_test):
    """Return random rows to train and to test on, each class by its share of all rows.

    Parameters
    ----------
    name : str
        The data set, which seeds the draw together with the repetition.

    y : ndarray of shape (n_samples,)
        Labels of two or more classes.

    repetition : int
        Number of the split.

    n_train, n_test : int
        How many rows of each; together no more than there are.

    Returns
    -------
    train, test : ndarray
        Positions of rows, in order.
    """
    seed = np.random.SeedSequence([zlib.crc32(name.encode()), repetition])
    train, test = train_test_split(
        np.arange(len(y)),
        train_size=n_train,
        test_size=n_test,
        stratify=y,
        random_state=int(seed.generate_state(1)[0]),
    )
    return np.sort(train), np.sort(test)


def draw_folds(y, rng):
    """Return folds that hold equal shares of every class."""
    shuffled = rng.permutation(len(y))
    dealt = shuffled[np.argsort(y[shuffled], kind="stable")]
    number = np.empty(len(y), dtype=int)
    number[dealt] = np.arange(len(y)) % N_FOLDS
    return [
        (np.flatnonzero(number != fold), np.flatnonzero(number == fold))
        for fold in range(N_FOLDS)
    ]


def rarest(y):
    """Return how many rows the rarer of two classes has."""
    n_positive = np.count_nonzero(y > 0)
    return min(n_positive, len(y) - n_positive)
