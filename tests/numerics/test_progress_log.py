"""``verbose=1`` prints progress, and logging that was configured stays in charge."""

import io
import logging
import subprocess
import sys
import threading

import pytest

from largemargin import LinearLDMClassifierCV
from largemargin.numerics.progress_log import logger, progress_printed
from machines import fixed_ldm


@pytest.fixture
def no_logging(monkeypatch):
    """Take away the handlers that pytest has put there."""
    monkeypatch.setattr(logging.root, "handlers", [])


def state():
    return logger.level, list(logger.handlers), logger.propagate


@pytest.mark.usefixtures("no_logging")
def test_fits_and_searches_print_their_progress_on_standard_error(blobs, capsys):
    before = state()
    fixed_ldm(verbose=1).fit(*blobs)
    out, err = capsys.readouterr()
    assert out == ""
    assert "relative gap" in err.splitlines()[-1]
    LinearLDMClassifierCV("wide", Cs=[1.0], cv=2, verbose=1).fit(*blobs)
    lines = capsys.readouterr().err.splitlines()
    of_the_search = [line for line in lines if " fits, " in line]
    assert of_the_search[-1].startswith("20 of 20 fits")
    # The final fit is reported too.
    assert "relative gap" in lines[-1]
    assert state() == before
    fixed_ldm().fit(*blobs)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("no_logging")
def test_a_fit_that_fails_leaves_the_logger_as_it_was(blobs):
    before = state()
    with pytest.raises(ValueError, match="one class"):
        fixed_ldm(verbose=1).fit(blobs[0], blobs[1] * 0)
    assert state() == before


@pytest.mark.usefixtures("no_logging")
@pytest.mark.parametrize("where", [logging.root, logger])
def test_reports_go_to_a_configured_handler_only(blobs, where, capsys):
    records = []
    handler = logging.Handler(logging.INFO)
    handler.emit = records.append
    level = where.level
    where.addHandler(handler)
    where.setLevel(logging.INFO)
    try:
        fixed_ldm(verbose=1).fit(*blobs)
    finally:
        where.removeHandler(handler)
        where.setLevel(level)
    assert records
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("no_logging")
def test_a_level_that_the_user_has_set_is_kept(blobs, capsys, monkeypatch):
    monkeypatch.setattr(logger, "level", logging.WARNING)
    fixed_ldm(verbose=1).fit(*blobs)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("no_logging")
def test_blocks_that_overlap_print_each_line_once(capsys):
    before, entered, leave = state(), threading.Event(), threading.Event()

    def other():
        with progress_printed(1):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with progress_printed(1):
        thread.start()
        entered.wait(10)
        logger.info("both")
    logger.info("the other")
    leave.set()
    thread.join()
    logger.info("nobody")
    assert capsys.readouterr().err == "both\nthe other\n"
    assert state() == before


@pytest.mark.usefixtures("no_logging")
def test_a_closed_standard_error_does_not_end_a_fit(blobs, monkeypatch):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    assert fixed_ldm(verbose=1).fit(*blobs).duality_gap_ < 1e-4


def test_a_plain_script_sees_progress():
    code = (
        "from largemargin import LinearLDMClassifier as L\n"
        "L(verbose=1).fit([[0.0], [1.0]], [0, 1])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0
    assert "step 1: objective" in ended.stderr
    assert ended.stdout == ""
