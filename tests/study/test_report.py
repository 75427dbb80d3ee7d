"""The report holds all tables and figures, and says what is missing."""

import os
import sys

import numpy as np
import pytest

from largemargin import LinearLDMClassifier
from study import report, tasks
from study.datasets import MissingDataset, UnreadableFile
from study.store import Facts, Result, Store

PNG = b"\x89PNG\r\n\x1a\n"


def results(name, accuracy, protocol="paper", kernel="linear"):
    """Return two repetitions of SVM and LDM on a set."""
    chosen = {"C": 10.0, "lambda_var": 0.1, "lambda_mean": 0.1}
    return [
        Result(protocol, name, kernel, method, k, accuracy + k / 64, chosen, 0.5)
        for method in ("svm", "ldm")
        for k in range(2)
    ]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as store:
        store.append(results("sonar", 0.72) + results("heart", 0.9))
        store.append(results("skin", 0.93) + results("sonar", 0.8, kernel="rbf"))
        store.note_dataset("sonar", Facts(208, 60, 111, "file sonar.libsvm.xz"))
        yield store


@pytest.fixture
def no_matplotlib(monkeypatch):
    """Pretend that matplotlib is not installed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture(autouse=True)
def refit(monkeypatch):
    """Fit on rows made here instead of the data sets."""

    def refit(result, *, data_home=None):
        X = np.random.default_rng(0).normal(size=(40, 2))
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        return LinearLDMClassifier(**result.chosen).fit(X, y), X, y, X, y

    monkeypatch.setattr(tasks, "refit", refit)


def test_every_table_and_figure_of_a_protocol_is_written(store, tmp_path):
    paths = report.write(store, tmp_path / "out")
    tables = ["table1", *(f"table{number}-paper" for number in (2, 3, 4))]
    expected = {f"{name}.{suffix}" for name in tables for suffix in ("md", "csv", "tex")}
    expected |= {f"figure{number}-paper.png" for number in (1, 2, 3)} | {"report.md"}
    assert {path.name for path in paths} == expected
    assert {path.name for path in (tmp_path / "out").iterdir()} == expected
    pictures = [path.read_bytes() for path in paths if path.suffix == ".png"]
    assert all(picture.startswith(PNG) for picture in pictures)


def test_the_report_holds_the_tables_and_shows_the_figures(store, tmp_path):
    paths = report.write(store, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    for path in paths:
        if path.suffix == ".png":
            assert f"]({path.name})" in text
        if path.suffix == ".md" and path.name != "report.md":
            assert path.read_text(encoding="utf-8").rstrip() in text


@pytest.mark.usefixtures("no_matplotlib")
def test_the_same_store_gives_the_same_text(store, tmp_path):
    first, second = (report.write(store, tmp_path / name) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.usefixtures("no_matplotlib")
def test_the_report_lists_what_is_missing(store, tmp_path):
    report.write(store, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    missing = text[text.index("## What is missing") : text.index("## SVM here")]
    assert "Table 4, protocol paper: farm-ads, news20" in missing
    assert "Protocol fair: no results at all." in missing
    assert "sonar" not in missing.splitlines()[2]


@pytest.mark.usefixtures("no_matplotlib")
def test_the_report_lists_where_the_svm_is_far_from_the_papers(store, tmp_path):
    report.write(store, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    far = text[text.index("## SVM here") : text.index("## Table 1")]
    assert "- heart, linear kernel: 0.908 here, 0.799 in the paper (+0.109).\n" in far
    assert "- sonar, rbf kernel: 0.808 here, 0.842 in the paper (-0.034).\n" in far
    assert far.index("heart") < far.index("rbf")
    assert "sonar, linear" not in far
    assert "skin" not in far


@pytest.mark.parametrize("kind", [MissingDataset, UnreadableFile, NotADirectoryError])
def test_a_figure_without_its_data_is_left_out_and_the_rest_is_written(
    store, tmp_path, monkeypatch, kind
):
    def refit(result, *, data_home=None):
        raise kind(f"{result.dataset} was not found")

    monkeypatch.setattr(tasks, "refit", refit)
    names = {path.name for path in report.write(store, tmp_path)}
    assert "figure2-paper.png" in names
    assert not names & {"figure1-paper.png", "figure3-paper.png"}
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "- Figure 1, protocol paper: heart was not found" in text


def test_tables_are_written_before_figures_are_drawn(store, tmp_path, monkeypatch):
    def refit(result, *, data_home=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "refit", refit)
    with pytest.raises(KeyboardInterrupt):
        report.write(store, tmp_path / "out")
    assert (tmp_path / "out" / "table2-paper.md").exists()


def test_figures_of_an_earlier_report_that_cannot_be_drawn_are_removed(tmp_path):
    for name in "figure1-paper.png", "figure3-fair.png", "mine.png":
        (tmp_path / name).write_bytes(PNG)
    report.write(Store(tmp_path), tmp_path)
    assert [name for name in os.listdir(tmp_path) if name.endswith("png")] == ["mine.png"]


@pytest.mark.usefixtures("no_matplotlib")
def test_without_matplotlib_there_are_tables_and_a_word_on_what_to_install(store, tmp_path):
    paths = report.write(store, tmp_path)
    assert {path.suffix for path in paths} == {".md", ".csv", ".tex"}
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "pip install 'largemargin[plot]'" in text


def test_an_empty_store_gives_a_report_without_results(tmp_path):
    report.write(Store(tmp_path / "nothing"), tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Protocol paper: no results at all." in text
    assert "| sonar | missing |" in text


def test_a_failed_write_keeps_the_old_file_and_leaves_no_other(tmp_path, monkeypatch):
    path = report.write_atomically(tmp_path / "table.md", b"old")

    def fail(*names):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        report.write_atomically(path, b"new")
    assert [(some.name, some.read_bytes()) for some in tmp_path.iterdir()] == [
        ("table.md", b"old")
    ]
