"""Errors are reported in one sentence, and nothing is written."""

import errno
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from largemargin import model_files
from largemargin.production import files


@pytest.mark.parametrize("name", ["empty.csv", "empty.libsvm", "empty", "empty.npz"])
@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_is_refused(refused, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert f"{path} is empty" in refused("train", path, "-o", tmp_path / "m")


def test_empty_standard_input_is_refused(refused, tmp_path):
    assert "standard input is empty" in refused(
        "train", "-", "-o", tmp_path / "m", stdin=""
    )


def test_labels_alone_are_refused(refused, tmp_path):
    told = refused("train", "-", "-o", tmp_path / "m", stdin="1\n-1\n")
    assert "standard input has labels and no features" in told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda line: "x" + line, "its label is not a number"),
        (lambda line: line.replace(" 2:", " 2;"), "index"),
        (lambda line: line.replace(" 2:", " 1:"), "its indices do not rise"),
        (lambda line: line.replace(" 2:", " 2:nan "), "a value is not a number"),
    ],
)
def test_a_bad_line_of_libsvm_text_is_named(
    refused, libsvm, rewritten, tmp_path, change, words
):
    changed = rewritten(libsvm, 7, change)
    told = refused("train", changed, "-o", tmp_path / "m")
    assert f"{changed}, line 7: " in told
    assert words in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 9:1\n", "has 9 features; the model was trained on 5"),
        ("1 0:1\n", "has the index 0"),
        ("1,2,3\n4,5,6\n", "has 3 features; the model was trained on 5"),
    ],
)
def test_rows_of_another_width_are_refused(refused, model, text, words):
    assert words in refused("predict", model, "-", stdin=text)


def test_table_rows_of_another_width_are_refused(refused, table_model):
    told = refused("predict", table_model, "-", "--no-header", stdin="1,2,3\n")
    assert "standard input has 3 features; the model was trained on 5" in told


def test_rows_without_columns_are_refused_by_a_model_of_a_table(
    refused, table_model, libsvm
):
    assert "has no named columns" in refused("predict", table_model, libsvm)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": np.eye(2)}, "has no labels"),
        ({"X": np.eye(2), "y": np.arange(3)}, "a label for each of the 2 rows"),
        ({"X": np.ones(2), "y": np.arange(2)}, "X must be a matrix"),
        ({"rows": np.eye(2)}, "holds the arrays rows; expected X"),
        (
            {"X": np.array([[1.0], [np.nan]]), "y": np.arange(2)},
            "row 2: column 0 holds nan",
        ),
        ({"X": np.eye(2), "y": np.array([1.0, np.nan])}, "row 2: its label is nan"),
    ],
)
def test_arrays_that_are_no_rows_are_refused(refused, tmp_path, arrays, words):
    path = tmp_path / "some.npz"
    np.savez(path, **arrays)
    assert words in refused("train", path, "-o", tmp_path / "m")


def test_sparse_arrays_with_infinite_values_are_refused(refused, tmp_path):
    path = tmp_path / "some.npz"
    X = sp.csr_matrix(np.array([[0.0, 1.0], [0.0, np.inf]]))
    sp.save_npz(path, X)
    told = refused("train", path, "-o", tmp_path / "m", "--missing", "impute")
    assert "some.npz, row 2: column 1 holds inf" in told


def test_a_missing_file_is_refused(refused, tmp_path):
    told = refused("train", tmp_path / "nowhere.csv", "-o", tmp_path / "m")
    assert told == f"largemargin: {tmp_path / 'nowhere.csv'}: No such file or directory.\n"


def test_a_directory_is_refused(refused, tmp_path):
    assert "Is a directory" in refused("train", tmp_path, "-o", tmp_path / "m")


def test_a_packed_file_cut_short_is_refused(refused, libsvm, tmp_path):
    cut = tmp_path / "cut.libsvm.gz"
    cut.write_bytes(gzip.compress(libsvm.read_bytes())[:-50])
    assert "cut.libsvm.gz cannot be read" in refused("train", cut, "-o", tmp_path / "m")


def test_text_that_is_not_utf_8_is_refused(refused, tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes("größe,klasse\n1,a\n2,b\n".encode("latin-1"))
    assert "is not UTF-8 text" in refused("train", path, "-o", tmp_path / "m")


def test_a_file_that_is_no_model_is_refused(refused, libsvm):
    assert "is not a model file" in refused("predict", libsvm, libsvm)


def test_probabilities_of_a_model_without_them_are_refused(refused, model, libsvm):
    assert "train it with --probability" in refused("predict", model, libsvm, "-b", "1")


def test_labels_are_asked_for_where_they_are_needed(
    refused, table_model, flowers, tmp_path
):
    bare = tmp_path / "bare.csv"
    flowers.drop(columns="species").to_csv(bare, index=False)
    assert "name their column with --label" in refused("evaluate", table_model, bare)


def test_labels_that_the_model_does_not_know_are_refused(refused, model):
    told = refused("evaluate", model, "-", stdin="1 1:1\n7 1:2\n")
    assert "has the labels 7; the model knows -1, 1" in told


@pytest.mark.parametrize("output", ["nowhere/m", ".", "/dev/null"])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    refused, tmp_path, output
):
    # The data are not even looked for.
    assert f"{tmp_path / output}: " in refused("train", "nowhere", "-o", tmp_path / output)


@pytest.fixture
def full_disk(monkeypatch):
    """Let the disk be full when a file is put into its place."""

    def fail(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", fail)


def test_a_full_disk_leaves_no_half_written_model(refused, full_disk, libsvm, tmp_path):
    kept = tmp_path / "kept.model"
    kept.write_text("as before")
    told = refused("train", libsvm, "-o", kept, "-t", "0")
    assert told == f"largemargin: {kept}: No space left on device.\n"
    assert kept.read_text() == "as before"
    assert sorted(tmp_path.iterdir()) == sorted([libsvm, kept])


def test_a_full_disk_leaves_no_half_written_labels(
    refused, model, libsvm, tmp_path, monkeypatch, full_disk
):
    told = refused("predict", model, libsvm, "-o", tmp_path / "labels.txt")
    assert f"{tmp_path / 'labels.txt'}: No space left on device" in told
    assert sorted(tmp_path.iterdir()) == sorted([libsvm, model])


def test_labels_may_go_to_a_device(good, model, libsvm):
    good("predict", model, libsvm, "-o", "/dev/null")
    assert Path("/dev/null").is_char_device()


def test_too_little_memory_is_told(refused, libsvm, tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise MemoryError("Unable to allocate 8.00 TiB")

    monkeypatch.setattr(model_files, "save", fail)
    told = refused("train", libsvm, "-o", tmp_path / "m", "-t", "0")
    assert "not enough memory: Unable to allocate 8.00 TiB" in told
