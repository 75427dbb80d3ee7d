import pytest
from click.testing import CliRunner

from study.readings import __main__ as command
from study.readings.__main__ import main


def call(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.usefixtures("in_this_process")
def test_a_run_says_what_it_did_and_is_resumed(source, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sources_of_sets", lambda *where: [source])
    options = "--jobs", 1, "--repetitions", 1, "--output", tmp_path / "results"
    told = call("run", *options)
    assert told.exit_code == 0, told.output
    assert "6 new results" in told.output
    assert "0 new results" in call("run", *options).output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["run", "--sets", "sonra"], "Did you mean 'sonar'?"), (["report"], "run the study")],
)
def test_wrong_input_is_an_error_with_the_way_out(arguments, words, tmp_path):
    told = call(*arguments, "--output", tmp_path)
    assert told.exit_code == 1
    assert words in told.output
