"""Ctrl-C ends a long fit within a second and leaves the estimator as it was."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("long_fit.py")
FITS = "products", "newton", "sweeps", "threads", "classes", "classes in threads"
SEARCHES = "search", "search in threads"


@pytest.mark.parametrize("name", [*FITS, *SEARCHES])
def test_an_interrupt_is_obeyed_at_once_and_leaves_no_trace(name):
    command = [sys.executable, "-W", "ignore", str(SCRIPT), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1.0)
            sent = time.time()
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    taken, unchanged, *told = said.split(maxsplit=2)
    assert float(taken) - sent < 1.0
    assert unchanged == "True"
    if name in SEARCHES:
        assert "of 960 fits (320 points in 3 folds)" in told[0]
