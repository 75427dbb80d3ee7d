"""Bars appear late and only on terminals; tables are aligned."""

import json
import logging
import re
import sys
import time
from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from largemargin import LDMClassifier, LDMClassifierCV, LinearLDMClassifier
from largemargin.cli import terminal
from largemargin.cli.group import show_warning
from largemargin.production.calibration import CalibratedMachine


@pytest.fixture
def screen(monkeypatch, capsys):
    """Pretend that standard error is a terminal of 80 columns, and show bars at once."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(terminal, "on_terminal", lambda: True)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0.05)

    def shown(title, *lines, quiet=False):
        with terminal.bar(title, quiet=quiet) as move:
            move(1, 4)
            time.sleep(0.3)
            for line in lines:
                show_warning(line, UserWarning)
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)

    return shown


def test_a_bar_appears_after_a_while(screen):
    assert "working" in screen("working")


def test_what_is_done_soon_shows_no_bar(screen, monkeypatch):
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 2.0)
    assert screen("working") == ""


def test_there_is_no_bar_where_none_is_wanted(screen):
    assert screen("working", quiet=True) == ""


def test_there_is_no_bar_without_a_terminal(screen, monkeypatch):
    monkeypatch.setattr(terminal, "on_terminal", lambda: False)
    assert screen("working") == ""


def test_a_stream_that_was_closed_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    show_warning("unheard", UserWarning)
    assert not terminal.on_terminal()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["d[final].csv", "a/b c/d[bold].csv"])
def test_a_bar_shows_the_name_of_a_file_as_it_is(screen, name):
    assert f"reading {name.split('/')[-1]} " in screen(f"reading {name}")


def test_a_long_name_leaves_room_for_the_bar(screen):
    shown = screen("reading /home/ada/" + "deep/" * 20 + "long" * 20 + ".csv")
    assert re.search(r"reading long\S*\.\.\.\S*\.csv \S{20,} +25% 0:00:0. left:", shown)


def test_what_is_told_stands_on_lines_of_its_own_above_the_bar(screen):
    lines = re.split(r"[\r\n]+", screen("working", "mind the [gap]"))
    assert "largemargin: warning: mind the [gap]" in lines


@pytest.fixture
def moves(monkeypatch):
    """Collect how a bar is moved."""
    seen = []

    def move(done, total, title=None):
        seen.append((done, total))

    monkeypatch.setattr(terminal, "bar", lambda title, quiet: nullcontext(move))
    return seen


def test_a_fit_moves_the_bar_to_its_end(moves, blobs):
    machine = LinearLDMClassifier(C=10, tol=1e-8, verbose=1)
    with terminal.watched("training", tol=1e-8):
        machine.fit(*blobs)
    assert len(moves) == len(machine.history_["duality_gap"])
    assert moves[-1] == (100.0, 100.0)
    assert all(0 <= done <= 100 for done, _ in moves)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_several_fits_move_the_bar_once_through(moves, n_jobs):
    machine = LDMClassifier(C=10, tol=1e-6, n_jobs=n_jobs, verbose=1)
    with terminal.watched("training", tol=1e-6, n_fits=3 * 6):
        CalibratedMachine(machine).fit(*load_iris(return_X_y=True))
    done = [one for one, _ in moves]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(100.0)
    assert len(set(done)) >= 18


def test_fits_that_stop_early_are_counted(moves):
    machine = LinearLDMClassifier(tol=1e-14, max_iter=1, verbose=1)
    with (
        terminal.watched("training", tol=1e-14, n_fits=3),
        pytest.warns(ConvergenceWarning),
    ):
        machine.fit(*load_iris(return_X_y=True))
    done = [one for one, _ in moves]
    assert done == sorted(done)
    assert 66 < done[-1] < 100


def test_a_gap_that_rises_for_a_while_does_not_move_the_bar_back(moves):
    with terminal.watched("training", tol=1e-4):
        for step, gap in enumerate([1e-2, 1e-1, 1e-3, np.inf], start=1):
            terminal.logger.info("", extra={"step": step, "gap": gap})
    assert [done for done, _ in moves] == pytest.approx([50, 50, 75, 75])


def test_a_search_moves_the_bar_to_its_end(moves, blobs):
    grid = {"Cs": [1.0, 10.0], "gammas": ["scale"], "lambda_vars": ["scale"]}
    search = LDMClassifierCV(**grid, lambda_means=[0.0], cv=2, verbose=1)
    with terminal.watched("training", tol=1e-4):
        search.fit(*blobs)
    assert (4, 4) in moves


def test_watching_leaves_the_logger_as_it_was(moves):
    logger = logging.getLogger("largemargin")
    before = logger.level, list(logger.handlers)
    with terminal.watched("training", tol=1e-4):
        pass
    assert (logger.level, logger.handlers) == before


def test_json_has_no_numbers_that_json_does_not_know(capsys):
    terminal.show(
        {"a": [np.nan, np.float32(0.5)], "b": {"c": np.array([np.inf, 1])}}, as_json=True
    )
    assert json.loads(capsys.readouterr().out) == {
        "a": [None, 0.5],
        "b": {"c": [None, 1.0]},
    }


def test_json_has_tuples_as_lists_and_its_keys_in_order():
    record = {"AUC": float("nan"), "rows": (1, 2)}
    assert terminal.json_of(record) == '{"AUC": null, "rows": [1, 2]}'


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("reading /home/ada/data of may/cells.csv", "reading cells.csv"),
        ("reading cells_of_all_the_patients.csv", "reading cells_o...ents.csv"),
    ],
)
def test_a_title_is_brief(title, shown):
    assert terminal.brief(title) == shown


def test_facts_are_aligned_and_numbers_have_six_digits(capsys):
    terminal.show({"rows": 150, "accuracy": 0.96}, as_json=False)
    assert capsys.readouterr().out == "rows      150\naccuracy  0.96\n"
    assert terminal.as_text({"C": 0.1234567, "gamma": "scale"}) == "C 0.123457, gamma scale"


def test_a_table_is_aligned_text_elsewhere(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    terminal.show_table(["name", "rows"], [["iris", 150], ["[b]sonar", 60]])
    assert capsys.readouterr().out == ("name      rows\niris       150\n[b]sonar    60\n")


def test_a_table_is_drawn_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    terminal.show_table(["name", "rows"], [["iris", 150]])
    drawn = capsys.readouterr().out
    assert "─" in drawn
    assert "iris" in drawn


@pytest.mark.parametrize(("columns", "widest"), [("60", 60), ("0", 92)])
def test_long_facts_go_on_under_their_value(capsys, monkeypatch, columns, widest):
    monkeypatch.setenv("COLUMNS", columns)
    classes = [f"class-{k}" for k in range(99)]
    terminal.show(
        {"rows": 150, "classes": classes, "model": "m" * 99, "note": ""}, as_json=False
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rows     150"
    assert lines[1].startswith("classes  class-0, class-1, ")
    assert lines[-2] == "model    " + "m" * 99
    assert lines[-1].rstrip() == "note"
    assert widest - 10 < max(map(len, lines[:-2])) <= widest
    assert all(line.startswith(" " * 9 + "class-") for line in lines[2:-2])
