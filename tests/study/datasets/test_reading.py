"""Files of known data sets that are not what their names say."""

import bz2
import gzip
import lzma

import pytest

from largemargin.tables import UnreadableFile
from study.datasets.reading import read_libsvm, read_table

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("1,0\n2,1\n", "has the number 1; a header row is needed"),
        ("red,5.1,yes\nblue,4.9,no\nred,5.0,yes\n", "has the number 5.1; a header row"),
        ("a \n1\n2\n", "one column only"),
    ],
)
def test_a_table_without_names_or_labels_is_refused(tmp_path, content, complaint):
    path = tmp_path / "mine.csv"
    path.write_text(content)
    with pytest.raises(UnreadableFile, match=f"mine.csv.*{complaint}"):
        read_table(path)


def test_cells_are_kept_as_they_are_spelled(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,kind\n NA ,007\n?,1.0\n")
    assert read_table(path).rows == [["NA", "007"], ["?", "1.0"]]


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize(
    ("read", "content"),
    [(read_libsvm, b"1 1:2\n-1 1:3\n"), (read_table, b"size,sold\n1,no\n2.5,yes\n")],
)
@pytest.mark.parametrize("cut", [0, 30], ids=["not packed", "cut off"])
def test_a_broken_archive_is_named(tmp_path, read, content, ending, cut):
    path = tmp_path / f"mine{ending}"
    path.write_bytes(PACKERS[ending](content * 50)[:-cut] if cut else content * 50)
    with pytest.raises(UnreadableFile, match=path.name):
        read(path)
