"""Tables say what the results and the paper say."""

import pytest
from numpy.testing import assert_allclose

from study import paper
from study.rendering import Cell
from study.store import Facts, Result
from study.tables import Comparison, sets_table

LABELS = {"svm": "SVM", "mdo": "MDO", "mamc": "MAMC", "komd": "KM-OMD", "ldm": "LDM"}
LABELS |= {"svc": "SVC", "odm": "ODM"}
NONE = "\N{EN DASH}"
LOW, HIGH = (0.5, 0.6, 0.55), (0.7, 0.8, 0.75)


def measured(name, method, accuracies, kernel="linear", protocol="paper"):
    """Return the results of a method on a set."""
    return [
        Result(protocol, name, kernel, method, repetition, accuracy, {}, 1.0)
        for repetition, accuracy in enumerate(accuracies)
    ]


def compared(results, number=2, facts=None):
    """Return the comparison of some results with the paper."""
    return Comparison(number, "paper", results, facts or {}, LABELS)


def cells(table, name):
    """Return our cells of a row by the head of their columns, and those of the next."""
    rows = [row for block in table.blocks for row in block]
    place = [row.cells[0].text for row in rows].index(name)
    return [
        dict(zip(table.columns, row.cells, strict=True)) for row in rows[place : place + 2]
    ]


def test_a_cell_has_mean_deviation_and_mark():
    results = measured("sonar", "svm", LOW) + measured("sonar", "ldm", HIGH)
    ours, _ = cells(compared(results).table(), "sonar")
    assert ours["SVM"].text == "0.550±0.050"
    assert ours["LDM"].text == "0.750±0.050•"


def test_the_papers_figures_are_below_ours():
    results = measured("sonar", "svm", LOW) + measured("sonar", "odm", LOW)
    _, printed = cells(compared(results).table(), "sonar")
    assert printed["set"].text == "paper"
    assert printed["MAMC"].text == "0.533±0.045◦"
    assert printed["ODM"].text == ""


def test_a_single_repetition_has_no_deviation_to_show():
    ours, _ = cells(compared(measured("sonar", "svm", LOW[:1])).table(), "sonar")
    assert ours["SVM"].text == "0.500"


def test_all_of_the_best_are_bold():
    results = measured("sonar", "svm", HIGH) + measured("sonar", "mdo", LOW)
    results += measured("sonar", "ldm", HIGH[::-1])
    ours, printed = cells(compared(results).table(), "sonar")
    assert [ours[head].bold for head in ("SVM", "MDO", "LDM")] == [True, False, True]
    assert not any(cell.bold for cell in printed.values())


def test_a_set_without_results_is_missing_and_keeps_the_papers_figures():
    table = compared(measured("sonar", "svm", LOW)).table()
    ours, printed = cells(table, "isolet")
    assert ours["SVM"].text == "missing"
    assert {ours[head].text for head in ("MDO", "MAMC", "KM-OMD", "LDM")} == {NONE}
    assert printed["SVM"].text == "0.995±0.003"
    assert any("Missing" in note and "isolet" in note for note in table.notes)
    assert "sonar" not in compared(measured("sonar", "svm", LOW)).missing


def test_methods_have_a_column_if_we_or_the_paper_have_results():
    results = measured("sonar", "svc", LOW, "rbf")
    heads = compared(results, number=3).table().columns
    assert heads == ("set", "SVM", "MAMC", "KM-OMD", "LDM", "SVC")


def test_averages_are_over_the_sets_that_every_usual_method_has():
    results = measured("sonar", "svm", LOW) + measured("sonar", "ldm", HIGH)
    results += measured("heart", "svm", HIGH) + measured("heart", "ldm", HIGH)
    results += measured("german", "svm", (1.0, 1.0, 1.0))
    table = compared(results).table()
    ours, printed = cells(table, "average")
    assert (ours["SVM"].text, ours["LDM"].text) == ("0.650", "0.750")
    assert printed["SVM"].text == f"{(0.725 + 0.799) / 2:.3f}"
    assert "the 2 of 20 sets with results of every method" in table.notes[0]
    assert "(sonar, heart)" in table.notes[0]


def test_a_method_on_few_of_the_sets_leaves_the_averages_of_others_alone():
    results = measured("sonar", "svm", LOW) + measured("heart", "svm", HIGH)
    results += measured("german", "svm", HIGH) + measured("german", "odm", HIGH)
    ours, _ = cells(compared(results).table(), "average")
    assert ours["SVM"].text == f"{(0.55 + 0.75 + 0.75) / 3:.3f}"
    assert ours["ODM"].text == NONE


def test_the_average_of_a_method_without_all_the_sets_is_left_out():
    results = measured("kdd2010", "svm", LOW) + measured("skin", "svm", LOW)
    _, printed = cells(compared(results, number=4).table(), "average")
    assert printed["MDO"].text == NONE
    assert printed["SVM"].text == "0.893"


def test_the_papers_averages_of_all_sets_are_as_printed():
    results = [
        result
        for name in paper.ACCURACIES[3]
        for result in measured(name, "svm", LOW, kernel="rbf")
    ]
    _, printed = cells(compared(results, number=3).table(), "average")
    for method, average in paper.AVERAGES[3].items():
        assert_allclose(float(printed[LABELS[method]].text), average, rtol=0, atol=0.001)


def test_wins_ties_and_losses_of_the_ldm_are_counted():
    results = measured("sonar", "svm", LOW) + measured("sonar", "ldm", HIGH)
    results += measured("heart", "svm", HIGH) + measured("heart", "ldm", HIGH)
    results += measured("colic", "svm", HIGH) + measured("colic", "ldm", LOW)
    results += measured("german", "svm", HIGH)
    ours, printed = cells(compared(results).table(), "LDM win/tie/loss")
    assert ours["SVM"].text == "1/1/1"
    assert ours["LDM"].text == ours["MDO"].text == NONE
    assert printed["KM-OMD"].text == "10/5/5"


def test_unusual_numbers_of_repetitions_are_noted():
    results = [*measured("sonar", "svm", LOW), *measured("heart", "svm", LOW)]
    results += measured("colic", "svm", LOW[:2])
    results += measured("german", "svm", LOW) + measured("german", "ldm", LOW[:1])
    notes = compared(results).table().notes
    assert "Repetitions: 3, except for colic 2, german 1 or 3." in notes


def test_own_files_come_last_and_leave_the_papers_averages_alone():
    results = measured("mine", "svm", HIGH) + measured("sonar", "svm", LOW)
    table = compared(results, facts={"mine": Facts(100, 4, 50, "file mine.csv")}).table()
    ours, _ = cells(table, "mine")
    assert ours["SVM"].text == "0.750±0.050"
    heads = [row.cells[0].text for row in table.blocks[0]]
    assert heads[-3:] == ["german", "paper", "mine"]
    assert cells(table, "average")[0]["SVM"].text == "0.550"


@pytest.mark.parametrize(("rows", "number"), [(100, 2), (100_000, 4)])
def test_own_files_are_among_the_sets_of_their_scale(rows, number):
    facts = {"mine": Facts(rows, 4, 50, "file mine.csv")}
    results = measured("mine", "svm", HIGH)
    found = [k for k in (2, 4) if "mine" in compared(results, k, facts).names]
    assert found == [number]


def test_records_hold_every_number_and_the_difference():
    results = measured("sonar", "svm", LOW) + measured("sonar", "odm", HIGH)
    records = {
        (record["dataset"], record["method"]): record
        for record in compared(results).table().records
    }
    svm = records["sonar", "svm"]
    assert_allclose((svm["mean"], svm["std"]), (0.55, 0.05))
    assert_allclose(svm["difference"], 0.55 - 0.725)
    assert svm["n_repetitions"] == 3
    assert records["sonar", "odm"]["mark"] == 1
    assert records["sonar", "odm"]["paper_mean"] is None
    assert records["isolet", "ldm"]["mean"] is None
    assert records["isolet", "ldm"]["paper_mean"] == 0.997


def test_an_empty_store_gives_a_table_of_missing_sets():
    comparison = compared([], number=4)
    assert comparison.missing == list(paper.ACCURACIES[4])
    ours, printed = cells(comparison.table(), "average")
    assert ours["SVM"].text == printed["SVM"].text == NONE


def test_table_1_tells_sizes_that_differ_and_sets_that_are_missing():
    facts = {
        "sonar": Facts(208, 60, 111, "file sonar.libsvm.xz"),
        "heart": Facts(270, 13, 120, "file heart.libsvm.xz"),
        "mine": Facts(1_000, 4, 500, "file mine.csv"),
    }
    table = sets_table(facts)
    sonar, heart = cells(table, "sonar")[0], cells(table, "heart")[0]
    assert (sonar["here"].text, sonar["here"].bold) == (sonar["paper"].text, False)
    assert heart["here"] == Cell("270 \N{MULTIPLICATION SIGN} 13", bold=True)
    assert heart["positive"].text == "44%"
    assert cells(table, "url")[0]["here"].text == "missing"
    assert [len(block) for block in table.blocks] == [20, 12, 1]
    assert table.records[-1] == {
        "dataset": "mine",
        "rows": 1_000,
        "features": 4,
        "positives": 500,
        "paper_rows": None,
        "paper_features": None,
        "source": "file mine.csv",
        "note": "",
    }


def test_table_1_tells_how_the_rows_differ_from_the_papers():
    facts = {
        "house": Facts(232, 16, 124, "file house.csv"),
        "sonar": Facts(208, 60, 111, "file sonar.csv"),
    }
    table = sets_table(facts)
    house, sonar = (cells(table, name)[0]["source, note"].text for name in facts)
    assert house == "file house.csv; the same data as vote"
    assert sonar == "file sonar.csv"
    records = {record["dataset"]: record for record in table.records}
    assert records["house"]["note"] == "the same data as vote"
