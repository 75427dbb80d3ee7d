"""What the README shows is what happens."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl

README = Path(__file__).parent.parent / "README.md"


def test_the_python_examples_run(capsys, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    first, second, third, fourth = blocks
    names = {}
    exec(compile(first, str(README), "exec"), names)
    accuracy, gap, *_ = map(float, capsys.readouterr().out.split())
    assert accuracy > 0.9
    assert gap <= 1e-4
    exec(compile(second, str(README), "exec"), names)
    assert names["search"].best_score_ > 0.9
    assert (tmp_path / "margins.png").stat().st_size > 0
    exec(compile(third, str(README), "exec"), names)
    assert names["model"].score(names["data"].X, names["data"].y) > 0.9
    exec(compile(fourth, str(README), "exec"), names)
    outputs = [output.name for output in names["graph"].graph.output]
    assert outputs == ["label", "scores", "probabilities"]


def test_the_tour_of_the_shell_runs(tmp_path):
    tour = re.search(
        r"```sh\n(python -m study.datasets.*?)```", README.read_text(), re.DOTALL
    )
    python = shlex.quote(sys.executable)
    paths = [str(README.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    for line in tour[1].splitlines():
        line = re.sub("^largemargin", "python -m largemargin.cli", line)
        said = subprocess.run(
            re.sub("^python", lambda _: python, line),
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
        )
        assert said.returncode == 0, said.stderr
    assert {path.name for path in tmp_path.iterdir()} == {
        "labels.txt",
        "margins.png",
        "wdbc.libsvm",
        "wdbc.model",
    }
