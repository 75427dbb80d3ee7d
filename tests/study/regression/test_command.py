import pytest
from click.testing import CliRunner

from study.regression import __main__ as command
from study.regression.__main__ import main


def call(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.usefixtures("in_this_process", "tiny_sets")
def test_a_run_and_its_report(tmp_path, tiny_sets, monkeypatch):
    monkeypatch.setattr(command, "SETS", tiny_sets)
    monkeypatch.setattr("study.regression.report.division", lambda: (set(tiny_sets),) * 2)
    methods = "--method", "LinearSVR search", "--method", "linear C loo, k 0/0, epsilon loo"
    told = call("run", *methods, "--jobs", 1, "--splits", 1, "--output", tmp_path)
    assert told.exit_code == 0, told.output
    assert "8 of 8 tasks" in told.output
    told = call("report", "--output", tmp_path)
    assert told.exit_code == 0, told.output
    assert (tmp_path / "report.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--sets", "diabetis"], "Did you mean 'diabetes'?"),
        (["run", "--method", "SVQ"], "Did you mean 'SVR'?"),
        (["report"], "run both"),
    ],
)
def test_wrong_input_is_an_error_with_the_way_out(arguments, words, tmp_path):
    told = call(*arguments, "--output", tmp_path)
    assert told.exit_code == 1
    assert words in told.output


def test_sets_and_methods_are_listed():
    told = call("list").output
    assert "NOxEmissions" in told
    assert "SVR search" in told
