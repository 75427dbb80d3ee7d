"""What goes to standard output, what to files, and how often rows are scored for it."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

from largemargin import LinearLDMClassifier, margin_distribution
from largemargin.cli import predict, terminal
from largemargin.cli.group import command
from largemargin.cli.outputs import check_writable, written
from largemargin.production.model_files import save

NOBODY = 65534


def run(*arguments):
    """Run the command in this process; its output may be binary."""
    told = CliRunner().invoke(command, [str(one) for one in arguments])
    assert told.exit_code == 0, told.stderr
    return told


def test_a_model_does_not_go_to_standard_output(refused, libsvm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    assert "Expected the name of a file; '-'" in refused("train", libsvm, "-o", "-", code=2)
    assert set(tmp_path.iterdir()) == before


def test_a_graph_may_go_to_standard_output_and_its_facts_beside_it(model, cells):
    runtime = pytest.importorskip("onnxruntime")
    told = run("export", model, "-", "--json")
    labels, _ = runtime.InferenceSession(told.stdout_bytes).run(None, {"X": cells[0]})
    assert len(labels) == 100
    facts = json.loads(told.stderr)
    assert (facts["inputs"], facts["numbers"]) == (["X"], "float64")
    assert run("export", model, "-", "-q").stderr == ""


def test_a_picture_may_go_to_standard_output_and_its_facts_beside_it(model, libsvm):
    told = run("margins", model, libsvm, "--plot", "-", "--json")
    assert told.stdout_bytes.startswith(b"\x89PNG")
    assert told.stdout_bytes.endswith(b"IEND\xaeB`\x82")
    assert json.loads(told.stderr)["rows"] == 100


def test_a_closed_standard_output_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="Standard output is closed; open it, or name a file"):
        check_writable("-", may_be_shown=True)
    with pytest.raises(OSError, match="Standard output is closed"), written("-"):
        pass


def test_predictions_need_somewhere_to_go(model, libsvm):
    line = f"{sys.executable} -m largemargin.cli predict {model} {libsvm} >&-"
    told = subprocess.run(line, shell=True, capture_output=True)
    assert told.returncode == 1
    assert told.stderr.startswith(b"largemargin: Standard output is closed")
    assert told.stderr.count(b"\n") == 1


def test_a_picture_of_an_unknown_kind_is_refused_before_rows_are_read(refused, model):
    told = refused("margins", model, "nowhere.csv", "--plot", "m.foo", code=2)
    assert "m.foo: plots end in .png, .pdf or .svg, not in .foo." in told


def test_normalised_margins_are_those_of_a_picture(refused, model, libsvm):
    told = refused("margins", model, libsvm, "--normalise", code=2)
    assert "use it with --plot" in told


@pytest.fixture
def blocks(monkeypatch):
    """Record the blocks of rows that are scored, and how the bar moves."""
    seen, moves = [], []
    monkeypatch.setattr(predict, "BLOCK_ROWS", 30)
    ask = LinearLDMClassifier.decision_function

    def decision_function(self, X):
        seen.append(X.shape[0])
        return ask(self, X)

    def move(done, total, title=None):
        moves.append((done, total))

    monkeypatch.setattr(LinearLDMClassifier, "decision_function", decision_function)
    monkeypatch.setattr(terminal, "bar", lambda title, quiet=False: nullcontext(move))
    return seen, moves


@pytest.mark.parametrize("command", ["evaluate", "margins"])
def test_rows_are_scored_once_and_move_a_bar(good, model, libsvm, blocks, command):
    seen, moves = blocks
    told = good(command, model, libsvm, "--json").record
    assert seen == [30, 30, 30, 10]
    assert moves[-4:] == [(30, 100), (60, 100), (90, 100), (100, 100)]
    X, y = load_svmlight_file(str(libsvm))
    margins = margin_distribution(LinearLDMClassifier().fit(X.toarray(), y), X, y)
    assert told["margin mean"] == pytest.approx(margins.mean)


def test_other_machines_are_asked_what_they_predict(good, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 4, 200)
    machine = SVC(C=100.0, gamma=0.1).fit(X, y)
    by_score = machine.decision_function(X).argmax(axis=1)
    assert (machine.predict(X) != by_score).any()
    save(machine, tmp_path / "m")
    np.savez(tmp_path / "noise.npz", X=X, y=y)
    told = good("evaluate", tmp_path / "m", tmp_path / "noise.npz", "--json").record
    assert told["accuracy"] == pytest.approx(machine.score(X, y))


@pytest.mark.parametrize(
    "arguments",
    [
        "predict cells.model cells.libsvm -o cells.libsvm",
        "predict cells.model cells.libsvm -o cells.model",
        "export cells.model cells.model",
        "margins cells.model cells --plot cells",
    ],
)
def test_what_is_read_is_not_written_to(refused, model, libsvm, monkeypatch, arguments):
    monkeypatch.chdir(model.parent)
    os.symlink("cells.libsvm", "cells")
    before = model.read_bytes(), libsvm.read_bytes()
    assert "is an input file; name another" in refused(*arguments.split(), code=2)
    assert (model.read_bytes(), libsvm.read_bytes()) == before


def test_labels_without_a_place_are_told_before_rows_are_read(refused, model, tmp_path):
    told = refused("predict", model, "nowhere.csv", "-o", tmp_path / "nowhere" / "labels")
    assert "Its directory does not exist" in told


@pytest.fixture
def closed():
    """A read-only directory, and a process without the rights of root."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o555)
        before = os.getresuid()
        if os.geteuid() == 0:
            try:
                os.setresuid(NOBODY, NOBODY, 0)
            except OSError as error:
                pytest.skip(f"root may write anywhere, and must remain root: {error}")
        yield place
        os.setresuid(*before)


def test_a_directory_without_permission_is_refused(closed):
    with pytest.raises(PermissionError, match="cannot be written to"):
        check_writable(closed / "m")
