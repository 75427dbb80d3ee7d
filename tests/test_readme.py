"""What the README shows is what happens."""

import re
import shlex
from pathlib import Path

import matplotlib as mpl
from click.testing import CliRunner

from largemargin.cli.group import command as largemargin
from study.datasets.__main__ import main as study_datasets

README = Path(__file__).parent.parent / "README.md"


def test_the_python_examples_run(capsys, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    first, second, third, fourth = blocks
    names = {}
    exec(compile(first, str(README), "exec"), names)
    *_, accuracy, gap, _, _ = map(float, capsys.readouterr().out.split())
    assert accuracy > 0.9
    assert gap <= 1e-4
    exec(compile(second, str(README), "exec"), names)
    assert names["search"].best_score_ > 0.9
    assert names["search"].best_params_["lambda_var"] == 0.0  # as a comment says
    assert names["ldm"].lambda_var != 0
    assert (tmp_path / "margins.png").stat().st_size > 0
    exec(compile(third, str(README), "exec"), names)
    assert names["model"].score(names["data"].X, names["data"].y) > 0.9
    exec(compile(fourth, str(README), "exec"), names)
    outputs = [output.name for output in names["graph"].graph.output]
    assert outputs == ["label", "scores", "probabilities"]


def test_the_tour_of_the_shell_runs(tmp_path, monkeypatch):
    # In this process: every command is run as a process of its own in tests/cli.
    programs = {
        ("python", "-m", "study.datasets"): study_datasets,
        ("largemargin",): largemargin,
    }
    monkeypatch.chdir(tmp_path)
    tour = re.search(
        r"```sh\n(python -m study.datasets.*?)```", README.read_text(), re.DOTALL
    )
    for line in tour[1].splitlines():
        words = tuple(shlex.split(line, comments=True))
        start = next(one for one in programs if words[: len(one)] == one)
        told = CliRunner().invoke(programs[start], words[len(start) :])
        assert told.exit_code == 0, told.stderr
    assert {path.name for path in tmp_path.iterdir()} == {
        "labels.txt",
        "margins.png",
        "wdbc.libsvm",
        "wdbc.model",
    }
