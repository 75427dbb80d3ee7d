import io

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from largemargin.tables.libsvm import LibsvmError, blocks_of, read_rows


def read(text, *arguments, **options):
    X, labels = read_rows(io.BytesIO(text), *arguments, **options)
    return X.toarray(), labels


@given(st.floats(-1e300, 1e300))
def test_numbers_are_what_float_makes_of_them(number):
    spellings = repr(number), f"{number:.3g}", f"{number:.17e}", f"{number:+.25g}"
    lines = "".join(f"{text} 1:{text}\n" for text in spellings)
    X, labels = read(lines.encode())
    expected = [float(text) for text in spellings]
    assert_array_equal(labels, expected)
    assert_array_equal(X[:, 0], expected)


@pytest.mark.parametrize(
    "text", ["5", "+5", "5.", ".5", "-.5", "05.50", "1e3", "1E-3", "2e+1"]
)
def test_every_spelling_of_a_number_is_read(text):
    assert_array_equal(read(f"1 1:{text}\n".encode())[0], [[float(text)]])


def test_rows_equal_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = sp.random(
        300, 40, 0.2, format="csr", random_state=rng, data_rvs=lambda n: rng.normal(size=n)
    )
    stream = io.BytesIO()
    dump_svmlight_file(X, rng.normal(size=300), stream, zero_based=False)
    theirs, their_labels = load_svmlight_file(io.BytesIO(stream.getvalue()))
    ours, labels = read_rows(io.BytesIO(stream.getvalue()))
    assert_array_equal(labels, their_labels)
    assert_array_equal(ours.toarray(), theirs.toarray())
    assert ours.indices.dtype == ours.indptr.dtype == np.int32


@pytest.mark.parametrize("block_bytes", [1, 7, 30, 10_000])
def test_blocks_of_any_size_give_the_same_rows(block_bytes):
    text = b"1 1:0.5 3:2\n\n-1 2:1e-3\n1\n-1 1:7"
    blocks = list(blocks_of(io.BytesIO(text), block_bytes))
    assert_array_equal(np.concatenate([block.labels for block in blocks]), [1, -1, 1, -1])
    data = np.concatenate([block.data for block in blocks])
    assert_array_equal(data, [0.5, 2, 1e-3, 7])


def test_comments_query_numbers_tabs_and_windows_ends_are_understood():
    text = b"# a comment\n1 qid:3 1:2\t3:4 # more\r\n-1 2:5\r\n"
    X, labels = read(text)
    assert_array_equal(X, [[2, 0, 4], [0, 5, 0]])
    assert_array_equal(labels, [1, -1])


def test_an_index_of_zero_makes_all_indices_start_there():
    assert_array_equal(read(b"1 0:3 2:4\n")[0], [[3, 0, 4]])
    assert_array_equal(read(b"1 1:3\n", zero_based=True)[0], [[0, 3]])
    with pytest.raises(LibsvmError, match="start at 1"):
        read(b"1 0:3\n", zero_based=False)


def test_empty_columns_at_the_end_are_kept_if_asked_for():
    assert read(b"1 2:1\n", 5)[0].shape == (1, 5)
    with pytest.raises(LibsvmError, match="2 columns; expected 1"):
        read(b"1 2:1\n", 1)


def test_no_text_is_no_rows():
    assert read(b"")[0].shape == (0, 0)
    assert read(b"\n# nothing\n", 3)[0].shape == (0, 3)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"one 1:2", "label"),
        (b"1 a:2", "index"),
        (b"1 2", "index"),
        (b"1 -1:2", "index"),
        (b"1 1:x", "value"),
        (b"1 1:", "value"),
        (b"1 1:2e", "value"),
        (b"1 1:2:3", "value"),
        (b"1 1:nan", "value"),
        (b"1 3:1 2:1", "rise"),
        (b"1 2:1 2:1", "rise"),
        (b"1 99999999999:1", "above"),
        (b"1 1:1e999", "too large"),
        (b"1,5,3", "label"),
        (b"\x00\xff", "label"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, complaint):
    text = b"1 1:2\n\n# comment\n" + line + b"\n1 1:2\n"
    for block_bytes in 5, 10_000:
        with pytest.raises(LibsvmError, match=f"Line 4: .*{complaint}"):
            list(blocks_of(io.BytesIO(text), block_bytes))


@given(st.binary(max_size=200))
def test_no_bytes_whatever_crash_the_reader(text):
    try:
        X, labels = read_rows(io.BytesIO(text))
    except LibsvmError:
        return
    assert X.shape[0] == len(labels)
    assert np.isfinite(X.data).all()
