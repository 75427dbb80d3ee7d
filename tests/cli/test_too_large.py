"""Files that ask for more memory than is allowed are refused before it is taken."""

import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from largemargin.numerics.memory import SETTING, TooLarge
from largemargin.tables import load_file

LIMIT = 4_000_000
# What reading itself takes: a block of text and its arrays.
SMALL = 250_000_000
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TOO_WIDE = "+1 1:1 2147483646:1\n-1 1:2\n"


@pytest.fixture
def too_large(refused, tmp_path, monkeypatch):
    """Train on a file; return the sentence that refuses it."""
    monkeypatch.setenv(SETTING, str(LIMIT))

    def run(path, *options):
        told = refused("train", path, "-o", tmp_path / "m", *options)
        assert str(path) in told
        assert not (tmp_path / "m").exists()
        return told

    return run


@pytest.fixture
def little_memory():
    """Fail if what the test does takes more than a little memory."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < SMALL


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "options",
    [
        ["-t", "linear"],
        ["-t", "rbf"],
        ["-t", "linear", "--scale", "unit"],
        ["-t", "rbf", "--scale", "standard"],
        ["-t", "linear", "--missing", "impute"],
        ["-t", "precomputed"],
        ["-t", "linear", "--cv"],
        ["--method", "mdo"],
    ],
)
def test_an_absurd_index_of_libsvm_text_is_refused(too_large, tmp_path, options):
    path = tmp_path / "wide.libsvm"
    path.write_text(TOO_WIDE)
    told = too_large(path, *options)
    assert "has 2,147,483,646 features, and a fit with this many takes at least" in told
    assert "expected at most 4 MB. Number the features without gaps" in told


def test_an_absurd_index_is_refused_without_any_setting(refused, tmp_path, monkeypatch):
    monkeypatch.delenv(SETTING, raising=False)
    told = refused("train", "-", "-t", "linear", "-o", tmp_path / "m", stdin=TOO_WIDE)
    assert "standard input has 2,147,483,646 features" in told


def test_a_limit_that_is_no_number_is_not_blamed_on_the_file(
    refused, libsvm, tmp_path, monkeypatch
):
    monkeypatch.setenv(SETTING, "8GB")
    told = refused("train", libsvm, "-o", tmp_path / "m")
    assert told.startswith(f"largemargin: {SETTING} must be a whole number of bytes")


def test_an_absurd_index_is_refused_by_a_model_of_a_gram_matrix(
    good, refused, tmp_path, monkeypatch
):
    gram, model = tmp_path / "gram.libsvm", tmp_path / "m"
    gram.write_text("1 0:1 1:2 2:1\n-1 0:2 1:1 2:2\n")
    good("train", gram, "-t", "precomputed", "-o", model)
    monkeypatch.setenv(SETTING, str(LIMIT))
    told = refused("predict", model, "-", stdin="1 0:1 1:2 2147483646:1\n")
    assert "standard input: the Gram matrix as a dense matrix of shape" in told


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bomb.libsvm", b"1 1:1" + b"\n" * 2 * LIMIT),
        ("bomb.libsvm", b"1" * LIMIT),
        ("bomb.libsvm", b"1 1:1\n" * (LIMIT // 6)),
        ("bomb.csv", b"a,b\n" + b"\n" * 2 * LIMIT),
        ("bomb.csv", b"1" * LIMIT),
        ("bomb.csv", b"," * LIMIT),
        ("bomb.csv", b"1,2\n" * (LIMIT // 4)),
        ("bomb.npz", b"PK\x03\x04" + bytes(LIMIT)),
        ("bomb.parquet", b"PAR1" + bytes(LIMIT)),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:6]),
)
def test_a_packed_file_that_expands_enormously_is_refused(
    too_large, tmp_path, ending, name, text
):
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(PACKERS[ending](text))
    assert "expected at most" in too_large(path)


def npy_of(shape, dtype="<f8", data=b""):
    """Return an array in a file whose header declares any shape."""
    header = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, described)
    return header.getvalue() + data


def write_archive(path, members, packing=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("shape", [(10**9, 10**6), (2**62, 4), (3, 5)])
def test_an_array_declared_larger_than_its_file_is_refused(too_large, tmp_path, shape):
    path = tmp_path / "some.npz"
    write_archive(path, {"X.npy": npy_of(shape), "y.npy": npy_of((3,), data=bytes(24))})
    assert "some.npz: the header of X.npy declares shape" in too_large(path)


def test_an_archive_of_arrays_that_expands_enormously_is_refused(too_large, tmp_path):
    path = tmp_path / "bomb.npz"
    array = npy_of((LIMIT // 8, 1), data=bytes(LIMIT))
    write_archive(path, {"X.npy": array}, zipfile.ZIP_DEFLATED)
    assert "of packed data expand to 4 MB or more" in too_large(path)


def test_arrays_that_do_not_fit_are_refused(too_large, tmp_path):
    path = tmp_path / "some.npz"
    np.savez(path, X=np.random.default_rng(0).random((LIMIT // 16, 1)))
    assert "expected at most 4 MB. Split it" in too_large(path)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("shape", [(2**40, 2), (2**40, 2**40)])
def test_a_sparse_matrix_of_absurdly_many_rows_is_refused(too_large, tmp_path, shape):
    path = tmp_path / "some.npz"
    sp.save_npz(path, sp.coo_matrix(([1.0], ([0], [0])), shape=(2, 2)))
    with np.load(path) as arrays:
        np.savez(path, **{**arrays, "shape": np.array(shape)})
    assert "A sparse matrix of 1,099,511,627,776 rows" in too_large(path)


@pytest.mark.parametrize("shape", [np.array([1.5, 2.0]), np.array([2]), np.array([-1, 2])])
def test_a_sparse_matrix_without_a_shape_is_refused(refused, tmp_path, shape):
    path = tmp_path / "some.npz"
    sp.save_npz(path, sp.coo_matrix(([1.0], ([0], [0])), shape=(2, 2)))
    with np.load(path) as arrays:
        np.savez(path, **{**arrays, "shape": shape})
    assert "shape must hold two whole numbers" in refused(
        "train", path, "-o", tmp_path / "m"
    )


def test_a_table_of_absurdly_many_columns_is_refused(too_large, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{k}" for k in range(10_000)) + "\n")
    told = too_large(path)
    assert "The table, up to line 1, takes at least 5.3 MB of memory" in told
    assert "Leave out rows or columns" in told


def test_a_record_that_goes_on_over_many_lines_is_refused(too_large, tmp_path):
    path = tmp_path / "endless.csv"
    path.write_text('"a\n",' * 150_000)
    assert "The table, up to line" in too_large(path)


def test_a_table_without_names_is_refused_with_few_warnings(call, tmp_path):
    path = tmp_path / "nameless.csv"
    path.write_text("a" + "," * 2_000 + "\n" + "1" + ",2" * 2_000 + "\n")
    told = call("train", path, "-o", tmp_path / "m", "--header")
    assert told.code == 1
    assert told.err.count("has no name") == 10


def test_a_parquet_file_of_few_words_that_are_repeated_is_refused(too_large, tmp_path):
    path = tmp_path / "words.parquet"
    word = pd.Categorical(["x" * 100_000]).repeat(1000)
    pd.DataFrame({"a": word, "kind": np.arange(1000) % 2}).to_parquet(path)
    assert path.stat().st_size < 200_000
    assert "Column 'a' takes at least 100 MB of memory" in too_large(path)


def test_a_parquet_file_of_one_value_repeated_is_refused(too_large, tmp_path):
    path = tmp_path / "ones.parquet"
    pd.DataFrame({"a": np.ones(LIMIT // 8), "kind": 1}).to_parquet(path)
    assert path.stat().st_size < 100_000
    assert "The table takes at least 8 MB of memory" in too_large(path)


def test_a_table_whose_words_make_too_many_columns_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "words.csv"
    rows = [f"a{k % 300},b{k % 300},{k % 2}" for k in range(2000)]
    path.write_text("first,second,kind\n" + "\n".join(rows) + "\n")
    assert load_file(path).X.shape == (2000, 600)
    monkeypatch.setenv(SETTING, str(LIMIT))
    with pytest.raises(TooLarge, match=r"words.csv: The table with a column for each word"):
        load_file(path)


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("name", ["bomb.libsvm", "bomb.csv"])
def test_a_packed_file_of_the_user_that_expands_enormously_is_refused(
    tmp_path, monkeypatch, name, ending
):
    monkeypatch.setenv(SETTING, str(LIMIT))
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(PACKERS[ending](b"\n" * 2 * LIMIT))
    with pytest.raises(TooLarge, match=rf"{name}{ending}: .* expected at most 4 MB"):
        load_file(path)


def test_rows_that_are_narrow_but_too_many_are_not_made_dense(tmp_path, monkeypatch):
    path = tmp_path / "long.libsvm"
    path.write_text("1 100:1\n" + "-1\n" * 50_000)
    assert load_file(path).X.shape == (50_001, 100)
    monkeypatch.setenv(SETTING, str(LIMIT))
    with pytest.raises(TooLarge, match=r"dense matrix of shape \(50001, 100\)"):
        load_file(path)
