"""Where data sets are looked for, in which order, and what is said of missing ones."""

import bz2
import gzip
import lzma
import os
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import get_data_home, load_breast_cancer

from study import datasets
from study.datasets.entry import Form
from study.datasets.loading import cache_directory
from study.datasets.sources import LibsvmFiles, RemoteFile
from tiny_set import ROWS

DATA = os.environ.get("LARGEMARGIN_DATA")
PACKERS = {".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress, "": bytes}


@pytest.fixture
def data_home(tmp_path):
    directory = tmp_path / "data"
    directory.mkdir()
    return directory


def files_in(directory):
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize("ending", PACKERS)
def test_files_of_the_data_directory_are_read_packed_or_not(
    tiny, data_home, server, ending
):
    (data_home / f"tiny.libsvm{ending}").write_bytes(PACKERS[ending](ROWS.encode()))
    data = datasets.load("tiny", data_home=data_home)
    i = np.arange(1, 401)
    assert_array_equal(data.X, np.column_stack([i, 0 * i, 0.5 * i, 0 * i]))
    assert_array_equal(data.y, np.where(i % 2, 1.0, -1.0))
    assert data.source == f"file tiny.libsvm{ending}"
    assert (data.name, data.entry) == ("tiny", tiny)
    assert server.requests == []


def test_the_environment_names_the_data_directory(tiny, data_home, monkeypatch):
    (data_home / "tiny.libsvm").write_text(ROWS)
    monkeypatch.setenv("LARGEMARGIN_DATA", str(data_home))
    assert datasets.load("tiny", download=False).source == "file tiny.libsvm"


def test_the_argument_goes_before_the_environment(tiny, data_home, tmp_path, monkeypatch):
    (data_home / "tiny.libsvm").write_text(ROWS)
    monkeypatch.setenv("LARGEMARGIN_DATA", str(tmp_path / "nowhere"))
    data = datasets.load("tiny", data_home=data_home, download=False)
    assert data.source == "file tiny.libsvm"


def test_the_cache_is_in_the_data_directory_of_scikit_learn():
    assert os.fspath(cache_directory()) == os.path.join(get_data_home(), "largemargin")


def test_looking_makes_no_directory(tiny, cache):
    with pytest.raises(datasets.MissingDataset):
        datasets.load("tiny", download=False)
    assert not cache.parent.exists()


@pytest.mark.parametrize("setting", ["data_home", "LARGEMARGIN_DATA"])
def test_a_data_directory_that_is_none_is_named(tiny, tmp_path, monkeypatch, setting):
    nowhere = str(tmp_path / "nowhere")
    monkeypatch.setenv("LARGEMARGIN_DATA", nowhere)
    with pytest.raises(NotADirectoryError, match=f"{setting} is '.*nowhere'"):
        datasets.load("tiny", data_home=nowhere if setting == "data_home" else None)


def test_what_is_nowhere_says_where_it_was_looked_for_and_how_to_get_it(
    tiny, data_home, cache
):
    with pytest.raises(datasets.MissingDataset) as caught:
        datasets.load("tiny", data_home=data_home, download=False)
    message = str(caught.value)
    for part in str(data_home), str(cache), "download=True", tiny.sources[0].address:
        assert part in message


def test_a_download_is_kept_in_the_cache(tiny, server, cache):
    first = datasets.load("tiny")
    again = datasets.load("tiny", download=False)
    assert first.source == again.source == f"file tiny.bz2 from {server.address}/tiny.bz2"
    assert_array_equal(first.X, again.X)
    assert_array_equal(first.y, again.y)
    assert server.requests == ["/tiny.bz2"]
    assert files_in(cache) == ["tiny.bz2", "tiny.bz2.json"]


def test_a_failed_download_says_why_and_the_next_one_works(tiny, server, cache):
    whole = server.bodies["/tiny.bz2"]
    server.serve("tiny.bz2", whole[:-10], claimed_length=len(whole))
    with pytest.raises(datasets.MissingDataset, match=r"tiny\.bz2 failed") as caught:
        datasets.load("tiny")
    assert isinstance(caught.value.__cause__, datasets.DownloadError)
    assert files_in(cache) == []
    server.serve("tiny.bz2", whole)
    assert datasets.load("tiny").X.shape == (400, 4)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (ROWS[: ROWS.index("\n") + 1] * 3, "has 3 rows; expected 400"),
        (ROWS.replace(" 3:", " 9:"), "9 columns; expected 4 at most"),
        ("1 1:2\n" * 400, "found 1: 1.0"),
        ("<html>not here</html>\n", "cannot be read as LIBSVM rows"),
    ],
    ids=["too few rows", "too many features", "one label", "no LIBSVM file"],
)
def test_a_download_of_something_else_is_not_kept(tiny, server, cache, rows, complaint):
    server.serve("tiny.bz2", bz2.compress(rows.encode()))
    with pytest.raises(datasets.MissingDataset, match=complaint):
        datasets.load("tiny")
    assert files_in(cache) == []


def test_a_cache_that_cannot_be_made_is_told(tiny, cache):
    cache.parent.write_text("a file where the directory should be")
    with pytest.raises(datasets.MissingDataset, match=r"tiny\.bz2 failed: .*largemargin"):
        datasets.load("tiny")


def test_an_altered_file_of_the_cache_is_an_error(tiny, cache):
    datasets.load("tiny")
    (cache / "tiny.bz2").write_bytes(bz2.compress(ROWS.replace("1:7", "1:8").encode()))
    with pytest.raises(datasets.UnreadableFile, match=r"altered.*Delete it"):
        datasets.load("tiny")


def test_rows_of_several_files_follow_each_other(server, register):
    lines = ROWS.splitlines(keepends=True)
    parts = ("a", lines[:150]), ("b", lines[150:])
    urls = [server.serve(name, "".join(part).encode()) for name, part in parts]
    counts = 150, 250
    files = tuple(RemoteFile(url, n) for url, n in zip(urls, counts, strict=True))
    register(LibsvmFiles(files))
    data = datasets.load("tiny")
    assert_array_equal(data.X[:, 0], np.arange(1, 401))
    assert data.source == f"file a from {urls[0]} and file b from {urls[1]}"


def test_only_the_file_that_is_missing_is_downloaded_again(server, register):
    lines = ROWS.splitlines(keepends=True)
    urls = [server.serve("a", "".join(lines[:150]).encode()), f"{server.address}/b"]
    register(LibsvmFiles((RemoteFile(urls[0], 150), RemoteFile(urls[1], 250))))
    with pytest.raises(datasets.MissingDataset, match="/b failed"):
        datasets.load("tiny")
    server.serve("b", "".join(lines[150:]).encode())
    datasets.load("tiny")
    assert server.requests == ["/a", "/b", "/b"]


def test_a_member_of_a_zip_archive_is_read(server, register, tmp_path):
    path = tmp_path / "rows.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", "x")
        archive.writestr("rows", ROWS)
    url = server.serve("rows.zip", path.read_bytes())
    register(LibsvmFiles((RemoteFile(url, 400, member="rows"),)))
    assert datasets.load("tiny").X.shape == (400, 4)


def test_a_zip_archive_without_the_member_is_refused(server, register, tmp_path):
    path = tmp_path / "rows.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", "x")
    url = server.serve("rows.zip", path.read_bytes())
    register(LibsvmFiles((RemoteFile(url, 400, member="rows"),)))
    with pytest.raises(datasets.MissingDataset, match=r"only \['other'\]"):
        datasets.load("tiny")


def test_the_label_of_the_positive_class_can_be_the_smaller_one(server, register):
    url = server.serve("tiny", ROWS.replace("-1 ", "2 ").encode())
    register(LibsvmFiles((RemoteFile(url, 400),), positive=1.0))
    data = datasets.load("tiny")
    assert_array_equal(data.y, np.where(data.X[:, 0] % 2, 1.0, -1.0))


def test_a_second_source_helps_when_the_first_fails(server, register):
    good = server.serve("good", ROWS.encode())
    bad = f"{server.address}/bad"
    register(*(LibsvmFiles((RemoteFile(url, 400),)) for url in (bad, good)))
    assert datasets.load("tiny").source == f"file good from {good}"


@pytest.mark.parametrize("cut", [ROWS[:1000], ROWS.replace("-1 ", "+1 ", 1)])
def test_a_file_of_another_size_or_balance_is_not_taken_for_the_set(tiny, data_home, cut):
    (data_home / "tiny.libsvm").write_text(cut[: cut.rindex("\n") + 1])
    with pytest.raises(
        datasets.UnreadableFile, match=r"is not the .* tiny.*\(400, 4, 200\)"
    ):
        datasets.load("tiny", data_home=data_home)


def test_a_broken_file_of_the_data_directory_is_named(tiny, data_home):
    (data_home / "tiny.libsvm.xz").write_bytes(lzma.compress(ROWS.encode())[:-30])
    with pytest.raises(datasets.UnreadableFile, match=r"tiny\.libsvm\.xz cannot be read"):
        datasets.load("tiny", data_home=data_home)


@pytest.fixture
def replaced(register):
    """A data set on no server, with two stand-ins."""
    return register(
        LibsvmFiles((RemoteFile("http://127.0.0.1:9/tiny.bz2", 400),)),
        stand_ins=(
            Form("tiny", 100, 4, 50, "the first 100 rows"),
            Form("tiny-rebuilt", 200, 3, 100, "the first 200 rows"),
        ),
    )


def first_rows(count):
    return "".join(ROWS.splitlines(keepends=True)[:count])


def test_a_stand_in_of_another_name_is_taken_and_says_so(replaced, data_home):
    (data_home / "tiny-rebuilt.libsvm").write_text(first_rows(200))
    data = datasets.load("tiny", data_home=data_home, download=False)
    assert data.X.shape == (200, 3)
    assert "a stand-in for tiny: the first 200 rows" in data.source


def test_a_stand_in_of_the_same_name_is_told_by_its_rows(replaced, data_home):
    (data_home / "tiny.libsvm").write_text(first_rows(100))
    data = datasets.load("tiny", data_home=data_home, download=False)
    assert "a stand-in for tiny: the first 100 rows" in data.source


def test_the_whole_set_in_the_cache_goes_before_a_stand_in(replaced, data_home, cache):
    (data_home / "tiny-rebuilt.libsvm").write_text(first_rows(200))
    cache.mkdir(parents=True)
    (cache / "tiny.bz2").write_bytes(bz2.compress(ROWS.encode()))
    assert datasets.load("tiny", data_home=data_home).X.shape == (400, 4)


def test_the_whole_set_goes_before_a_stand_in_of_the_same_name(replaced, data_home, cache):
    (data_home / "tiny.libsvm").write_text(first_rows(100))
    cache.mkdir(parents=True)
    (cache / "tiny.bz2").write_bytes(bz2.compress(ROWS.encode()))
    assert datasets.load("tiny", data_home=data_home).X.shape == (400, 4)


def test_wdbc_comes_with_scikit_learn():
    data = datasets.load("wdbc", download=False)
    X, target = load_breast_cancer(return_X_y=True)
    assert_array_equal(data.X, X)
    assert_array_equal(data.y, np.where(target == 0, 1.0, -1.0))


def test_wide_and_empty_rows_stay_sparse_with_narrow_indices(register, data_home):
    register(rows=400, features=1000)
    (data_home / "tiny.libsvm").write_text(ROWS)
    X = datasets.load("tiny", data_home=data_home).X
    assert sp.issparse(X)
    assert X.format == "csr"
    assert X.shape == (400, 1000)
    assert X.indices.dtype == X.indptr.dtype == np.int32


def test_wide_and_full_rows_become_dense(register, data_home):
    row = " ".join(f"{j}:{j}" for j in range(1, 121))
    (data_home / "tiny.libsvm").write_text(f"1 {row}\n-1 {row}\n")
    register(rows=2, features=120, positives=1)
    X = datasets.load("tiny", data_home=data_home).X
    assert_array_equal(X, [np.arange(1, 121)] * 2)


@pytest.mark.skipif(DATA is None, reason="LARGEMARGIN_DATA names no data directory")
@pytest.mark.parametrize("name", datasets.names("regular"))
def test_the_data_directory_gives_every_regular_set(name):
    data = datasets.load(name, data_home=DATA, download=False)
    forms = [data.entry.whole, *data.entry.stand_ins]
    assert (*data.X.shape, (data.y > 0).sum()) in [
        (form.rows, form.features, form.positives) for form in forms
    ]
    assert isinstance(data.X, np.ndarray)
