"""How many threads work, and on what."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def blas_threads():
    """Return the controller of the linear algebra libraries, found once."""
    return ThreadpoolController()


def n_blas_threads():
    """Return how many threads the user grants to linear algebra."""
    return max((pool["num_threads"] for pool in blas_threads().info()), default=1)


def in_threads(work, items):
    """Do ``work`` on each item, in as many threads as linear algebra may have.

    Each item is worked on by one thread, linear algebra included. An interrupt leaves
    after the items at hand.
    """
    n_threads = n_blas_threads()
    with blas_threads().limit(limits=1):
        if n_threads == 1:
            for item in items:
                work(item)
            return
        pool = ThreadPoolExecutor(n_threads)
        try:
            for _ in pool.map(work, items):
                pass
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
