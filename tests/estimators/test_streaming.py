"""Learning from a stream of batches, and what is kept between them."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from largemargin import LinearLDMClassifier
from largemargin.estimators.streaming import Stream


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_a_stream_learns_what_a_fit_learns(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = np.where(X @ [1, -1, 2, 0, 0.5] + 0.3 * rng.normal(size=4000) > 0.5, "up", "down")
    machine = LinearLDMClassifier(0.01, random_state=0)
    for batch in np.array_split(np.arange(3000), 30):
        machine.partial_fit(make(X[batch]), y[batch], classes=["down", "up"])
    full = LinearLDMClassifier(0.01).fit(X[:3000], y[:3000])
    assert machine.score(X[3000:], y[3000:]) > full.score(X[3000:], y[3000:]) - 0.02
    assert np.isnan(machine.duality_gap_)


def test_a_stream_of_weights_is_a_stream_of_repetitions(iris):
    X, y = iris
    times = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = LinearLDMClassifier(random_state=0)
    repeated = LinearLDMClassifier(random_state=0)
    for _ in range(3):
        weighted.partial_fit(X, y, classes=[0, 1, 2], sample_weight=times)
        repeated.partial_fit(X.repeat(times, axis=0), y.repeat(times), classes=[0, 1, 2])
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_a_stream_goes_on_from_a_fit(blobs):
    X, y = blobs
    machine = LinearLDMClassifier(0.1, random_state=0).fit(X, y)
    before = machine.coef_.copy()
    machine.partial_fit(X, y)
    assert not np.array_equal(machine.coef_, before)
    assert machine.score(X, y) > 0.8


def test_the_state_of_a_stream_has_seen_all_weights_and_survives_a_pickle(iris):
    X, y = iris
    machine = LinearLDMClassifier(random_state=0)
    for _ in range(2):
        machine.partial_fit(X, y, classes=[0, 1, 2])
    stream = Stream.of(machine, X.shape[1])
    assert [descent.weight_seen for descent in stream.descents] == [300.0] * 3
    copy = pickle.loads(pickle.dumps(machine)).partial_fit(X, y)
    assert_array_equal(copy.coef_, machine.partial_fit(X, y).coef_)


def test_a_batch_that_is_refused_leaves_the_stream_as_it_was(iris):
    X, y = iris
    machine = LinearLDMClassifier(random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    before = machine.coef_.copy()
    with pytest.raises(ValueError, match="known classes"):
        machine.partial_fit(X, y + 1)
    assert_array_equal(machine.coef_, before)
    assert Stream.of(machine, 4).descents[0].weight_seen == 150.0


def test_a_fit_ends_a_stream(iris):
    X, y = iris
    machine = LinearLDMClassifier(random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    assert Stream.of(machine.fit(X, y), 4).descents[0].weight_seen == 0.0
