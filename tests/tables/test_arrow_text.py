"""Pyarrow and the csv module give the same rows, lines, warnings and errors."""

import gzip
import io
import lzma
import random
import tracemalloc
import warnings
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from largemargin.numerics.memory import SETTING, TooLarge
from largemargin.tables import UnreadableFile, arrow_text, load_file
from largemargin.tables.arrow_text import ArrowColumn
from largemargin.tables.columns import TextColumn
from largemargin.tables.opening import buffered
from largemargin.tables.reading import read
from largemargin.tables.schemas import learn_schema
from largemargin.tables.text import read_text

# Cells that might be read in two ways.
CELLS = """
    0 1 2 007 1.0 1 -0 +5 .5 5. 1e5 1E-5 1e400 1e-400 2e308 5e-324 1_000 0x10 1d5 1e 1,5 - .
    inf -inf Infinity nan NaN nan(1) NAN(ind) na NA n/a N/A #N/A null Null NULL none None ?
    true False 2014-08-24 12:30 9007199254740993 123456789012345678901234567890 a'b #x //
    0.1000000000000000055511151231257827 1.7976931348623157e308 179769313486231580793e289
    red blue größe \u0663 \uff11 x\u00a0y \U0001f600 abc\\ndef
""".split()  # noqa: SIM905
BLANKS = [
    "",
    " ",
    "  ",
    "\t",
    "\u00a0",
    "\u2003",
    "\x1c",
    "\x0b",
    "\ufeff",
    "\x85",
    "\u2028",
]


def outcome(content, separator, header, *, by_arrow):
    """Return the rows, with all their cells, or the error, and the warnings."""
    stream = buffered(io.BytesIO(content))
    with (
        warnings.catch_warnings(record=True) as told,
        pytest.MonkeyPatch.context() as patch,
    ):
        warnings.simplefilter("always")
        if not by_arrow:
            patch.setattr(arrow_text, "find_spec", lambda name: None)
        patch.setattr(arrow_text, "MIN_BYTES", 0)
        patch.setattr(arrow_text, "MIN_ROWS", 0)
        try:
            rows = read_text(stream, "some.csv", separator=separator, header=header)
        except ValueError as error:
            return type(error), str(error), [str(one.message) for one in told]
    columns = [
        (name, column.text.tolist(), column.cells.tolist(), bits(column.numbers))
        for name, column in rows.columns.items()
    ]
    kinds = {type(column) for column in rows.columns.values()}
    found = (
        columns,
        rows.lines.tolist(),
        rows.has_header,
        [str(one.message) for one in told],
    )
    return found, kinds


def bits(numbers):
    """Return floats bit by bit, every NaN the same."""
    if numbers is None:
        return None
    assert numbers.dtype == np.float64
    return np.where(np.isnan(numbers), np.nan, numbers).view(np.int64).tolist()


def assert_same(content, separator=None, header=None):
    """Assert that both readers agree; return by which the fast one was read."""
    expected = outcome(content, separator, header, by_arrow=False)
    found = outcome(content, separator, header, by_arrow=True)
    if len(expected) == 3:
        assert found == expected
        return None
    assert found[0] == expected[0]
    assert expected[1] == {TextColumn}
    return found[1].pop()


@st.composite
def tables(draw):
    """Draw the bytes of a table, mostly a good one."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    odd = draw(st.sampled_from([0.0, 0.0, 0.02, 0.2]))
    separator = rng.choice(",,,;\t")
    width = rng.choice([1, 2, 3, 3, 5])
    pools = [rng.sample(CELLS, rng.choice([1, 2, 5])) for _ in range(width)]
    for pool in pools:
        if rng.random() < 0.5:
            pool[:] = [repr(rng.gauss(0, 10 ** rng.uniform(-5, 5))) for _ in range(5)]
        if rng.random() < 0.2:
            pool.append(rng.choice(["", "NA", "?", "nan"]))
    quoting = rng.choice([0.0, 0.0, 0.3, 1.0])

    def cell(pool):
        text = rng.choice(CELLS if rng.random() < odd else pool)
        if rng.random() < odd:
            text = rng.choice(BLANKS) + text + rng.choice(BLANKS)
        if rng.random() < quoting:
            text = f'"{text}"'
        if rng.random() < odd / 5:
            text += rng.choice(['"', '""', '"a"', "\n", "\r", "\0", separator, '"x\ny"'])
        return text

    n_rows = rng.choice([0, 1, 2, 3, 10, 40])
    lines = [separator.join(map(cell, pools)) for _ in range(n_rows)]
    if rng.random() < 0.7:
        lines.insert(0, separator.join("abcdefg"[:width]))
    for _ in range(rng.choice([0, 0, 1, 3])):
        lines.insert(rng.randint(0, len(lines)), rng.choice(["", "", "  ", '""']))
    ending = rng.choice(["\n", "\n", "\r\n", "\r"])
    content = ending.join(lines) + rng.choice(["", ending])
    content = content.encode(rng.choice(["utf-8"] * 9 + ["utf-16" if odd else "utf-8"]))
    if rng.random() < odd:
        place = rng.randint(0, len(content))
        content = (
            content[:place] + rng.choice([b"\xff", b"\xc3", b'"', b","]) + content[place:]
        )
    given_separator = rng.choice([None, separator])
    return content, given_separator, rng.choice([None, None, True, False])


@settings(max_examples=500, deadline=None)
@given(tables())
def test_both_readers_agree_on_whatever_they_are_given(table):
    assert_same(*table)


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False))
@example(5e-324)
def test_numbers_are_the_same_to_the_last_bit(number):
    spellings = repr(number), f"{number:.3g}", f"{number:.17e}", f"{number:+.25g}"
    content = "a,b\n" + "".join(f"{text},x\n" for text in spellings)
    assert assert_same(content.encode()) is ArrowColumn


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=8), min_size=2, max_size=20))
def test_words_are_the_same_letter_by_letter(words):
    cells = [word.replace('"', "").replace("\n", "").replace("\r", "") for word in words]
    content = "a,b\n" + "".join(f'"{cell}",1\n' for cell in cells)
    try:
        assert_same(content.encode())
    except UnicodeEncodeError:  # half of a pair
        return


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,x\n2,y\n",
        "1,2\r\n\r\n3,4\r\n",
        '"a","b, if any"\n"1","x"\n"",NA\n',
        " a , b\n 1,x \n2, y\n",
        "a;b\n1,5;x\n2,5;y\n",
        "a\tb\n1\t\n\t2",
        "\n\na,b\n\n1,2\n",
        ",a,b\n0,1,2\n1,3,4\n",
        "größe,b\n1,ü\n2,\u00a0\n",
        "a,b\n1_000,nan(1)\ninf,2\n",
    ],
)
def test_plain_tables_are_left_to_pyarrow(text):
    assert assert_same(text.encode()) is ArrowColumn


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,"x\ny"\n2,z\n',
        'a,b\n1,x "y" z\n2,z\n',
        'a,b\n1,"x ""y"""\n2,z\n',
        'a,b\n1, "x"\n2,z\n',
        "a,b\r1,2\r",
        "a,b\n1,x\0\n",
        "\ufeffa,b\n1,2\n",
        "a\n1\n\n2\n",
        "a,b\n1,2\n   \n3,4\n",
        f"a,b\n1,{'x' * 100_000}\n2,y\n".replace("x", "xx"),
    ],
)
def test_what_is_in_doubt_is_left_to_the_csv_module(text):
    assert assert_same(text.encode()) is not ArrowColumn


def test_a_wide_table_whose_lines_are_longer_than_a_cell_may_be_is_left_to_pyarrow():
    line = ",".join(f"{k / 7:.6f}" for k in range(30_000))
    assert assert_same(f"{line}\n{line}\n".encode(), header=False) is ArrowColumn


def test_a_large_table_with_few_rows_is_left_to_the_csv_module():
    line = ",".join(f"{k / 7:.6f}" for k in range(30_000))
    rows = read_text(buffered(io.BytesIO(f"{line}\n".encode() * 10)), "some.csv")
    assert type(rows.columns["0"]) is TextColumn


@pytest.fixture(scope="module")
def large():
    """Lines of a table large enough for pyarrow: the header, a blank one, and rows."""
    rng = np.random.default_rng(0)
    rows = [
        f"{a!r},{b:.3f},{'xy'[k % 2]}"
        for k, (a, b) in enumerate(rng.random((99_000, 2)).tolist())
    ]
    return ["a,b,kind", "", *rows]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize("given", ["file", "standard input"])
def test_large_files_are_left_to_pyarrow(large, tmp_path, monkeypatch, pack, given):
    content = pack("\n".join(large).encode())
    path = tmp_path / "large.csv"
    if given == "file":
        path.write_bytes(content)
    else:
        path = "-"
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    rows = read(path, kind="csv")
    assert {type(column) for column in rows.columns.values()} == {ArrowColumn}
    X, y = learn_schema(rows).split(rows)
    expected = [line.split(",") for line in large[2:]]
    np.testing.assert_array_equal(X, [[float(a), float(b)] for a, b, _ in expected])
    assert y.tolist() == [kind for *_, kind in expected]


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ("1,2", "line 90003: expected 3 cells as in line 1; got 2"),
        ("1,NA,x", "line 90003: column 'b' has no value"),
        ("1,inf,x", "line 90003: column 'b' has the value inf"),
        ("1,two,x", "line 90003: column 'b' mixes numbers and words; here it has 'two'"),
        ("1,2,", "line 90003: no label in column 'kind'"),
        ('1,2,"x', "line 90003: field larger than field limit"),
        ("1,2,\udcff", "is not UTF-8 text, somewhere after line"),
    ],
)
def test_the_line_is_named_in_large_files(large, tmp_path, cells, complaint):
    path = tmp_path / "large.csv"
    lines = [*large[:90_002], cells, *large[90_002:]]
    path.write_bytes("\n".join(lines).encode(errors="surrogateescape"))
    with pytest.raises(UnreadableFile, match=f"large.csv.*{complaint}"):
        load_file(path)


def test_bytes_read_before_an_error_are_judged_first():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            found = super().read(size)
            if not found:
                raise EOFError("cut off")
            return found

    for content, complaint in ((b"a,b\n1,2\n3\n", "line 3"), (b"a,b\n1,2\n", "cut off")):
        with pytest.raises((ValueError, EOFError), match=complaint):
            read_text(buffered(Broken(content)), "some.csv")


@pytest.mark.parametrize("limit", [500, 1_000, 2_000, 4_000, 6_000, 20_000, 10**6])
def test_a_table_that_does_not_fit_is_refused_at_the_same_line(monkeypatch, limit):
    monkeypatch.setenv(SETTING, str(limit))
    for content in (b"a,b\n" + b"1,2\n" * 50, b"a,b\n" + b"\n" * 100, b"a,b\n1,2\n"):
        assert_same(content)
    assert_same(b"a,b\n1," + b"x" * 100)


@pytest.mark.parametrize("content", [b"\n" * 900_000, (b'"' * 899 + b"\n") * 1000])
def test_marks_in_great_number_take_no_more_memory_than_allowed(monkeypatch, content):
    monkeypatch.setenv(SETTING, "3000000")
    monkeypatch.setattr(arrow_text, "MIN_BYTES", 0)
    tracemalloc.start()
    with suppress(TooLarge):
        read_text(buffered(io.BytesIO(content)), "some.csv")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000


def test_without_pyarrow_the_csv_module_reads_everything(monkeypatch):
    monkeypatch.setattr(arrow_text, "find_spec", lambda name: None)
    monkeypatch.setattr(arrow_text, "MIN_BYTES", 0)
    rows = read_text(buffered(io.BytesIO(b"a,b\n1,2\n")), "some.csv")
    assert rows.columns["a"].numbers.tolist() == [1.0]
    assert type(rows.columns["a"]) is TextColumn
