"""Files of the user, good and bad."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import dump_svmlight_file

from largemargin import tables as datasets

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, "": bytes}
TABLE = "size,colour,sold\n1,red,no\n2.5,blue,yes\n-3,green,yes\n"


@pytest.fixture
def write(tmp_path):
    """Write a file; return its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("kind", [".libsvm", ".svm", ".svmlight", ".TXT"])
def test_libsvm_files_are_read_packed_or_not(write, kind, ending):
    rows = PACKERS[ending](b"3 1:1 2:2\n7 2:4\n")
    data = datasets.load_file(write(f"mine{kind}{ending}", rows))
    assert_array_equal(data.X, [[1, 2], [0, 4]])
    assert_array_equal(data.y, [-1, 1])
    assert (data.name, data.entry) == ("mine", None)
    assert data.source == f"file mine{kind}{ending}; 7 is +1, 3 is -1"


@pytest.mark.parametrize("ending", PACKERS)
def test_tables_are_read_packed_or_not(write, ending):
    data = datasets.load_file(write(f"mine.csv{ending}", PACKERS[ending](TABLE.encode())))
    assert_array_equal(data.X, [[1, 0, 0, 1], [2.5, 1, 0, 0], [-3, 0, 1, 0]])
    assert_array_equal(data.y, [-1, 1, 1])
    assert data.source == f"file mine.csv{ending}; yes is +1, no is -1"


@pytest.mark.parametrize("label", ["kind", 0, -3, "0", "-3"])
def test_the_label_is_chosen_by_name_or_number(write, label):
    path = write("mine.csv", "kind,a,b\nx,1,2\ny,3,4\n")
    data = datasets.load_file(path, label=label)
    assert_array_equal(data.X, [[1, 2], [3, 4]])
    assert_array_equal(data.y, [-1, 1])


def test_a_label_that_is_a_name_and_a_number_is_the_name(write):
    path = write("mine.csv", "a,b,0\n1,2,x\n3,4,y\n")
    assert_array_equal(datasets.load_file(path, label="0").X, [[1, 2], [3, 4]])


@pytest.mark.parametrize("label", ["none", 3, "3", -4, 1.5, "--1", "²"])
def test_a_label_that_is_no_column_lists_the_columns(write, label):
    path = write("mine.csv", "size,age,sold\n1,1,no\n2,2,yes\n")
    with pytest.raises(
        ValueError, match=r"no column .* for the labels.* 'size', 'age', 'sold'"
    ):
        datasets.load_file(path, label=label)


def test_a_name_can_be_given(write):
    assert datasets.load_file(write("mine.csv", TABLE), name="houses").name == "houses"


def test_the_name_is_that_of_the_file_without_its_endings(write):
    path = write("houses.2014.CSV.gz", gzip.compress(TABLE.encode()))
    assert datasets.load_file(path).name == "houses.2014"


def test_labels_that_are_numbers_are_ordered_and_spelled_as_numbers(write):
    data = datasets.load_file(write("mine.csv", "a,class\n1,10\n2,9\n3,9.0\n"))
    assert_array_equal(data.y, [1, -1, -1])


def test_signs_that_mean_missing_elsewhere_may_be_words_and_labels(write):
    data = datasets.load_file(write("mine.csv", "a,class\nnone,+\nsome,-\n.,-\n"))
    assert_array_equal(data.X, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert_array_equal(data.y, [-1, 1, 1])


def test_words_may_hold_any_character(write):
    data = datasets.load_file(write("mine.csv", 'a,class\n"x|y, z",0\nü,1\nw,1\n'))
    assert_array_equal(data.X, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize(
    "content",
    [
        "a;class\n1;x\n2;y\n",
        "a\tclass\n1\tx\n2\ty\n",
        " a , class\n 1,x \n2, y\n",
        "0,1,2,class\n1,0,0,x\n2,0,0,y\n",
        "2014,2015,class\n1,0,5\n2,0,6\n",
    ],
)
def test_separators_blanks_and_numbers_as_names_do_no_harm(write, content):
    data = datasets.load_file(write("mine.csv", content))
    assert_array_equal(data.X[:, 0], [1, 2])
    assert_array_equal(data.y, [-1, 1])


def test_a_column_without_a_name_is_left_out(write):
    path = write("mine.csv", ",a,class\n0,1,x\n1,2,y\n")
    with pytest.warns(UserWarning, match=r"mine.csv: column 0 has no name"):
        assert_array_equal(datasets.load_file(path).X, [[1], [2]])


def test_a_mark_of_byte_order_and_empty_lines_do_no_harm(write):
    path = write("mine.csv", "\ufeffa,class\r\n\r\n1,0\r\n2,1\r\n\r\n")
    assert_array_equal(datasets.load_file(path, label="class").X, [[1], [2]])


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("a,class\n1,x\n2,x\n", "found 1: x"),
        ("a,class\n1,x\n2,y\n3,z\n", "found 3: x, y, z"),
        (
            "a,class\n1,x\n,y\n",
            r"line 3: column 'a' has no value\. Fill it in or leave the row out\.$",
        ),
        ("a,class\n1,x\nNA,y\n", "line 3: column 'a' has no value"),
        ("a,class\n1,x\n2,?\n", "line 3: no label in column 'class'"),
        ("a,class\nred,x\nNull,y\n", "line 3: column 'a' has no value"),
        ("a,class\nred,x\n#N/A,y\n", "line 3: column 'a' has no value"),
        (
            "a,class\n1,x\n-,y\n3,x\n",
            "line 3: column 'a' mixes numbers and words; here it has '-'.* argument drop",
        ),
        ("a,class\nb,x\nc,y\n3,x\n", "line 4: .* mixes numbers and words; .* has '3'"),
        ("a,class\n1,x\ninf,y\n", "line 3: column 'a' has the value inf"),
        ("a,class\n1,0\n2,inf\n", "line 3: its label is inf"),
        ("a,class\n1,.1\n2,.2\n3,.3\n", "not whole; .* labels by the argument label"),
        ("a,class\n1,x\n2\n", "line 3: expected 2 cells as in line 1; got 1"),
        ("a,a,class\n1,2,x\n2,3,y\n", "more than one column 'a'"),
        ("a \n1\n2\n", "no column beside the labels in 'a'"),
        ("a,class\n", "has a header and no rows"),
        ("", "is empty"),
        (
            "a,class\n" + "".join(f"w{i},{i % 2}\n" for i in range(1001)),
            "1001 different words",
        ),
        (b"a,class\n\xff\xfe,x\n", "not UTF-8 text"),
    ],
)
def test_a_bad_table_is_refused_with_the_reason(write, content, complaint):
    with pytest.raises(datasets.UnreadableFile, match=f"(?s)mine.csv.*{complaint}"):
        datasets.load_file(write("mine.csv", content))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("1 1:1\n2 1:1\n3 1:1\n", "found 3: 1, 2, 3"),
        ("1 1:1\n", "found 1: 1"),
        ("spam 1:1\nham 1:2\n", "line 1: its label is not a number"),
        ("1 1:x\n0 1:2\n", "line 1: a value is not a number"),
        ("1 1:nan\n0 1:2\n", "line 1: a value is not a number"),
        ("1 99999999999:1\n0 1:2\n", "line 1: an index is above"),
        ("nan 1:1\n1 1:2\n", "line 1: its label is not a number"),
        ("inf 1:1\n1 1:2\n", "line 1: its label is not a number"),
        ("1 2:1 1:1\n0 1:2\n", "line 1: its indices do not rise"),
        ("", "mine.libsvm"),
    ],
)
def test_bad_libsvm_rows_are_refused_with_the_reason(write, content, complaint):
    with pytest.raises(datasets.UnreadableFile, match=complaint):
        datasets.load_file(write("mine.libsvm", content))


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("kind", [".csv", ".svm"])
def test_a_broken_archive_is_named(write, kind, ending):
    content = ("1 1:2\n-1 1:3\n" if kind == ".svm" else TABLE).encode() * 50
    name = f"mine{kind}{ending}"
    with pytest.raises(datasets.UnreadableFile, match=name):
        datasets.load_file(write(name, PACKERS[ending](content)[:-30]))


def test_a_file_that_is_not_there_keeps_its_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        datasets.load_file(tmp_path / "none.csv")


def test_a_directory_keeps_its_usual_error(tmp_path):
    (tmp_path / "mine.svm").mkdir()
    with pytest.raises(IsADirectoryError):
        datasets.load_file(tmp_path / "mine.svm")


@pytest.mark.parametrize("name", ["mine.xlsx", "mine", "mine.gz"])
def test_an_unknown_ending_lists_the_known_ones(write, name):
    with pytest.raises(
        ValueError, match=r"one of \.csv, \.tsv, \.libsvm, \.svm, \.svmlight, \.txt"
    ):
        datasets.load_file(write(name, TABLE))


def test_a_label_for_a_libsvm_file_is_refused(write):
    with pytest.raises(ValueError, match="leave the argument label out"):
        datasets.load_file(write("mine.svm", "1 1:2\n-1 1:3\n"), label="class")


def test_a_refused_file_is_left_as_it_was(write):
    path = write("mine.csv", "a,class\n1,x\n2,x\n")
    with pytest.raises(datasets.UnreadableFile):
        datasets.load_file(path)
    assert path.read_text() == "a,class\n1,x\n2,x\n"


def test_a_table_without_a_header_has_columns_with_numbers(write):
    path = write("mine.csv", "red,5.1,yes\nblue,4.9,no\nred,5.0,yes\n")
    data = datasets.load_file(path, drop=["1"])
    assert_array_equal(data.X, [[1], [0], [1]])
    assert_array_equal(data.y, [1, -1, 1])


def test_labels_that_are_not_whole_are_ordered_as_numbers(write):
    data = datasets.load_file(write("mine.csv", "a,class\n1,10.5\n2,9.5\n"))
    assert_array_equal(data.y, [1, -1])


def test_codes_that_spell_one_number_have_a_fixed_order(write):
    path = write("mine.csv", "a,class\n1,2\n2,02\n3,2\n")
    assert datasets.load_file(path).source == "file mine.csv; 2 is +1, 02 is -1"


@pytest.mark.parametrize(("n_features", "is_sparse"), [(100, False), (101, True)])
def test_up_to_a_hundred_features_are_dense(write, n_features, is_sparse):
    data = datasets.load_file(write("mine.svm", f"1 1:1\n2 {n_features}:1\n"))
    assert data.X.shape == (2, n_features)
    assert sp.issparse(data.X) == is_sparse


def test_arrays_are_read_too(tmp_path):
    np.savez(tmp_path / "mine.npz", X=np.eye(2), y=[3, 7])
    data = datasets.load_file(tmp_path / "mine.npz")
    assert_array_equal(data.X, np.eye(2))
    assert data.source == "file mine.npz; 7 is +1, 3 is -1"


def test_parquet_files_are_read_too(tmp_path):
    frame = pd.DataFrame({"a": ["u", "v", "w"], "kind": ["p", "q", "p"]})
    frame.to_parquet(tmp_path / "mine.parquet")
    data = datasets.load_file(tmp_path / "mine.parquet")
    assert_array_equal(data.X, np.eye(3))


@given(st.integers(0, 2**32 - 1))
def test_written_rows_are_read_back(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    filled = sp.random_array((6, 299), density=0.05, rng=rng)
    X = sp.hstack([filled, np.ones((6, 1))], format="csr")
    y = np.array([-1, 1, 1, -1, 1, -1])
    path = tmp_path_factory.mktemp("rows") / "mine.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    data = datasets.load_file(path)
    np.testing.assert_allclose(data.X.toarray(), X.toarray(), rtol=1e-15)
    assert_array_equal(data.y, y)
