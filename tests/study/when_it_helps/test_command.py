import pytest
from click.testing import CliRunner

from study.when_it_helps.__main__ import main


def call(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.usefixtures("in_this_process", "tiny")
def test_a_run_and_its_report(tmp_path):
    options = "--jobs", 1, "--splits", 1, "--output", tmp_path
    told = call("run", *options)
    assert told.exit_code == 0, told.output
    assert "10 new results" in told.output
    assert "0 new results" in call("run", *options).output
    told = call("report", "--output", tmp_path)
    assert told.exit_code == 0, told.output
    assert (tmp_path / "tables.md").is_file()


@pytest.mark.usefixtures("in_this_process")
def test_a_missing_package_is_reported_and_is_no_failure(tmp_path):
    where = "--packages", tmp_path, "--output", tmp_path / "results"
    told = call("run", "--sets", "saheart", "--jobs", 1, *where)
    assert told.exit_code == 0, told.output
    assert "missing: data/balanced/raw/saheart.dat" in told.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--sets", "saharet"], "Did you mean 'saheart'?"),
        (["run", "--condition", "21 rows"], "Did you mean '20 rows'?"),
        (["report"], "run it first"),
    ],
)
def test_wrong_input_is_an_error_with_the_way_out(arguments, words, tmp_path):
    told = call(*arguments, "--output", tmp_path)
    assert told.exit_code == 1
    assert words in told.output


def test_conditions_are_listed_with_their_sets():
    told = call("list").output
    assert "20 % flipped" in told
    assert "spambase" in told
