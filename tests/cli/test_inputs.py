"""The same rows in whatever file give the same predictions."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from largemargin import LDMClassifier
from largemargin.production.model_files import save
from largemargin.tables.opening import buffered
from largemargin.tables.reading import kind_of, read
from largemargin.tables.rows import MatrixRows
from largemargin.tables.schemas import learn_schema

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.fixture
def written(tmp_path, cells):
    """Write the cells in some form."""
    X, y = cells
    frame = pd.DataFrame(X, columns=list("abcde")).assign(label=y)

    def write(form):
        path = tmp_path / f"some.{form}"
        if form == "npz":
            np.savez(path, X=X, y=y)
        elif form == "sparse.npz":
            sp.save_npz(path, sp.csr_matrix(X))
            with np.load(path) as arrays:
                np.savez(path, y=y, **arrays)
        elif form == "parquet":
            frame.to_parquet(path)
        elif form == "tsv":
            frame.to_csv(path, sep="\t", index=False)
        elif form == "semicolon.csv":
            frame.to_csv(path, sep=";", index=False)
        elif form == "bare.csv":
            frame.to_csv(path, index=False, header=False)
        else:
            frame.to_csv(path, index=False)
        return path

    return write


FORMS = "npz", "sparse.npz", "parquet", "tsv", "csv", "semicolon.csv", "bare.csv"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_rows_and_labels(written, cells, form):
    X, y = cells
    rows = read(written(form))
    found, labels = learn_schema(rows).split(rows)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize("form", FORMS)
def test_a_model_of_libsvm_text_predicts_rows_of_every_form(
    good, model, libsvm, written, form
):
    expected = good("predict", model, libsvm)
    assert good("predict", model, written(form)) == expected


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("ending", ["", ".libsvm", ".data"])
def test_packed_text_is_known_by_its_beginning(good, model, libsvm, packing, ending):
    expected = good("predict", model, libsvm)
    packed = libsvm.with_name(f"packed{ending}")
    packed.write_bytes(PACKERS[packing](libsvm.read_bytes()))
    assert good("predict", model, packed) == expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_rows_come_from_standard_input(good, model, libsvm, table, table_model, pack):
    for kept, data in ((model, libsvm), (table_model, table)):
        expected = good("predict", kept, data)
        assert good("predict", kept, "-", stdin=pack(data.read_bytes())) == expected


def test_rows_come_from_a_named_pipe(good, model, libsvm, tmp_path):
    expected = good("predict", model, libsvm)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=[libsvm.read_bytes()])
    writer.start()
    assert good("predict", model, pipe) == expected
    writer.join()


@pytest.mark.parametrize(
    ("beginning", "kind"),
    [
        (b"-1 1:0.5 7:1e-3\n", "libsvm"),
        (b"# made by hand\n+1 qid:3 1:1 # first\n", "libsvm"),
        (b"2.5\n", "libsvm"),
        (b"a,b\n1,2\n", "csv"),
        (b"1,2\n", "csv"),
        (b"a\tb\n", "tsv"),
        (b"PAR1", "parquet"),
        (b"PK\x03\x04", "npz"),
    ],
)
def test_what_a_file_holds_is_told_by_its_beginning(beginning, kind):
    assert kind_of("rows.txt", beginning) == kind


@pytest.mark.parametrize(
    ("text", "options", "has_header"),
    [
        (b"a,b\n1,x\n", {}, True),
        (b"1,x\n2,y\n", {}, False),
        (b"u,x\nv,y\n", {"header": False}, False),
        (b"1,2\n3,x\n", {"header": True}, True),
    ],
)
def test_a_header_is_a_first_line_without_numbers(tmp_path, text, options, has_header):
    path = tmp_path / "some.csv"
    path.write_bytes(text)
    rows = read(path, **options)
    assert rows.has_header is has_header
    first, *_ = rows.columns.values()
    assert len(first) == text.count(b"\n") - has_header


def test_an_index_0_in_training_holds_for_rows_without_it(tmp_path):
    train, test = tmp_path / "train.libsvm", tmp_path / "test.libsvm"
    train.write_text("1 0:1 2:3\n-1 1:2\n")
    test.write_text("1 1:5\n")
    schema = learn_schema(read(train))
    assert schema.split(read(test))[0].tolist() == [[0.0, 5.0, 0.0]]


def test_wide_sparse_rows_stay_sparse(tmp_path):
    path = tmp_path / "wide.libsvm"
    path.write_text("1 1:1 900:3\n-1 7:2\n")
    rows = read(path)
    X, _ = learn_schema(rows).split(rows)
    assert sp.issparse(X)
    assert X.shape == (2, 900)


def test_labels_that_are_whole_numbers_become_integers():
    rows = MatrixRows("rows", np.eye(2), np.array([1.0, -1.0]), indexed=False)
    assert learn_schema(rows).split(rows)[1].dtype == np.int64


def test_npz_files_never_run_code(tmp_path, refused):
    path = tmp_path / "evil.npz"
    np.savez(path, X=np.array([[print]], dtype=object), y=np.ones(1))
    assert "allow_pickle" in refused("train", path, "-o", tmp_path / "m")


def test_blank_lines_and_quotes_do_not_shift_the_line_numbers(tmp_path, refused):
    path = tmp_path / "some.csv"
    path.write_text('a,b,c\n\n1,"x\ny",u\n\n2,x,v\n,x,u\n')
    told = refused("train", path, "-o", tmp_path / "m")
    assert "some.csv, line 7: column 'a' has no value" in told


def test_the_stream_is_read_whole_from_a_pipe_that_gives_little_at_a_time():
    class Trickle(io.BytesIO):
        def read1(self, size=-1):
            return super().read(1)

    assert buffered(io.BufferedReader(Trickle(b"1 1:2\n"))).peek() == b"1 1:2\n"


@pytest.mark.parametrize("n_features", range(8990, 9010, 3))
def test_a_line_longer_than_what_is_looked_at_is_told_by_its_beginning(n_features):
    values = (f"{k}:{k / 7:.4f}" for k in range(1, n_features))
    line = " ".join(["-1", *values]).encode()
    assert kind_of("-", line[: 1 << 16]) == "libsvm"


def test_a_mark_of_byte_order_does_no_harm_to_libsvm_text(tmp_path):
    path = tmp_path / "some.libsvm"
    path.write_bytes(b"\xef\xbb\xbf1 1:2\n-1 1:3\n")
    np.testing.assert_array_equal(read(path).y, [1, -1])


def test_one_array_is_not_an_archive_of_arrays(refused, tmp_path):
    path = tmp_path / "some.npy"
    np.save(path, np.eye(3))
    told = refused("train", path, "--format", "npz", "-o", tmp_path / "m")
    assert "some.npy is not an NPZ archive; expected X and y" in told


def test_labels_of_bytes_are_text(tmp_path):
    path = tmp_path / "some.npz"
    np.savez(path, X=np.eye(2), y=np.array([b"no", b"yes"]))
    rows = read(path)
    assert learn_schema(rows).split(rows)[1].tolist() == ["no", "yes"]


def test_labels_of_dates_are_refused(refused, tmp_path):
    path = tmp_path / "some.npz"
    np.savez(path, X=np.eye(2), y=np.array(["2014-08-24", "2014-08-25"], "datetime64[D]"))
    told = refused("train", path, "-o", tmp_path / "m")
    assert "y must hold numbers or strings; it holds datetime64" in told


def test_labels_that_are_measurements_are_not_needed_to_predict(good, model):
    told = good("predict", model, "-", stdin="0.1 1:1\n0.2 1:2\n0.7 5:1\n")
    assert len(told.out.split()) == 3
    assert told.err == ""


def test_accuracy_compares_numbers_however_they_are_spelled(good, tmp_path):
    data, model, some = (tmp_path / name for name in ("d.npz", "m", "s.npz"))
    X, y = np.arange(20.0)[:, None], np.repeat([0.0, 0.5], 10)
    np.savez(data, X=X, y=y)
    np.savez(some, X=X[:10], y=y[:10].astype(int))
    good("train", data, "-o", model, "-c", "1000")
    assert "100% (10/10)" in good("predict", model, some).err


def test_rows_of_a_gram_matrix_are_found_by_their_numbers(good, tmp_path, cells):
    X, y = cells
    gram = X @ X.T
    numbered = np.column_stack([np.arange(1, 101), gram])
    some = np.random.default_rng(0).permutation(100)[:70]
    data, model, new = (tmp_path / name for name in ("some", "m", "new"))
    dump_svmlight_file(numbered[some], y[some], str(data), zero_based=True)
    dump_svmlight_file(numbered, y, str(new), zero_based=True)
    good("train", data, "-o", model, "-t", "4")
    expected = LDMClassifier(kernel="precomputed").fit(gram[np.ix_(some, some)], y[some])
    told = good("predict", model, new, "--scores", "--json").record
    found = np.array(told["score"])
    np.testing.assert_allclose(
        found, expected.decision_function(gram[:, some]), rtol=1e-6, atol=1e-6
    )


def test_a_gram_matrix_of_six_digits_is_taken_with_a_warning(good, tmp_path, cells):
    X, y = cells
    data, model = tmp_path / "some", tmp_path / "m"
    lines = [
        f"{sign} 0:{k} " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row, 1))
        for k, (sign, row) in enumerate(zip(y, X @ X.T, strict=True), 1)
    ]
    data.write_text("\n".join(lines))
    told = good("train", data, "-o", model, "-t", "4", "-c", "1")
    assert "The negative part was cut off" in told.err
    expected = LDMClassifier(1.0, kernel="linear").fit(X, y).decision_function(X)
    found = good("predict", model, data, "--scores", "--json").record["score"]
    np.testing.assert_allclose(found, expected, atol=1e-2 * np.abs(expected).max())


@pytest.mark.parametrize("stream", ["<&-", ">&-"])
def test_a_closed_stream_is_told(model, stream):
    arguments = f"predict {model} - {stream}"
    told = subprocess.run(
        f"{sys.executable} -m largemargin.cli {arguments}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        input=None if stream == "<&-" else "1 1:1\n",
    )
    assert told.returncode == 1
    assert "closed" in told.stderr
    assert told.stderr.count("\n") == 1


def test_a_model_of_arrays_takes_text_whose_indices_start_at_one(good, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:20, 2] = 0  # so that the text tells of two features only
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    arrays, model = tmp_path / "some.npz", tmp_path / "m"
    np.savez(arrays, X=X, y=y)
    good("train", arrays, "-o", model)
    expected = good("predict", model, arrays).out.split()
    for n_rows in 20, 60:
        text = tmp_path / "some.libsvm"
        dump_svmlight_file(X[:n_rows], y[:n_rows], str(text), zero_based=False)
        assert good("predict", model, text).out.split() == expected[:n_rows]


@pytest.mark.parametrize(
    ("classes", "spelled"),
    [((False, True), ("False", "True")), ((7, 10), ("07", "10")), (("1", "x"), (1, "x"))],
)
def test_labels_are_compared_by_what_they_mean(good, tmp_path, classes, spelled):
    X = np.arange(20.0)[:, None]
    machine = LDMClassifier(1000).fit(X, np.array(classes)[(X[:, 0] > 9.5).astype(int)])
    model, data = tmp_path / "m", tmp_path / "some.csv"
    save(machine, model)
    data.write_text("".join(f"{k},{spelled[k > 9]}\n" for k in range(20)))
    assert "100% (20/20)" in good("predict", model, data).err
    assert good("evaluate", model, data, "--json").record["accuracy"] == 1


@pytest.mark.parametrize("options", [["--cv", "-t", "0"], ["-t", "0", "--probability"]])
def test_two_numbers_that_are_not_whole_are_classes_everywhere(good, tmp_path, options):
    data, model = tmp_path / "some.npz", tmp_path / "m"
    X = np.random.default_rng(0).normal(size=(40, 2))
    np.savez(data, X=X, y=np.where(X[:, 0] > 0, 0.7, 0.1))
    good("train", data, "-o", model, *options)
    assert good("evaluate", model, data, "--json").record["accuracy"] > 0.8
    assert set(good("predict", model, data).out.split()) == {"0.1", "0.7"}
    assert "Accuracy" in good("train", data, "-v", "3").out
    good("compare", data, "--methods", "mamc", "--folds", "2")
