"""Rows for the compared methods."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons


@pytest.fixture
def moons():
    """Return rows of two classes of unequal size, their labels and uneven weights."""
    X, y = make_moons(90, noise=0.3, random_state=0)
    kept = np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:25]]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(kept))
    return X[kept], np.where(y[kept] == 1, 1, -1), weight


@pytest.fixture
def rows():
    """Two overlapping classes of unequal size, labelled by words."""
    X, y = make_classification(
        90, 6, n_informative=4, flip_y=0.2, weights=[0.6], random_state=0
    )
    return X, np.array(["no", "yes"])[y]
