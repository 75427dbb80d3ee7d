"""What the README shows is what happens."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_python_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(code, str(README), "exec"), {})
    accuracy, gap, *_ = map(float, capsys.readouterr().out.split())
    assert accuracy > 0.9
    assert gap <= 1e-4
