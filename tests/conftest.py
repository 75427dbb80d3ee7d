import json
import os
import signal
from dataclasses import dataclass

# Where several processes share the cores, linear algebra has one thread in each.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from click.testing import CliRunner

# Warm compiled loops are read from disk; the first run compiles them, however long.
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_iris, make_blobs
from threadpoolctl import threadpool_limits

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


@pytest.fixture
def two_blas_threads():
    """Let linear algebra use two threads, whatever the environment says."""
    with threadpool_limits(2, user_api="blas"):
        yield


@dataclass(frozen=True)
class Told:
    """What a command wrote, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def record(self):
        return json.loads(self.out)


@pytest.fixture
def call(program):
    """Run the ``program`` of a directory of tests in this process."""

    def run(*arguments, stdin=None):
        result = CliRunner().invoke(program, [str(one) for one in arguments], input=stdin)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert "a bug in largemargin" not in result.stderr
        return Told(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def good(call):
    """Run the command in this process; it must end well."""

    def run(*arguments, **options):
        told = call(*arguments, **options)
        assert told.code == 0, told.err
        return told

    return run


@pytest.fixture
def refused(call):
    """Run the command in this process; return the sentence it ends with."""

    def run(*arguments, code=1, **options):
        told = call(*arguments, **options)
        assert told.code == code, told
        assert told.out == ""
        if code == 1:
            assert told.err.startswith("largemargin: ")
            assert told.err.count("\n") == 1
        return told.err

    return run


@pytest.fixture
def values():
    """Rows, and values that depend on them, with a few that are far off."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=60)
    y[::13] += 5.0
    return X, y + 3.0
