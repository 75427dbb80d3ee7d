"""The number of threads, and work in several of them."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_n_limiting = 0
_limit: Any = None
_n_own: int | None = None  # threads of in_threads, if linear algebra has fewer


@cache
def blas_threads() -> ThreadpoolController:
    """Return the controller of the linear algebra libraries, found once."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit linear algebra to one thread in this block.

    The limit holds for the whole process: of blocks that overlap in several threads, the
    first sets it and the last lifts it.
    """
    global _n_limiting, _limit
    with _lock:
        if _n_limiting == 0:
            _limit = blas_threads().limit(limits=1)
        _n_limiting += 1
    try:
        yield
    finally:
        with _lock:
            _n_limiting -= 1
            if _n_limiting == 0:
                _limit.restore_original_limits()


@contextmanager
def own_threads() -> Iterator[None]:
    """Leave all threads to ``in_threads`` in this block; linear algebra has one.

    Threads of linear algebra wait for each other by spinning. Between small products, and
    on a computer with other work, that costs many times the work itself.
    """
    global _n_own
    n_before, n_threads = _n_own, n_threads_of_work()
    with one_blas_thread():
        _n_own = n_threads
        try:
            yield
        finally:
            _n_own = n_before


def n_threads_of_work() -> int:
    """Return the number of threads that ``in_threads`` may use."""
    return n_blas_threads() if _n_own is None else _n_own


def n_blas_threads() -> int:
    """Return the number of threads that linear algebra may use."""
    return max((pool["num_threads"] for pool in blas_threads().info()), default=1)


def in_threads(work: Callable, items: Sequence, n_threads: int | None = None) -> list:
    """Return ``work(item)`` of each item, from as many threads as linear algebra may use.

    Within ``own_threads`` it is as many as it could use outside; ``n_threads`` sets another
    number.

    Each item is worked on by one thread, linear algebra included. An interrupt cancels
    the items that have not been started.
    """
    if len(items) == 1 and _n_limiting > 0:  # asking libraries would take longer
        return [work(items[0])]
    n_threads = n_threads or n_threads_of_work()
    with one_blas_thread():
        if n_threads == 1 or len(items) == 1:
            return [work(item) for item in items]
        pool = ThreadPoolExecutor(n_threads)
        try:
            return list(pool.map(work, items))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
