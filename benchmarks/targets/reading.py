"""Target 12: LIBSVM text against scikit-learn's reader, CSV against the csv module."""

import io
import lzma
from functools import partial
from unittest.mock import patch

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from benchmarks.datasets.files import data_file
from benchmarks.targets.base import Target, at_least, column, reported
from largemargin.tables import arrow_text
from largemargin.tables.libsvm import read_rows
from largemargin.tables.opening import buffered
from largemargin.tables.schemas import learn_schema
from largemargin.tables.text import read_text

# Generated rows take long to write; real files are there as text.
MAX_WRITTEN = 20_000
CLAIMED_SET = "covtype"
CSV_SETS = "CSV", "CSV with words", "CSV with missing values"
CSV_SHAPE = 100_000, 22


def csv_of(name):
    """Return a table of numbers and labels as CSV, some cells of it words or missing."""
    rng = np.random.default_rng(0)
    rows = [[f"{value:.6g}" for value in row] for row in rng.normal(size=CSV_SHAPE)]
    for k, row in enumerate(rows):
        if name == "CSV with words":
            row[0] = ("red", "green", "blue")[k % 3]
        elif name == "CSV with missing values":
            row[k % 50 % len(row)] = ("", "NA", "?")[k % 3]
        row.append(str(k % 2))
    names = [f"c{k}" for k in range(len(rows[0]))]
    return "\n".join(map(",".join, [names, *rows])).encode()


def read_csv(text):
    """Return the features and labels of CSV."""
    rows = read_text(buffered(io.BytesIO(text)), "table")
    return learn_schema(rows, missing="impute").split(rows)


def read_csv_without_pyarrow(text):
    """Return the features and labels of CSV as the csv module reads it."""
    with patch.object(arrow_text, "find_spec", lambda name: None):
        return read_csv(text)


def are_equal(ours, theirs):
    """Return whether two readers agree to the last bit."""
    if isinstance(ours[0], np.ndarray):
        return all(
            map(lambda a, b: np.array_equal(a, b, a.dtype.kind == "f"), ours, theirs)
        )
    if hasattr(ours[0], "equals"):
        return ours[0].equals(theirs[0]) and np.array_equal(ours[1], theirs[1])
    return abs(ours[0] - theirs[0]).max() == 0


def text_of(bench, name):
    """Return a data set as LIBSVM text: its file, or some of its generated rows."""
    if bench.data is not None and data_file(bench.data, name).exists():
        return lzma.decompress(data_file(bench.data, name).read_bytes())
    rows = bench.rows(name, MAX_WRITTEN)
    text = io.BytesIO()
    dump_svmlight_file(rows.X, rows.y, text, zero_based=False)
    return text.getvalue()


class Reading(Target):
    """Text into rows, unpacked and in memory on both sides."""

    name = "reading"
    title = "12. Reading LIBSVM text and CSV"
    about = (
        "Unpacked text in memory into rows: LIBSVM by our reader and load_svmlight_file, "
        "CSV of 100,000 x 22 cells by our reader with pyarrow and by the csv module."
    )
    columns = (
        column("set", "set"),
        column("MB", "megabytes", ".1f"),
        column("time, theirs / ours", "speed_up", ".1f"),
        column("ours, s", "ours_seconds", ".3f"),
        column("theirs, s", "theirs_seconds", ".3f"),
        column("ours, MB/s", "rate", ".0f"),
    )

    def cells(self, bench):
        """Return every data set, and the tables of CSV."""
        return [{"set": name} for name in (*bench.settings.sets, *CSV_SETS)]

    def measure(self, bench, **cell):
        """Return both times on the same text."""
        if cell["set"] in CSV_SETS:
            text = csv_of(cell["set"])
            readers = {"ours": read_csv, "theirs": read_csv_without_pyarrow}
        else:
            text = text_of(bench, cell["set"])
            readers = {
                "ours": lambda text: read_rows(io.BytesIO(text)),
                "theirs": lambda text: load_svmlight_file(io.BytesIO(text)),
            }
        timings = bench.time({name: partial(read, text) for name, read in readers.items()})
        ours, theirs = timings["ours"], timings["theirs"]
        if not are_equal(ours.result, theirs.result):
            raise AssertionError("the two readers disagree")
        return {
            "megabytes": len(text) / 1e6,
            "speed_up": theirs.best / ours.best,
            "ours_seconds": ours.best,
            "theirs_seconds": theirs.best,
            "rate": len(text) / 1e6 / ours.best,
        }

    def claims(self, rows):
        """Claim the promised speeds; report the slowest set too."""
        speed = {row["set"]: row["speed_up"] for row in rows}
        libsvm = sorted(value for name, value in speed.items() if name not in CSV_SETS)
        promised = [speed[CLAIMED_SET]] if CLAIMED_SET in speed else []
        return [
            at_least(f"time, scikit-learn / ours, {CLAIMED_SET}", 3, promised),
            *(reported("worst set", value) for value in libsvm[:1]),
            at_least(
                "time, csv module / ours, CSV of 100,000 x 22 numbers",
                5,
                [speed[name] for name in CSV_SETS[:1] if name in speed],
            ),
            *(reported(name, speed[name]) for name in CSV_SETS[1:] if name in speed),
        ]
