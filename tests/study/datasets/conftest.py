import bz2
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from study.datasets.loading import cache_directory
from study.datasets.registry import ENTRIES
from study.datasets.sources import LibsvmFiles, RemoteFile
from tiny_set import ROWS, entry_with


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty per-user cache, and no data directory."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    monkeypatch.delenv("LARGEMARGIN_DATA", raising=False)
    return cache_directory()


class Server:
    """A local server: what it gives for a path, and how many bytes it claims to give."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}"
        self.bodies = {}
        self.claimed_lengths = {}
        self.requests = []

    def serve(self, name, body, claimed_length=None):
        """Serve bytes under a name; return their address."""
        self.bodies[f"/{name}"] = body
        self.claimed_lengths[f"/{name}"] = claimed_length
        return f"{self.address}/{name}"


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            served.requests.append(self.path)
            body = served.bodies.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            length = served.claimed_lengths[self.path] or len(body)
            if length != "not told":
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *details):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Server(http.server_port)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    yield served
    http.shutdown()
    http.server_close()
    thread.join()


@pytest.fixture
def register(monkeypatch):
    """Add an entry to the registry."""

    def add(*sources, **changes):
        entry = entry_with(sources, **changes)
        monkeypatch.setitem(ENTRIES, entry.name, entry)
        return entry

    return add


@pytest.fixture
def tiny(server, register):
    """A data set of 400 rows on the local server."""
    url = server.serve("tiny.bz2", bz2.compress(ROWS.encode()))
    return register(LibsvmFiles((RemoteFile(url, 400),)))
