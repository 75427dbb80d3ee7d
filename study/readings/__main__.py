"""The study of the paper's scaling as a command: ``python -m study.readings``."""

import click

from largemargin.cli import run
from largemargin.cli.group import SETTINGS
from largemargin.cli.options import jobs_option
from study import sources_of_sets
from study.__main__ import bar, listed
from study.commands import conclude, data_option, errors_as_messages, output_option
from study.readings.report import write
from study.readings.running import Plan, ReadingsRun
from study.store import Store

# The literal reading is part of the paper's study, and done where that is done.
OUTPUT = output_option("study-results")


@click.group(context_settings=SETTINGS)
def main():
    """Compare readings of the paper's objective with its printed accuracies."""


@main.command("run")
@click.option(
    "--sets", callback=listed, help="Comma-separated names. Default: all regular sets."
)
@click.option(
    "--repetitions",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of random splits of each data set.",
)
@data_option
@jobs_option("Number of processes", default=2)
@OUTPUT
def run_command(sets, repetitions, data_home, jobs, output):
    """Measure what is not stored yet; an interrupted run is resumed."""
    with errors_as_messages(output):
        sources = sources_of_sets(sets, "regular", False, data_home, False)
        plan = Plan(tuple(sources), repetitions=repetitions)
        store = Store(output)
        with bar(False) as shown, store, ReadingsRun(store, jobs, shown) as going:
            outcome = going.complete(plan)
    conclude(outcome, output)


@main.command("report")
@OUTPUT
def report_command(output):
    """Write readings.md and readings.csv of the results so far."""
    with errors_as_messages(output):
        store = Store(output)
        for path in write(store.results(), store.datasets(), output):
            click.echo(path)


if __name__ == "__main__":
    run(main, "python -m study.readings")
