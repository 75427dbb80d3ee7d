"""The study of when an LDM helps as a command: ``python -m study.when_it_helps``."""

import click

from largemargin.cli import run
from largemargin.cli.group import SETTINGS
from largemargin.cli.options import jobs_option
from study.__main__ import listed
from study.commands import (
    conclude,
    data_option,
    errors_as_messages,
    output_option,
    packages_option,
)
from study.defaults.running import Lines
from study.defaults.sets import Source
from study.methods import check_name
from study.store import Store
from study.when_it_helps.conditions import CONDITIONS
from study.when_it_helps.report import write
from study.when_it_helps.running import HelpsRun, Plan

OUTPUT = output_option("study-results/when_it_helps")


@click.group(context_settings=SETTINGS)
def main():
    """Compare self-tuned LDMs with SVMs on few rows, wrong labels and many rows."""


@main.command("run")
@click.option("--sets", callback=listed, help="Comma-separated names. Default: all.")
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    help="A condition, as 'list' shows them; may be given repeatedly. Default: all.",
)
@click.option(
    "--splits",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of random splits of each data set.",
)
@data_option
@packages_option
@jobs_option("Number of processes", default=2)
@OUTPUT
def run_command(sets, conditions, splits, data_home, packages, jobs, output):
    """Measure what is not stored yet; an interrupted run is resumed."""
    with errors_as_messages(output):
        known = dict.fromkeys(name for one in CONDITIONS.values() for name in one.sets)
        names = [check_name(name, known, "data set") for name in sets or known]
        plan = Plan(
            tuple(Source(name, data_home, packages) for name in names),
            tuple(check_name(one, CONDITIONS, "condition") for one in conditions)
            or tuple(CONDITIONS),
            splits,
        )
        store = Store(output)
        with store, HelpsRun(store, jobs, Lines(click.echo)) as going:
            outcome = going.complete(plan)
    conclude(outcome, output)


@main.command("report")
@OUTPUT
def report_command(output):
    """Write tables.md, means.csv and a picture of the results so far."""
    with errors_as_messages(output):
        for path in write(Store(output).results(), output):
            click.echo(path)


@main.command("list")
def list_command():
    """Show the conditions with their data sets and methods."""
    for name, one in CONDITIONS.items():
        click.echo(f"{name}\n  sets: {', '.join(one.sets)}")
        click.echo(f"  methods: {'; '.join(one.methods)}")


if __name__ == "__main__":
    run(main, "python -m study.when_it_helps")
