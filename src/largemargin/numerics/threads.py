"""How many threads work, and on what."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


@cache
def blas_threads():
    """Return the controller of the linear algebra libraries, found once."""
    return ThreadpoolController().select(user_api="blas")


class _OneThread:
    """Limits linear algebra to one thread while anyone asks for it.

    The limit holds for the whole process: of fits that overlap, the first sets it and the
    last one lifts it.
    """

    def __init__(self):
        self.lock = Lock()
        self.n_asking = 0
        self.limit = None

    def __enter__(self):
        with self.lock:
            if self.n_asking == 0:
                self.limit = blas_threads().limit(limits=1)
            self.n_asking += 1

    def __exit__(self, *details):
        with self.lock:
            self.n_asking -= 1
            if self.n_asking == 0:
                self.limit.restore_original_limits()


_ONE_THREAD = _OneThread()


def one_blas_thread():
    """Return a context in which linear algebra uses one thread."""
    return _ONE_THREAD


def n_blas_threads():
    """Return how many threads the user grants to linear algebra."""
    return max((pool["num_threads"] for pool in blas_threads().info()), default=1)


def in_threads(work, items):
    """Do ``work`` on each item, in as many threads as linear algebra may have.

    Each item is worked on by one thread, linear algebra included. An interrupt leaves
    after the items at hand.
    """
    n_threads = n_blas_threads()
    with one_blas_thread():
        if n_threads == 1 or len(items) == 1:
            for item in items:
                work(item)
            return
        pool = ThreadPoolExecutor(n_threads)
        try:
            for _ in pool.map(work, items):
                pass
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
