"""Streams of batches: what they learn, and which of them are refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.problem.losses import LOSSES
from machines import fixed_linear_ldm


def stream_and_fit(make=np.asarray, **options):
    """Return a machine fitted on a stream, one fitted at once, and other rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = np.where(X @ [1, -1, 2, 0, 0.5] + 0.3 * rng.normal(size=4000) > 0.5, "up", "down")
    stream = fixed_linear_ldm(0.01, random_state=0, **options)
    for batch in np.array_split(np.arange(3000), 30):
        stream.partial_fit(make(X[batch]), y[batch], classes=["down", "up"])
    full = fixed_linear_ldm(0.01, **options).fit(X[:3000], y[:3000])
    return stream, full, X[3000:], y[3000:]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_a_stream_learns_what_a_fit_learns(make):
    stream, full, X, y = stream_and_fit(make)
    assert stream.score(X, y) > full.score(X, y) - 0.02
    assert np.isnan(stream.duality_gap_)


def test_a_stream_follows_its_loss():
    streams, fits = zip(*(stream_and_fit(loss=loss)[:2] for loss in LOSSES), strict=True)
    shares = [np.linalg.norm(b.coef_) / np.linalg.norm(a.coef_) for a, b in (streams, fits)]
    assert shares[1] < 0.9  # the squared hinge leads to a shorter w
    assert_allclose(shares[0], shares[1], rtol=0.05)


def test_a_stream_of_weights_is_a_stream_of_repetitions(iris):
    X, y = iris
    times = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = fixed_linear_ldm(random_state=0)
    repeated = fixed_linear_ldm(random_state=0)
    for _ in range(3):
        weighted.partial_fit(X, y, classes=[0, 1, 2], sample_weight=times)
        repeated.partial_fit(X.repeat(times, axis=0), y.repeat(times), classes=[0, 1, 2])
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_a_stream_goes_on_from_a_fit(blobs):
    X, y = blobs
    machine = fixed_linear_ldm(0.1, random_state=0).fit(X, y)
    before = machine.coef_.copy()
    machine.partial_fit(X, y)
    assert not np.array_equal(machine.coef_, before)
    assert machine.score(X, y) > 0.8


def test_batches_that_do_not_fit_the_stream(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"first call.*classes"):
        fixed_linear_ldm().partial_fit(X, y)
    machine = fixed_linear_ldm(random_state=0).partial_fit(X, y, classes=[-1, 1])
    coef = machine.coef_
    with pytest.raises(ValueError, match="known classes"):
        machine.partial_fit(X, np.full(len(y), 7))
    with pytest.raises(ValueError, match="stay as they were"):
        machine.partial_fit(X, y, classes=[-1, 2])
    with pytest.raises(ValueError, match="features"):
        machine.partial_fit(X[:, 1:], y)
    assert machine.coef_ is coef


def test_streams_that_would_mean_something_else(blobs):
    X, y = blobs
    for machine in (
        fixed_linear_ldm(np.inf),
        fixed_linear_ldm(class_weight="balanced"),
    ):
        with pytest.raises(ValueError, match="finite C and class weights"):
            machine.partial_fit(X, y, classes=[-1, 1])
