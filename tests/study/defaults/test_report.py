import csv

import pytest
from scipy.stats import t

from study.defaults.comparison import Summary, Values
from study.defaults.report import GROUPS, groups, interval_text, of_all, shared, write
from study.store import Result

BEST, OTHER = "loo, squared, k 0.1", "loo, hinge, k 0.1"


def results():
    shares = {"SVC": 0.6, "SVC search": 0.7, BEST: 0.8, OTHER: 0.65}
    return [
        Result(scaling, name, "rbf", method, k, share + 0.01 * k, {}, 1.0)
        for method, share in shares.items()
        for name in ("pair", "trio")
        for scaling in ("standardised", "unit")
        for k in range(2)
    ]


@pytest.fixture
def both_halves(tiny_sets, monkeypatch):
    monkeypatch.setattr("study.defaults.report.division", lambda: (set(tiny_sets),) * 2)


def test_every_candidate_is_in_one_group():
    names = [name for group in groups().values() for name in group]
    assert len(names) == len(set(names))


@pytest.mark.usefixtures("both_halves")
def test_the_best_on_the_selection_half_is_reported_on_the_other(tmp_path):
    report, table = write(results(), tmp_path)
    text = report.read_text()
    assert f"## {BEST}, other half" in text
    assert f"## {OTHER}, other half" not in text
    ranked = text[text.index("selection half, minus the searched SVM") :]
    assert ranked.index(f"| {BEST} |") < ranked.index(f"| {OTHER} |")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    differences = [float(row["difference"]) for row in rows]
    assert differences == sorted(differences)
    assert {row["method"] for row in rows} >= {BEST, OTHER}


@pytest.mark.usefixtures("both_halves")
def test_the_others_are_compared_with_the_chosen_one_on_all_sets(tmp_path):
    text = write(results(), tmp_path)[0].read_text()
    table = text[text.index(f"## Kernel machines, all sets, minus {BEST}") :]
    line = table[table.index(f"| {OTHER} |") :].splitlines()[0]
    assert line.count("-15.00") == len(GROUPS) + 1  # and of all sets
    assert "| 4 of 4 | 1, 1, 1, 1 |" in line


@pytest.mark.usefixtures("both_halves")
def test_the_report_says_how_much_was_measured(tmp_path):
    text = write(results(), tmp_path)[0].read_text()
    assert "| SVC | 2 | 8 | 2 to 2 | 0.00 |" in text
    assert "| all |  | 32 |  | 0.01 |" in text


def test_a_mean_has_the_interval_of_a_t_test():
    found = Summary(4, 1.0, 0.5, 0.1, (), 1.0)
    low, high = t.interval(0.95, 3, loc=1.0, scale=0.5)
    assert interval_text(found) == f"{low:+.2f} to {high:+.2f}"


@pytest.mark.usefixtures("both_halves")
def test_another_candidate_may_be_reported(tmp_path):
    report, _ = write(results(), tmp_path, chosen=[OTHER])
    assert f"## {OTHER}, other half" in report.read_text()


@pytest.mark.usefixtures("tiny_sets")
def test_a_report_of_nothing_is_an_error_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match="run both"):
        write([], tmp_path)


def test_candidates_are_compared_on_the_splits_that_all_of_them_have(tiny_sets):
    short = [one for one in results() if (one.method, one.repetition) != (OTHER, 1)]
    found = shared(short, [BEST, OTHER])
    assert {one.repetition for one in found} == {0}
    assert {one.method for one in found} == {"SVC", "SVC search", BEST, OTHER}


def test_a_set_counts_once_with_the_mean_of_both_scalings(tiny_sets):
    values = Values(
        [
            Result(scaling, "pair", "rbf", method, 0, share, {}, 1.0)
            for scaling, shares in {"unit": (0.5, 0.7), "standardised": (0.6, 0.7)}.items()
            for method, share in zip(("SVC", BEST), shares, strict=True)
        ]
    )
    found = of_all(values, tiny_sets, BEST, "SVC")
    assert found.n_sets == 1
    assert found.mean == pytest.approx(15.0)
