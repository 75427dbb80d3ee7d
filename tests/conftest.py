import signal

import numpy as np
import pytest

# Warm compiled loops are read from disk; the first run compiles them, however long.
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_iris, make_blobs

settings.register_profile(
    "ours", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile("ours")

# Some tests interrupt processes, which ignore that if they inherit it from the background
# of a shell.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def blobs():
    """Two overlapping clouds, labels -1 and 1, the classes of unequal size."""
    X, y = make_blobs([50, 30], 4, cluster_std=3.0, random_state=0)
    return X / np.abs(X).max(), np.where(y == 1, 1, -1)


@pytest.fixture
def separable():
    """Two clouds apart."""
    X, y = make_blobs(
        40, 3, centers=[[-1, -1, -1], [1, 1, 1]], cluster_std=0.4, random_state=0
    )
    return X, np.where(y == 1, 1, -1)


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)
