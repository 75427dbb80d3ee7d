import csv

import pytest

from study.store import Result
from study.when_it_helps.conditions import SELF_TUNED
from study.when_it_helps.report import write

LOSSES = {"SVC": 0.5, SELF_TUNED: 0.6}


def results(condition, ours, theirs, log_losses=None):
    accuracies = {"SVC": theirs, SELF_TUNED: ours}
    return [
        Result(condition, name, "rbf", method, k, accuracy, {}, seconds, loss)
        for method, accuracy in accuracies.items()
        for name in ("wdbc", "vowel")
        for k, seconds in enumerate((1.0, 2.0, 60.0))
        for loss in [None if log_losses is None else log_losses[method]]
    ]


def test_losses_are_reported_first(tmp_path):
    found = [
        *results("20 rows", 0.8, 0.7),
        *results("half of the rows", 0.6, 0.7, LOSSES),
    ]
    tables, *_ = write(found, tmp_path)
    text = tables.read_text()
    assert text.index("| half of the rows |") < text.index("| 20 rows |")
    assert "| half of the rows, many classes |" in text
    assert "-10.00 \N{PLUS-MINUS SIGN} 0.00 | 2 |" in text
    assert "+0.100 \N{PLUS-MINUS SIGN} 0.000 | 2 |" in text


def test_times_are_medians_so_that_a_first_fit_may_be_slow(tmp_path):
    _, means, _ = write(results("20 rows", 0.8, 0.7), tmp_path)
    rows = list(csv.DictReader(means.read_text().splitlines()))
    assert {row["cpu_seconds"] for row in rows} == {"2.0"}
    assert {row["log_loss"] for row in rows} == {""}


def test_the_picture_is_a_small_png(tmp_path):
    *_, picture = write(results("20 rows", 0.8, 0.7), tmp_path)
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < 100_000


def test_a_report_of_nothing_is_an_error_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match="run it first"):
        write([], tmp_path)
