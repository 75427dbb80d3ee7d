"""Downloads that end: from web addresses only, at a minimum speed, up to a size."""

import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from largemargin.numerics.memory import size

# Without a single byte.
TIMEOUT_SECONDS = 30
# A download may take the first, and a second more for each of the last.
PATIENCE_SECONDS, BYTES_PER_SECOND = 60, 16 << 10
CHUNK_BYTES = 1 << 18
WEB = "https://", "http://"


class Watch:
    """Closes the connections of a download that takes too long, whatever they wait for.

    Parameters
    ----------
    patience : float
        Seconds that a download may take beyond those that its bytes need at
        ``BYTES_PER_SECOND``.
    """

    def __init__(self, patience):
        self.patience = patience
        self.n_bytes = 0
        self.expired = False
        self._begin = time.monotonic()
        self._sockets = []
        self._done = threading.Event()

    def add(self, connected):
        """Watch a connection; a copy of its socket stays ours, whoever wraps it."""
        self._sockets.append(connected.dup())

    @property
    def seconds_left(self):
        """How long the download may still take."""
        allowed = self.patience + self.n_bytes / BYTES_PER_SECOND
        return self._begin + allowed - time.monotonic()

    def __enter__(self):
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *details):
        self._done.set()
        self._thread.join()
        for copy in self._sockets:
            copy.close()

    def _wait(self):
        while (left := self.seconds_left) > 0:
            if self._done.wait(left):
                return
        self.expired = True
        # One that is connected just now is closed the next time.
        while not self._done.wait(0.1):
            for copy in self._sockets:
                with suppress(OSError):
                    copy.shutdown(socket.SHUT_RDWR)


class WatchedConnection(HTTPConnection):
    """A connection that a watch may close."""

    watch = None

    def connect(self):
        """Connect, before any encryption begins."""
        super().connect()
        self.watch.add(self.sock)


class WatchedSecureConnection(HTTPSConnection, WatchedConnection):
    """The same, encrypted."""


class WatchedHTTP(HTTPHandler):
    """Opens http addresses by watched connections."""

    def __init__(self, watch):
        super().__init__()
        self.connection = watched(WatchedConnection, watch)

    def http_open(self, request):
        """Return the answer to a request."""
        return self.do_open(self.connection, request)


class WatchedHTTPS(HTTPSHandler):
    """Opens https addresses by watched connections."""

    def __init__(self, watch):
        super().__init__()
        self.connection = watched(WatchedSecureConnection, watch)

    def https_open(self, request):
        """Return the answer to a request."""
        return self.do_open(self.connection, request)


def watched(kind, watch):
    """Return a class of connections of this kind that a watch knows of."""
    return type(kind.__name__, (kind,), {"watch": watch})


class WebRedirects(HTTPRedirectHandler):
    """Follows redirects to web addresses, and to nothing else."""

    def redirect_request(self, request, response, code, reason, headers, address):
        """Return the next request, or raise if it leads out of the web."""
        # What a redirect says besides its address, maybe without end, is not read.
        response.close()
        if not address.lower().startswith(WEB):
            raise ValueError(f"it leads to {address!r}; only http and https are followed")
        return super().redirect_request(request, response, code, reason, headers, address)


def opener_for(watch):
    """Return what opens web addresses by watched connections."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        WatchedHTTP(watch),
        WatchedHTTPS(watch),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
        WebRedirects(),
    ):
        opener.add_handler(handler)
    return opener


def transfer(url, stream, *, max_bytes, patience, on_progress):
    """Write the content of a web address to a stream.

    Parameters
    ----------
    url : str
        The address; http and https only.

    stream : binary file
        Where it goes.

    max_bytes : int
        More are refused.

    patience : float
        Seconds that it may take beyond those that the bytes need at
        ``BYTES_PER_SECOND``.

    on_progress : callable
        Called with the bytes so far and the bytes in all (None if not known).
    """
    done = 0
    with Watch(patience) as watch, ended_by(watch), answer(url, watch) as response:
        length = response.headers.get("Content-Length")
        total = None if length is None else int(length)
        check_size(total or 0, max_bytes)
        while chunk := response.read1(CHUNK_BYTES):
            done += len(chunk)
            watch.n_bytes = done
            check_size(done, max_bytes)
            stream.write(chunk)
            on_progress(done, total)
        if total is not None and done != total:
            raise ConnectionError(f"the connection broke after {done} of {total} bytes")


@contextmanager
def ended_by(watch):
    """Explain the errors that occur when a watch closes a connection."""
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if not watch.expired:
            raise
        raise too_slow(watch) from error
    # An answer without a length ends like any other when it is closed.
    if watch.expired:
        raise too_slow(watch)


def too_slow(watch):
    """Return the error for a download that takes too long."""
    return TimeoutError(
        f"after {watch.n_bytes} bytes it was given up as too slow; expected "
        f"{size(BYTES_PER_SECOND)} a second after the first {watch.patience:g} seconds"
    )


def check_size(n_bytes, max_bytes):
    """Raise ValueError if an answer is longer than it may be."""
    if n_bytes > max_bytes:
        raise ValueError(
            f"it is longer than {size(max_bytes)}, the most that was expected; it is "
            "another file"
        )


def answer(url, watch):
    """Return the open answer to a request; an answer that refuses is closed."""
    request = Request(url, headers={"User-Agent": "largemargin"})
    try:
        return opener_for(watch).open(request, timeout=TIMEOUT_SECONDS)
    except HTTPError as error:
        error.close()
        raise
