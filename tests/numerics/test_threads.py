"""Work in threads, and the number of threads of linear algebra."""

import threading

import numpy as np
import pytest
from joblib import Parallel, delayed

from largemargin.numerics import threads
from largemargin.numerics.threads import (
    in_threads,
    n_blas_threads,
    n_threads_of_work,
    one_blas_thread,
    own_threads,
)
from machines import fixed_ldm


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_come_in_the_order_of_the_items(n_threads, monkeypatch):
    monkeypatch.setattr(threads, "n_blas_threads", lambda: n_threads)
    used = set()

    def work(item):
        used.add(threading.get_ident())
        return item**2

    assert in_threads(work, range(20)) == [item**2 for item in range(20)]
    assert (threading.get_ident() in used) == (n_threads == 1)
    assert in_threads(work, []) == []


@pytest.mark.usefixtures("two_blas_threads")
def test_contexts_that_overlap_hold_until_the_last_has_ended():
    before = n_blas_threads()
    with one_blas_thread():
        with one_blas_thread():
            assert n_blas_threads() == 1
        assert n_blas_threads() == 1
    assert n_blas_threads() == before


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_in_a_thread_is_raised(n_threads, monkeypatch):
    monkeypatch.setattr(threads, "n_blas_threads", lambda: n_threads)

    def fail(item):
        raise ValueError(f"item {item}")

    with pytest.raises(ValueError, match="item 0"):
        in_threads(fail, range(5))


@pytest.mark.usefixtures("two_blas_threads")
def test_fits_that_overlap_leave_the_threads_as_they_were():
    X = np.random.default_rng(0).normal(size=(300, 7))

    def fit(seed):
        y = np.arange(300) % 2
        return fixed_ldm(random_state=seed).fit(X, y).duality_gap_

    before = n_blas_threads()
    for _ in range(3):
        Parallel(2, backend="threading")(delayed(fit)(seed) for seed in range(4))
    assert n_blas_threads() == before


@pytest.mark.usefixtures("two_blas_threads")
def test_threads_of_ours_stay_when_linear_algebra_has_one():
    with own_threads():
        assert n_blas_threads() == 1
        assert n_threads_of_work() == 2
        with own_threads():
            assert n_threads_of_work() == 2
    assert n_threads_of_work() == n_blas_threads() == 2
    with one_blas_thread():
        assert n_threads_of_work() == 1
