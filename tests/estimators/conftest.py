"""Rows for the searches."""

import numpy as np
import pytest
from sklearn.datasets import make_classification


@pytest.fixture
def rows():
    """Two overlapping classes of unequal size, labelled by words."""
    X, y = make_classification(
        90, 6, n_informative=4, flip_y=0.2, weights=[0.6], random_state=0
    )
    return X, np.array(["no", "yes"])[y]
