"""The number of threads, and work in several of them."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


@cache
def blas_threads() -> ThreadpoolController:
    """Return the controller of the linear algebra libraries, found once."""
    return ThreadpoolController().select(user_api="blas")


class _OneThread:
    """Limits linear algebra to one thread while any context is open.

    The limit holds for the whole process: of contexts that overlap, the first sets it and
    the last lifts it.
    """

    def __init__(self):
        self.lock = Lock()
        self.n_open = 0
        self.limit = None

    def __enter__(self):
        with self.lock:
            if self.n_open == 0:
                self.limit = blas_threads().limit(limits=1)
            self.n_open += 1

    def __exit__(self, *details):
        with self.lock:
            self.n_open -= 1
            if self.n_open == 0:
                self.limit.restore_original_limits()


_ONE_THREAD = _OneThread()


def one_blas_thread() -> AbstractContextManager:
    """Return a context in which linear algebra uses one thread."""
    return _ONE_THREAD


def n_blas_threads() -> int:
    """Return the number of threads that linear algebra may use."""
    return max((pool["num_threads"] for pool in blas_threads().info()), default=1)


def in_threads(work: Callable, items: Sequence) -> list:
    """Return ``work(item)`` of each item, from as many threads as linear algebra may use.

    Each item is worked on by one thread, linear algebra included. An interrupt cancels
    the items that have not been started.
    """
    n_threads = n_blas_threads()
    with one_blas_thread():
        if n_threads == 1 or len(items) == 1:
            return [work(item) for item in items]
        pool = ThreadPoolExecutor(n_threads)
        try:
            return list(pool.map(work, items))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
