import csv

import pytest

from study.regression.report import write
from study.regression.tasks import TARGETS, ValueResult

BEST, OTHER = "C loo, k 0/0, epsilon loo", "C loo, k 1/0, epsilon loo"


def results():
    levels = {"SVR": 0.1, "SVR search": 0.7, BEST: 0.8, OTHER: 0.65}
    return [
        ValueResult(targets, name, "rbf", method, k, r2 + 0.01 * k, 1.0, {}, 1.0)
        for method, r2 in levels.items()
        for name in ("near", "far")
        for targets in TARGETS
        for k in range(2)
    ]


@pytest.fixture
def both_halves(tiny_sets, monkeypatch):
    monkeypatch.setattr("study.regression.report.division", lambda: (set(tiny_sets),) * 2)


@pytest.mark.usefixtures("both_halves")
def test_the_best_on_the_selection_half_is_reported_on_the_other(tmp_path):
    report, table = write(results(), tmp_path)
    text = report.read_text()
    assert f"## {BEST}, other half" in text
    assert f"## {OTHER}, other half" not in text
    assert text.index(f"| {BEST} |") < text.index(f"| {OTHER} |")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {row["method"] for row in rows} >= {BEST, OTHER}


@pytest.mark.usefixtures("both_halves")
def test_another_candidate_may_be_reported(tmp_path):
    report, _ = write(results(), tmp_path, chosen=[OTHER])
    assert f"## {OTHER}, other half" in report.read_text()


@pytest.mark.usefixtures("tiny_sets")
def test_a_report_of_nothing_is_an_error_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match="run both"):
        write([], tmp_path)
