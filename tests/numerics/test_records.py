"""Results are one line in a prompt and a table in a notebook."""

from xml.etree import ElementTree

import numpy as np
import pytest

from largemargin import MarginDistribution, margin_distribution
from largemargin.numerics.records import Record
from largemargin.tables import load_file
from machines import fixed_ldm


class Words(Record):
    def _summary(self):
        return {"a <b>": "x & y", "count": 12345, "share": 1 / 3}


def cells(record):
    """Return the texts of the table of a record, row by row."""
    table = ElementTree.fromstring(record._repr_html_())
    assert table.tag == "table"
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_a_record_is_one_line_and_one_table():
    assert repr(Words()) == "Words(a <b>='x & y', count=12345, share=0.3333)"
    assert cells(Words()) == [["a <b>", "x & y"], ["count", "12345"], ["share", "0.3333"]]
    assert "<caption>Words</caption>" in Words()._repr_html_()


def test_what_a_record_holds_is_no_markup():
    assert "<b>" not in Words()._repr_html_()
    assert "x &amp; y" in Words()._repr_html_()


def test_margins_are_shown_by_their_statistics(blobs):
    X, y = blobs
    found = margin_distribution(fixed_ldm().fit(X, y), X, y)
    assert repr(found) == (
        f"MarginDistribution(n={len(y)}, mean={found.mean:.4g}, "
        f"variance={found.variance:.4g}, minimum={found.minimum:.4g}, "
        f"error={found.error:.4g})"
    )
    head, *rows = cells(found)
    assert head == ["", "margin", "margin / |w|"]
    shown = {name: values for name, *values in rows}
    normalised = found.normalised_distribution()
    for name in "mean", "variance", "minimum":
        wanted = [f"{getattr(one, name):.4g}" for one in (found, normalised)]
        assert shown[name] == wanted
    assert shown["share at or below 0"] == [f"{found.error:.4g}"] * 2
    wanted = [f"{one.quantiles([0.05])[0]:.4g}" for one in (found, normalised)]
    assert shown["5 % quantile"] == wanted


def test_margins_of_unknown_length_have_one_column():
    found = MarginDistribution(np.array([-1.0, 1.0, 3.0]), None, np.ones(3))
    assert cells(found)[0] == ["", "margin"]
    assert ["share at or below 0", "0.3333"] in cells(found)


@pytest.mark.parametrize("margins", [np.array([]), np.ones(2), np.array([np.nan])])
def test_no_margins_are_shown_all_the_same(margins):
    weight = np.zeros(len(margins)) if len(margins) != 1 else np.ones(1)
    found = MarginDistribution(margins, np.ones_like(margins), weight)
    assert repr(found).startswith(f"MarginDistribution(n={len(margins)}")
    assert cells(found)[1] == ["n", str(len(margins)), str(len(margins))]


def test_rows_of_a_file_are_shown_by_their_shape(tmp_path):
    path = tmp_path / "two <classes>.csv"
    path.write_text("a,b,label\n1,2,0\n3,4,1\n5,6,1\n")
    data = load_file(path)
    assert repr(data).startswith("Data(name='two <classes>', n_samples=3, n_features=2, ")
    assert ["n_positive", "2"] in cells(data)
    assert "<classes>" not in data._repr_html_()
