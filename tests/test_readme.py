"""What the README shows is what happens."""

import re
from pathlib import Path

import matplotlib as mpl

README = Path(__file__).parent.parent / "README.md"


def test_the_python_examples_run(capsys, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    first, second, third = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
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
