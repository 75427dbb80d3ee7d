import pytest

from study.when_it_helps.comparison import Comparison
from study.when_it_helps.conditions import SELF_TUNED
from study.when_it_helps.picture import draw


def test_a_condition_is_a_row_and_a_comparison_a_point_with_its_error():
    values = {"a": (80.0, 79.0), "b": (70.0, 67.0)}
    found = [
        Comparison("20 rows", SELF_TUNED, "SVC", values),
        Comparison("20 % flipped", SELF_TUNED, "SVC", values),
    ]
    (ax,) = draw(found).axes
    # From the bottom to the top.
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["20 % flipped", "20 rows"]
    (points,) = ax.containers
    assert points.lines[0].get_xdata() == pytest.approx([2.0, 2.0])
