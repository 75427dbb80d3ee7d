import click
import pytest
from click.testing import CliRunner

from largemargin.cli import INTERRUPTED
from study.commands import conclude, errors_as_messages, output_option
from study.runner import Outcome
from study.store import StoreError


def called(work):
    """Return how a command ends whose work is given, and what it prints."""

    @click.command()
    @output_option("somewhere")
    def command(output):
        with errors_as_messages(output):
            outcome = work()
        conclude(outcome, output)

    return CliRunner().invoke(command, [])


def raising(error):
    def work():
        raise error

    return work


def test_an_interrupt_says_where_the_results_are():
    told = called(raising(KeyboardInterrupt()))
    assert told.exit_code == INTERRUPTED
    assert "the results in somewhere are kept" in told.output


@pytest.mark.parametrize("kind", [StoreError, ValueError, OSError])
def test_an_error_is_a_message(kind):
    told = called(raising(kind("no such thing")))
    assert told.exit_code == 1
    assert "no such thing" in told.output.lower()


def test_missing_sets_are_no_failure_and_failed_tasks_are_one():
    told = called(lambda: Outcome(2, missing={"banana": "banana is not there"}))
    assert told.exit_code == 0
    assert "missing: banana is not there" in told.output
    assert "2 new results in somewhere" in told.output
    told = called(lambda: Outcome(0, failures=[("a task", "a reason")]))
    assert told.exit_code == 1
    assert "failed: a task: a reason" in told.output
