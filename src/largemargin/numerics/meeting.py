"""Work in threads that ask for something together, so that one answer serves all."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from threading import Lock
from typing import Any


class Adjourned(BaseException):
    """Raised in the threads of a meeting that ended early, by an error or an interrupt."""


class Request:
    """What a thread asks; it has its answer, or an error, when it gets its turn again."""

    def __init__(self, item: Any = None, rank: int = 0):
        self.item, self.rank = item, rank
        self.answer: Any = None
        self.error: BaseException | None = None
        self._turn = Lock()
        self._turn.acquire()

    def wake(self) -> None:
        """Let the thread go on."""
        self._turn.release()

    def wait(self) -> Any:
        """Wait for the turn; return the answer or raise the error."""
        self._turn.acquire()
        if self.error is not None:
            raise self.error
        return self.answer


class Meeting:
    """Jobs in threads of their own, whose requests wait until all of them can be answered.

    ``answer(rank, items)`` returns the answers to several items. Of all threads, which are
    as many as there are seats, ``n_running`` run at a time; a job that asks hands over to
    the next. When none can run, the requests of the least rank are answered together, in
    the order of the jobs: requests of a larger rank wait for more of their kind. What is
    answered together depends on the jobs alone, not on time or on ``n_running``.

    A job that ends or fails hands over, too. After an error or an interrupt nobody waits:
    threads that have no turn end at once, the others when they ask.
    """

    def __init__(self, answer: Callable[[int, list], Sequence], n_running: int = 1):
        self._answer, self._n_running = answer, n_running
        self._n_free = n_running  # turns that nobody has
        self._lock = Lock()
        self._ready: list[Request] = []
        self._asking: dict[int, Request] = {}  # by the number of the job
        self._is_closed = False

    def run(self, work: Callable, jobs: Sequence, n_seats: int) -> list:
        """Return ``work(job, ask)`` of each job, which may call ``ask(item, rank=0)``."""
        results: list = [None] * len(jobs)
        left = enumerate(jobs)
        starts = [Request() for _ in range(min(n_seats, len(jobs)))]
        self._ready = list(starts)

        def sit(start):
            start.wait()
            try:
                # One thread at a time takes a job, then the rest is done without the lock.
                while (taken := self._next_of(left)) is not None:
                    number, job = taken
                    results[number] = work(job, partial(self._ask, number))
            finally:
                self._hand_over()

        pool = ThreadPoolExecutor(len(starts))
        try:
            seats = [pool.submit(sit, start) for start in starts]
            with self._lock:
                self._next_requests()
            taken = set(seats)
            while taken:  # some systems interrupt nobody who waits without a time limit
                done, taken = wait(taken, timeout=0.1, return_when=FIRST_EXCEPTION)
                for seat in seats:
                    if seat in done:
                        seat.result()
        finally:
            self._close()
            pool.shutdown(wait=False, cancel_futures=True)
        return results

    def _next_of(self, left):
        with self._lock:
            return None if self._is_closed else next(left, None)

    def _ask(self, number, item, rank=0):
        request = Request(item, rank)
        with self._lock:
            if self._is_closed:
                raise Adjourned
            self._asking[number] = request
        self._hand_over()
        return request.wait()

    def _hand_over(self):
        """Give the turn to those that are ready; if there are none, answer."""
        with self._lock:
            self._n_free += 1
            requests = self._next_requests()
        if not requests:
            return
        try:
            answers = self._answer(requests[0].rank, [one.item for one in requests])
            for request, answer in zip(requests, answers, strict=True):
                request.answer = answer
        except BaseException as error:
            for request in requests:
                request.error = error
        with self._lock:
            self._n_free += 1
            self._ready += requests
            self._next_requests()

    def _next_requests(self):
        """Wake those that are ready; return the requests that are to be answered now."""
        if self._is_closed:
            self._dismiss()
        while self._ready and self._n_free > 0:
            self._n_free -= 1
            self._ready.pop(0).wake()
        if self._n_free < self._n_running or not self._asking:
            return []
        self._n_free -= 1  # to answer takes a turn
        least = min(one.rank for one in self._asking.values())
        numbers = sorted(k for k, one in self._asking.items() if one.rank == least)
        return [self._asking.pop(k) for k in numbers]

    def _close(self):
        with self._lock:
            self._is_closed = True
            self._dismiss()

    def _dismiss(self):
        """Wake all that wait, with an error."""
        for request in [*self._ready, *self._asking.values()]:
            request.error = Adjourned()
            request.wake()
        self._ready, self._asking = [], {}
