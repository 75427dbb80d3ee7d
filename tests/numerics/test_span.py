"""Spans of vectors with known images, against the matrix itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.numerics.span import Span

N_ROWS, ROOM = 30, 8


@pytest.fixture
def gram():
    rows = np.random.default_rng(0).normal(size=(N_ROWS, 12))
    return rows @ rows.T  # singular


@pytest.fixture
def ridge():
    return np.random.default_rng(1).uniform(0.1, 2.0, N_ROWS)


def add(span, vector, gram):
    return span.add(vector, gram @ vector, lambda other: (other, gram @ other))


def filled(gram, ridge, n_vectors, room=ROOM, seed=2):
    span = Span(ridge, room)
    for vector in np.random.default_rng(seed).normal(size=(n_vectors, N_ROWS)):
        assert add(span, vector, gram)
    return span


def assert_consistent(span, gram, ridge):
    vectors = span.vectors
    assert_allclose(span.images, vectors @ gram, atol=1e-10)
    assert_allclose(span.products, vectors @ gram @ vectors.T, atol=1e-10)
    assert_allclose(span.squares, (vectors * ridge) @ vectors.T, atol=1e-10)
    assert_allclose(span.products + span.squares, np.eye(span.size), atol=1e-10)


def test_vectors_are_orthonormal_and_know_their_images(gram, ridge):
    span = filled(gram, ridge, 5)
    assert span.size == 5
    assert_consistent(span, gram, ridge)


def test_a_vector_of_the_span_has_its_coordinates(gram, ridge):
    span = filled(gram, ridge, 5)
    vector = np.array([1.0, -2.0, 0.0, 3.0, 0.5]) @ span.vectors
    assert_allclose(span.coordinates(vector, gram @ vector), [1, -2, 0, 3, 0.5], atol=1e-10)


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_what_is_known_already_is_not_added(gram, ridge, size):
    span = filled(gram, ridge, 5)
    vector = size * (np.arange(5.0) @ span.vectors)
    assert not add(span, vector, gram)
    assert not add(span, np.zeros(N_ROWS), gram)
    assert span.size == 5
    assert_consistent(span, gram, ridge)


def test_vectors_that_nearly_depend_on_each_other_stay_orthonormal(gram, ridge):
    span = filled(gram, ridge, 3)
    rng = np.random.default_rng(3)
    for part in 1e-3, 1e-6, 1e-8:
        vector = np.ones(3) @ span.vectors[:3] + part * rng.normal(size=N_ROWS)
        assert add(span, vector, gram)
    assert_consistent(span, gram, ridge)


def test_all_dimensions_fit(gram, ridge):
    span = filled(gram, ridge, N_ROWS, room=N_ROWS)
    vector = np.cos(np.arange(N_ROWS))
    assert_allclose(span.coordinates(vector, gram @ vector) @ span.vectors, vector)
    assert not add(span, vector, gram)


@pytest.mark.parametrize("point", [np.arange(1.0, 9.0), np.r_[np.zeros(4), np.ones(4)]])
def test_making_room_keeps_the_point_and_the_newer_half(gram, ridge, point):
    span = filled(gram, ridge, ROOM)
    n_kept = (ROOM - 1) // 2
    before, newer = point @ span.vectors, span.vectors[-n_kept:].copy()
    coordinates = span.make_room(point)
    assert span.size < ROOM
    assert_allclose(coordinates @ span.vectors, before, atol=1e-10)
    assert_allclose(span.vectors[-n_kept:], newer)
    assert_consistent(span, gram, ridge)
    vector = np.sin(np.arange(N_ROWS))
    assert add(span, vector, gram)
    assert_consistent(span, gram, ridge)
