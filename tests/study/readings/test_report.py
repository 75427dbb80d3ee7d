import csv

import pytest

from study import paper
from study.readings.report import write
from study.readings.scalings import METHODS
from study.store import Facts, Result


def facts(*names):
    return {name: Facts(*paper.SIZES[name], 50, "a file") for name in names}


def results(name, offsets, splits=2):
    """Return results that are off the paper's columns by the given differences."""
    return [
        Result(
            *("paper", name, "linear", method, k),
            paper.ACCURACIES[2][name][machine].mean + offsets.get(method, 0.0),
            {},
            1.0,
        )
        for method, (machine, _) in METHODS.items()
        for k in range(splits)
    ]


def test_a_reading_counts_the_sets_on_which_it_is_near(tmp_path):
    found = results("sonar", {"ldm": 0.05}) + results("colic", {"ldm, summed": -0.03})
    page, table = write(found, facts("sonar", "colic"), tmp_path)
    line = next(
        one for one in page.read_text().splitlines() if one.startswith("| within 0.02")
    )
    # The paper's SVM and LDM, then the columns in the order of METHODS.
    assert line == "| within 0.02, of 2 | 2 |  | 2 | 2 | 1 | 2 | 1 | 2 |"
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {float(row["difference"]) for row in rows} == {0.0, 0.05, -0.03}


def test_a_set_of_another_size_is_shown_and_not_counted(tmp_path):
    other = {"heart": Facts(270, 13, 120, "a file")}
    found = results("sonar", {}) + results("heart", {})
    page, _ = write(found, facts("sonar") | other, tmp_path)
    assert "within 0.02, of 1" in page.read_text()
    assert "| heart (not counted) |" in page.read_text()


def test_means_are_over_the_splits_that_all_readings_have(tmp_path):
    longer = Result("paper", "sonar", "linear", "ldm", 7, 0.0, {}, 1.0)
    _, table = write([*results("sonar", {}), longer], facts("sonar"), tmp_path)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {row["splits"] for row in rows} == {"2"}


def test_a_set_without_all_readings_is_an_error_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match="run the study first"):
        write(results("sonar", {})[:2], facts("sonar"), tmp_path)
