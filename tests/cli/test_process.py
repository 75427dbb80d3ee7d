"""Every command as a process: what it writes where, and the code it ends with."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, make_blobs

from largemargin.cli.warm_up import warming_fits

N_FITS = sum(1 for _ in warming_fits())
COMMAND = [sys.executable, "-m", "largemargin.cli"]
# Sweeps until it is interrupted.
FOREVER = (
    "-t",
    "0",
    "--solver",
    "dual_cd",
    "-c",
    "100",
    "-e",
    "1e-300",
    "--max-iter",
    "9999999",
)


FRUIT = """\
colour,size,kind
red,7,apple
green,8,apple
red,1,cherry
black,1.5,cherry
"""
# Tables with a wrong line, and part of the message about it.
WRONG = {
    "empty": ("", "is empty"),
    "ragged": (FRUIT + "red,7\n", "line 6: expected 3 cells"),
    "NaN": (FRUIT + "red,nan,apple\n", "line 6: column 'size' has no value"),
    "unknown": (FRUIT + "blue,2,apple\n", "line 6: column 'colour' has 'blue'"),
    "narrow": ("colour,kind\nred,apple\n", "has no column 'size'"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with rows and a model of them, trained by the command."""
    place = tmp_path_factory.mktemp("place")
    X, y = make_blobs([60, 40], 3, cluster_std=5.0, random_state=0)
    dump_svmlight_file(X, np.where(y == 1, 1, -1), str(place / "cells"), zero_based=False)
    run(place, "train", "cells", "-o", "cells.model", "-t", "0")
    (place / "fruit.csv").write_text(FRUIT)
    run(place, "train", "fruit.csv", "-o", "fruit.model")
    return place


def run(place, *arguments):
    """Run the command in a directory; it must succeed without errors."""
    told = subprocess.run(
        [*COMMAND, *arguments], cwd=place, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert "Traceback" not in told.stderr
    return told


@pytest.fixture
def here(place, monkeypatch):
    """The same directory as the current one, for commands in this process."""
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("predict cells.model cells --scores", "label,score\n"),
        ("evaluate cells.model cells", "balanced accuracy"),
        ("compare cells --folds 2 --methods mamc", "MAMC, balanced"),
        ("margins cells.model cells --plot margins.png", "margin variance"),
        ("info cells.model", "LinearLDMClassifier"),
        ("export cells.model cells.onnx", "label, scores"),
        ("warm-up", f"fits     {N_FITS}"),
    ],
)
def test_every_command_runs(here, good, arguments, words):
    told = good(*arguments.split())
    assert words in told.out
    assert "Traceback" not in told.err


def test_commands_load_nothing_of_the_study(place):
    code = """
import sys
from largemargin.cli import main
for line in sys.argv[1:]:
    sys.argv = ["largemargin", *line.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, line
print(*sys.modules, file=sys.stderr)
"""
    lines = (
        "train fruit.csv -o again.model",
        "compare cells --folds 2 --methods mamc",
        "predict fruit.model fruit.csv",
    )
    # The study could be imported from here.
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    told = subprocess.run(
        [sys.executable, "-c", code, *lines],
        cwd=place,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    loaded = told.stderr.split()
    assert "largemargin.tables.reading" in loaded
    assert not [name for name in loaded if name.split(".")[0] == "study"]


@pytest.fixture(scope="module")
def told_of_loops():
    """What ``warm_then_fit.py`` prints about the compiled loops."""
    script = Path(__file__).with_name("warm_then_fit.py")
    command = [sys.executable, "-W", "ignore", script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_after_the_warm_up_no_fit_waits_for_the_compiler(told_of_loops):
    assert "compiled since: []\n" in told_of_loops


def test_no_loop_returns_an_array_which_would_make_ctrl_c_a_system_error(
    told_of_loops,
):
    assert "returning arrays: []\n" in told_of_loops


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        *(("predict fruit.model - -o labels", name) for name in WRONG),
        *(("train - -o m", name) for name in ("empty", "ragged", "NaN")),
        ("evaluate fruit.model -", "unknown"),
        ("margins fruit.model - --plot m.png", "narrow"),
        ("compare -", "ragged"),
    ],
)
def test_wrong_rows_are_told_by_every_command_that_reads_them(
    here, refused, arguments, name
):
    before = sorted(here.iterdir())
    text, words = WRONG[name]
    assert words in refused(*arguments.split(), "--format", "csv", stdin=text)
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("train fruit.csv -o m --label price", "has no column 'price' for the labels"),
        ("train fruit.csv -o nowhere/m", "nowhere/m: Its directory does not exist"),
        ("predict cells fruit.csv", "cells is not a model file"),
        ("predict cells.model fruit.csv", "column 'colour' has 'red'"),
        ("predict fruit.model cells", "cells has no named columns"),
        ("predict cells.model cells -o /dev/full", "/dev/full: No space left on device"),
        ("info cells", "cells is not a model file"),
        ("export cells cells.onnx", "cells is not a model file"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_the_code_1(here, refused, arguments, words):
    before = sorted(here.iterdir())
    assert words in refused(*arguments.split())
    assert sorted(here.iterdir()) == before


def refuse(place, *arguments, **options):
    """Run the command in a directory; return its error, which must be one sentence."""
    before = sorted(place.iterdir())
    told = subprocess.run(
        [*COMMAND, *arguments],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr.startswith("largemargin: ")
    assert told.stderr.count("\n") == 1
    assert sorted(place.iterdir()) == before
    return told.stderr


def test_wrong_rows_end_a_process_with_one_sentence(place):
    text, words = WRONG["ragged"]
    told = refuse(place, "predict", "fruit.model", "-", "--format", "csv", input=text)
    assert words in told


def test_a_disk_that_takes_no_more_keeps_the_last_model(tmp_path, place):
    kept = tmp_path / "cells.model"
    kept.write_text("as before")
    told = refuse(
        tmp_path,
        "train",
        place / "cells",
        "-o",
        kept,
        "-t",
        "0",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )
    assert told == f"largemargin: {kept}: File too large.\n"
    assert kept.read_text() == "as before"


def test_an_interrupt_ends_training_at_once_and_leaves_no_file(tmp_path):
    rng = np.random.default_rng(0)
    data = tmp_path / "noise.libsvm"
    dump_svmlight_file(
        rng.normal(size=(3000, 20)), rng.integers(2, size=3000), str(data), zero_based=False
    )
    with subprocess.Popen(
        [*COMMAND, "train", "-", "-o", "noise.model", *FOREVER],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        # More than a pipe holds: once all is written, the command is reading.
        process.stdin.write(data.read_bytes())
        process.stdin.close()
        process.stdin = None
        time.sleep(1.0)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == b""
    assert err == b"largemargin: Interrupted; no model was written.\n"
    assert list(tmp_path.iterdir()) == [data]


def test_an_interrupt_does_not_wait_for_a_compiled_library():
    code = """
import signal, sys, time
from largemargin import cli
from largemargin.numerics import interrupt
from largemargin.cli import group

def command(prog_name):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        interrupt.interruptible(lambda: time.sleep(30))
    except KeyboardInterrupt:
        print("left")
        sys.exit(130)

group.command = command
cli.main()
"""
    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (told.returncode, told.stdout, told.stderr) == (130, "left\n", "")


def test_a_reader_who_has_had_enough_is_no_error(place):
    with subprocess.Popen(
        [*COMMAND, "info", "cells.model"],
        cwd=place,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_without_click_the_command_says_how_to_get_it(tmp_path):
    (tmp_path / "click.py").write_text(
        "raise ModuleNotFoundError('No module', name='click')"
    )
    told = subprocess.run(
        [*COMMAND, "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert "pip install 'largemargin[cli]'" in told.stderr
    assert "Traceback" not in told.stderr
