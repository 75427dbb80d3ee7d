"""What is kept of a stream between its batches."""

import pickle

import pytest
from numpy.testing import assert_array_equal

from largemargin.estimators.streaming import Stream
from machines import fixed_linear_ldm


def test_the_state_of_a_stream_has_seen_all_weights_and_survives_a_pickle(iris):
    X, y = iris
    machine = fixed_linear_ldm(random_state=0)
    for _ in range(2):
        machine.partial_fit(X, y, classes=[0, 1, 2])
    stream = Stream.of(machine)
    assert [descent.weight_seen for descent in stream.descents] == [200.0] * 3
    copy = pickle.loads(pickle.dumps(machine)).partial_fit(X, y)
    assert_array_equal(copy.coef_, machine.partial_fit(X, y).coef_)


def test_a_batch_that_is_refused_leaves_the_stream_as_it_was(iris):
    X, y = iris
    machine = fixed_linear_ldm(random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    before = machine.coef_.copy()
    with pytest.raises(ValueError, match="known classes"):
        machine.partial_fit(X, y + 1)
    assert_array_equal(machine.coef_, before)
    assert Stream.of(machine).descents[0].weight_seen == 100.0


def test_a_fit_ends_a_stream(iris):
    X, y = iris
    machine = fixed_linear_ldm(random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    assert Stream.of(machine.fit(X, y)).descents[0].weight_seen == 0.0
