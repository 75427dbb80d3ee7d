"""Bars appear late and on terminals only; tables are aligned."""

import json
import logging
import sys
import time

import numpy as np
import pytest

from largemargin import LDMClassifierCV, LinearLDMClassifier, terminal


@pytest.fixture
def screen(monkeypatch, capsys):
    """Pretend that standard error is a terminal."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(terminal, "on_terminal", lambda: True)
    return capsys


def test_a_bar_appears_after_a_while(screen):
    with terminal.Bar("working", patience=0.05) as move:
        move(1, 4)
        time.sleep(0.3)
    assert "working" in screen.readouterr().err


def test_what_is_done_soon_shows_no_bar(screen):
    with terminal.bar("working") as move:
        move(1, 4)
    assert screen.readouterr().err == ""


def test_there_is_no_bar_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0.0)
    with terminal.bar("working") as move:
        move(1, 4)
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


@pytest.fixture
def moves(monkeypatch):
    """Collect how a bar is moved."""
    seen = []

    class Seen(terminal.NoBar):
        def __call__(self, done, total, title=None):
            seen.append((done, total))

    monkeypatch.setattr(terminal, "bar", lambda title, quiet: Seen())
    return seen


def test_a_fit_moves_the_bar_to_its_end(moves, blobs):
    machine = LinearLDMClassifier(C=10, tol=1e-8, verbose=1)
    with terminal.watched("training", tol=1e-8):
        machine.fit(*blobs)
    assert len(moves) == len(machine.history_["duality_gap"])
    assert moves[-1] == (100.0, 100.0)
    assert all(0 <= done <= 100 for done, _ in moves)


def test_a_search_moves_the_bar_to_its_end(moves, blobs):
    search = LDMClassifierCV(Cs=[1.0], gammas=["scale"], cv=2, verbose=1)
    with terminal.watched("training", tol=1e-4):
        search.fit(*blobs)
    assert (20, 20) in moves


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


def test_a_table_is_drawn_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    terminal.show_table(["name", "rows"], [["iris", 150]])
    drawn = capsys.readouterr().out
    assert "─" in drawn
    assert "iris" in drawn
