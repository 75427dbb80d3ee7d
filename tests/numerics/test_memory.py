"""What would take too much memory is refused before any of it is taken."""

import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin import (
    KOMDClassifier,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)
from largemargin.kernels.functions import Kernel
from largemargin.numerics import memory
from largemargin.numerics.memory import (
    SETTING,
    TooLarge,
    check_expansion,
    check_room,
    max_bytes,
)
from machines import fixed_ldm, fixed_linear_ldm

WIDEST = 2**31 - 1
MEGABYTE = 1 << 20


def wide_rows(n_features=WIDEST):
    """Return four rows, with a number in the first column and in the last."""
    columns = np.tile(np.array([0, n_features - 1], dtype=np.int32), 4)
    bounds = np.arange(0, 9, 2, dtype=np.int32)
    return sp.csr_matrix((np.arange(8.0), columns, bounds), shape=(4, n_features))


def fit_batch(machine, X, y):
    machine.partial_fit(X, y, classes=[0, 1])


def fit(machine, X, y):
    machine.fit(X, y)


@pytest.fixture
def limit(monkeypatch):
    def set_limit(n_bytes):
        monkeypatch.setenv(SETTING, str(n_bytes))

    return set_limit


@pytest.mark.parametrize(
    ("machine", "learn"),
    [
        (fixed_linear_ldm(), fit),
        (fixed_linear_ldm(), fit_batch),
        (fixed_ldm(kernel="linear"), fit),
        (fixed_ldm(kernel="rbf"), fit),
        (fixed_ldm(kernel="precomputed"), fit),
        (ODMClassifier(kernel="linear"), fit),
        (KOMDClassifier(), fit),
        (MAMCClassifier(kernel="linear"), fit),
        (MDOClassifier(), fit),
    ],
)
def test_rows_of_absurd_width_are_refused_before_vectors_are_made(machine, learn, limit):
    limit(1 << 30)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match=r"expected at most 1\.1 GB\. .*, or set LARGE"):
            learn(machine, wide_rows(), [0, 1, 0, 1])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTE
    assert not hasattr(machine, "classes_")


def test_what_is_too_large_is_a_value_error_and_a_memory_error():
    assert issubclass(TooLarge, ValueError)
    assert issubclass(TooLarge, MemoryError)


def test_wide_rows_that_fit_are_learned():
    machine = fixed_linear_ldm().fit(wide_rows(100_000), [0, 1, 0, 1])
    assert machine.coef_.shape == (1, 100_000)


def test_too_many_classes_for_their_signs_are_refused(limit):
    limit(MEGABYTE)
    for multi_class, size in ("ovr", "8 MB"), ("ovo", "2 GB"):
        machine = fixed_linear_ldm(multi_class=multi_class)
        with pytest.raises(TooLarge, match=rf"500 classes in 1,000 rows.*{size}.*Give"):
            machine.fit(np.eye(1000), np.arange(1000) // 2)


def test_the_limit_is_half_of_the_memory_of_the_machine(monkeypatch):
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr(memory, "physical_memory", lambda: 1000)
    assert max_bytes() == 500


@pytest.mark.parametrize(("text", "expected"), [("1000\n", 1000), ("max\n", sys.maxsize)])
def test_a_container_has_the_memory_it_is_given(tmp_path, monkeypatch, text, expected):
    given = tmp_path / "memory.max"
    given.write_text(text)
    monkeypatch.setattr(memory, "CONTAINER_LIMITS", (tmp_path / "nowhere", given))
    assert memory.container_memory() == expected
    assert memory.physical_memory() <= expected


def test_sparse_rows_without_room_to_be_dense_give_the_same_kernel(limit):
    X = sp.random(300, 400, density=0.02, format="csr", random_state=0)
    dense = Kernel("rbf", 0.1).gram_matrix(X)
    limit(300 * 400 * 8 - 1)
    assert_allclose(Kernel("rbf", 0.1).gram_matrix(X), dense, rtol=1e-12)


def test_a_need_equal_to_the_limit_is_no_reason_to_refuse(limit):
    limit(10)
    check_room(10, "It", "Use less")
    with pytest.raises(TooLarge, match="It takes at least 11 bytes of memory; expected at"):
        check_room(11, "It", "Use less")


@pytest.mark.parametrize("setting", ["8GB", "-1", "0", "1e9", "²"])
def test_a_limit_that_is_no_number_of_bytes_is_refused(setting, monkeypatch):
    monkeypatch.setenv(SETTING, setting)
    with pytest.raises(ValueError, match=r"LARGEMARGIN_MAX_BYTES must be a whole number"):
        check_room(1, "It", "Use less")


def test_an_expansion_by_far_is_refused_and_a_usual_one_is_not(limit):
    limit(1000)
    check_expansion(10, 1000)
    check_expansion(10**6, 10**8)
    with pytest.raises(TooLarge, match=r"10 bytes of packed data expand to 1 kB or more"):
        check_expansion(10, 1001)
