"""Downloads end, whatever the server does."""

import gzip
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from study.datasets import DownloadError
from study.datasets import connection as module
from study.datasets.download import MAX_BYTES, download
from study.datasets.registry import ENTRIES
from study.datasets.sources import LibsvmFiles

CONTENT = b"0123456789" * 100
# Much longer than any of these downloads may take.
TEST_SECONDS = 10


def read_whole(path):
    return path.read_bytes()


@pytest.fixture
def serve():
    """Serve 127.0.0.1 by a function of the request; return the address of a file."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with suppress(OSError):  # the client has gone
                behaviours[-1](self)

        def log_message(self, *details):
            pass

    behaviours = []
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()

    def behave(behaviour):
        behaviours.append(behaviour)
        return f"http://127.0.0.1:{http.server_port}/file"

    yield behave
    http.shutdown()
    http.server_close()
    thread.join()


@pytest.fixture
def fails(tmp_path):
    """Download a file in vain; return why, and leave nothing behind."""

    def run(url, **options):
        begin = time.monotonic()
        with pytest.raises(DownloadError) as caught:
            download(url, tmp_path / "kept" / "file", check=read_whole, **options)
        assert time.monotonic() - begin < TEST_SECONDS
        assert list((tmp_path / "kept").iterdir()) == []
        return str(caught.value)

    return run


def begin(request, code=200, **headers):
    request.send_response(code)
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), str(value))
    request.end_headers()


def endless(request):
    begin(request)
    while True:
        request.wfile.write(CONTENT)


def endless_chunks(request):
    request.protocol_version = "HTTP/1.1"
    begin(request, Transfer_Encoding="chunked")
    while True:
        request.wfile.write(b"%x\r\n%s\r\n" % (len(CONTENT), CONTENT))


@pytest.mark.parametrize("behaviour", [endless, endless_chunks])
def test_a_body_without_end_is_refused(serve, fails, behaviour):
    told = fails(serve(behaviour), max_bytes=10**6)
    assert "it is longer than 1 MB, the most that was expected" in told


def test_a_body_without_a_length_is_accepted(serve, tmp_path):
    def give(request):
        begin(request)
        request.wfile.write(CONTENT)

    url = serve(give)
    assert download(url, tmp_path / "file", check=read_whole, max_bytes=1000) == CONTENT


def test_a_length_that_is_too_large_is_refused_before_the_body_is_read(serve, fails):
    def claim(request):
        begin(request, Content_Length=1001)
        time.sleep(2)

    start = time.monotonic()
    assert "it is longer than 1 kB" in fails(serve(claim), max_bytes=1000)
    assert time.monotonic() - start < 1


def test_a_length_longer_than_the_body_is_refused(serve, fails):
    def give(request):
        begin(request, Content_Length=len(CONTENT) + 1)
        request.wfile.write(CONTENT)

    assert "the connection broke after 1000 of 1001 bytes" in fails(serve(give))


def test_a_length_shorter_than_the_body_gives_what_the_check_refuses(serve, tmp_path):
    def give(request):
        begin(request, Content_Length=10)
        request.wfile.write(CONTENT)

    def check(path):
        if path.read_bytes() != CONTENT:
            raise ValueError("it was cut off")

    with pytest.raises(DownloadError, match="it was cut off"):
        download(serve(give), tmp_path / "file", check=check)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("length", ["many", "-5", "1e3"])
def test_a_length_that_is_no_number_of_bytes_is_refused(serve, fails, length):
    def give(request):
        begin(request, Content_Length=length)
        request.wfile.write(CONTENT)

    assert "failed: " in fails(serve(give))


def dripping_body(request):
    begin(request)
    while True:
        request.wfile.write(b"x")
        time.sleep(0.05)


def dripping_body_of_known_length(request):
    begin(request, Content_Length=len(CONTENT))
    while True:
        request.wfile.write(b"x")
        time.sleep(0.05)


def dripping_header(request):
    request.wfile.write(b"HTTP/1.0 200 OK\r\nX-Long: ")
    while True:
        request.wfile.write(b"x")
        time.sleep(0.05)


def silent(request):
    time.sleep(2)


@pytest.mark.parametrize(
    "behaviour",
    [
        dripping_body,
        dripping_body_of_known_length,
        dripping_header,
        silent,
    ],
)
def test_a_server_that_is_too_slow_is_given_up(serve, fails, behaviour):
    told = fails(serve(behaviour), patience=0.3)
    assert "given up as too slow; expected 16.4 kB a second after the first 0.3" in told


def test_a_slow_encrypted_handshake_is_given_up(fails):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert "too slow" in fails(f"https://127.0.0.1:{port}/file", patience=0.3)


def test_a_download_may_take_longer_if_its_bytes_keep_coming(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BYTES_PER_SECOND", 1000)

    def give(request):
        begin(request)
        for _ in range(8):
            request.wfile.write(CONTENT)
            time.sleep(0.1)

    path = tmp_path / "file"
    assert download(serve(give), path, check=read_whole, patience=0.3) == 8 * CONTENT


@pytest.mark.parametrize(
    "address", ["ftp://127.0.0.1/file", "FTP://127.0.0.1/file", "file:///etc/hostname"]
)
def test_a_redirect_out_of_the_web_is_refused(serve, fails, address):
    told = fails(serve(lambda request: begin(request, 302, Location=address)))
    assert address.lower()[:4] in told.lower()
    assert "not allowed" in told or "only http and https are followed" in told


def test_a_redirect_that_leads_to_itself_is_refused(serve, fails):
    told = fails(serve(lambda request: begin(request, 302, Location="/file")))
    assert "infinite loop" in told


def test_redirects_without_end_are_refused(serve, fails):
    def lead_on(request):
        begin(request, 302, Location=f"{request.path}x")

    assert "infinite loop" in fails(serve(lead_on))


def test_the_body_of_a_redirect_is_not_read(serve, tmp_path):
    def lead_on(request):
        if request.path == "/there":
            begin(request)
            request.wfile.write(CONTENT)
            return
        begin(request, 302, Location="/there")
        while True:
            request.wfile.write(CONTENT)

    path = tmp_path / "file"
    assert download(serve(lead_on), path, check=read_whole, patience=1) == CONTENT


def test_a_packed_answer_is_not_unpacked(serve, tmp_path):
    packed = gzip.compress(bytes(10**6))

    def give(request):
        begin(request, Content_Encoding="gzip", Content_Length=len(packed))
        request.wfile.write(packed)

    path = tmp_path / "file"
    assert download(serve(give), path, check=read_whole, max_bytes=10**4) == packed


def test_every_registered_file_has_a_limit_of_its_own():
    files = {
        file.name: file.max_bytes
        for entry in ENTRIES.values()
        for source in entry.sources
        if isinstance(source, LibsvmFiles)
        for file in source.files
    }
    assert files["a9a"] < 10**9 < files["url_combined.bz2"]
    assert max(files.values()) == MAX_BYTES


def test_no_thread_is_left_of_a_download_that_failed(serve, fails):
    before = threading.active_count()
    fails("http://127.0.0.1:9/file")
    assert threading.active_count() == before
