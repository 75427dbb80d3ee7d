"""Rows for the searches: of classes, and of values."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1


@pytest.fixture
def rows():
    """Two overlapping classes of unequal size, labelled by words."""
    X, y = make_classification(
        90, 6, n_informative=4, flip_y=0.2, weights=[0.6], random_state=0
    )
    return X, np.array(["no", "yes"])[y]


@pytest.fixture
def values():
    """Rows with values that are far from linear, in units of their own."""
    X, y = make_friedman1(80, 6, noise=1.0, random_state=0)
    return X, 100.0 + y / 4.0
