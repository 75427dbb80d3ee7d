"""Target 12: LIBSVM text against scikit-learn's reader."""

import io
import lzma

from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from benchmarks.datasets.files import data_file
from benchmarks.targets.base import Target, at_least, column, told
from largemargin.tables.libsvm import read_rows

# Generated rows take long to write; real files are there as text.
MAX_WRITTEN = 20_000
CLAIMED_SET = "covtype"


def text_of(bench, name):
    """Return a data set as LIBSVM text: its file, or some of its generated rows."""
    if bench.data is not None and data_file(bench.data, name).exists():
        return lzma.decompress(data_file(bench.data, name).read_bytes())
    rows = bench.rows(name, MAX_WRITTEN)
    text = io.BytesIO()
    dump_svmlight_file(rows.X, rows.y, text, zero_based=False)
    return text.getvalue()


class Reading(Target):
    """Text into sparse rows, unpacked and in memory on both sides."""

    name = "reading"
    title = "12. Reading LIBSVM text"
    about = "Unpacked text in memory into rows, by our reader and load_svmlight_file."
    columns = (
        column("set", "set"),
        column("MB", "megabytes", ".1f"),
        column("time, scikit-learn / ours", "speed_up", ".1f"),
        column("ours, s", "ours_seconds", ".3f"),
        column("scikit-learn, s", "theirs_seconds", ".3f"),
        column("ours, MB/s", "rate", ".0f"),
    )

    def cells(self, bench):
        """Return every data set."""
        return [{"set": name} for name in bench.settings.sets]

    def measure(self, bench, **cell):
        """Return both times on the same text."""
        text = text_of(bench, cell["set"])
        timings = bench.time(
            {
                "ours": lambda: read_rows(io.BytesIO(text)),
                "theirs": lambda: load_svmlight_file(io.BytesIO(text)),
            }
        )
        ours, theirs = timings["ours"], timings["theirs"]
        if abs(ours.result[0] - theirs.result[0]).max() > 0:
            raise AssertionError("the two readers disagree")
        return {
            "megabytes": len(text) / 1e6,
            "speed_up": theirs.best / ours.best,
            "ours_seconds": ours.best,
            "theirs_seconds": theirs.best,
            "rate": len(text) / 1e6 / ours.best,
        }

    def claims(self, rows):
        """Claim the speed on the set that was promised; tell the slowest beside it."""
        promised = [row["speed_up"] for row in rows if row["set"] == CLAIMED_SET]
        return [
            at_least(f"time, scikit-learn / ours, {CLAIMED_SET}", 3, promised),
            *(
                told("worst set", value)
                for value in sorted(r["speed_up"] for r in rows)[:1]
            ),
        ]
