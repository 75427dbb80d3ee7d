"""The study of the defaults as a command: ``python -m study.defaults``."""

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
from study.defaults.candidates import METHODS
from study.defaults.report import write
from study.defaults.running import DefaultsRun, Lines, Plan
from study.defaults.sets import SETS, TABLE, Source
from study.defaults.tasks import SCALINGS
from study.methods import check_name
from study.store import Store

OUTPUT = output_option("study-results/defaults")


@click.group(context_settings=SETTINGS)
def main():
    """Study candidates for the defaults on many data sets."""


@main.command("run")
@click.option("--sets", callback=listed, help="Comma-separated names. Default: all.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="A method by name, as 'list' shows them; may be given repeatedly. Default: all.",
)
@click.option("--scalings", callback=listed, help=f"Out of {', '.join(SCALINGS)}.")
@click.option("--splits", type=click.IntRange(1), help="At most this many splits per set.")
@data_option
@packages_option
@jobs_option("Number of processes", default=2)
@OUTPUT
def run_command(sets, methods, scalings, splits, data_home, packages, jobs, output):
    """Measure what is not stored yet; an interrupted run is resumed."""
    with errors_as_messages(output):
        names = [check_name(name, SETS, "data set") for name in sets or SETS]
        plan = Plan(
            tuple(Source(name, data_home, packages) for name in names),
            tuple(check_name(name, METHODS, "method") for name in methods or METHODS),
            tuple(check_name(one, SCALINGS, "scaling") for one in scalings or SCALINGS),
            splits,
        )
        store = Store(output)
        with store, DefaultsRun(store, jobs, Lines(click.echo)) as going:
            outcome = going.complete(plan)
    stored = sum(one.cpu_seconds for one in store.results())
    click.echo(
        f"CPU hours of the fits kept: {going.cpu_seconds / 3600:.2f} of this run, "
        f"{stored / 3600:.2f} of all."
    )
    conclude(outcome, output)


@main.command("report")
@click.option(
    "--chosen",
    multiple=True,
    help="A candidate to report instead of the best on the selection half.",
)
@OUTPUT
def report_command(chosen, output):
    """Write report.md and set-means.csv of the results so far."""
    with errors_as_messages(output):
        chosen = [check_name(name, METHODS, "method") for name in chosen]
        for path in write(Store(output).results(), output, chosen):
            click.echo(path)


@main.command("list")
def list_command():
    """Show the data sets and the methods."""
    for one in TABLE:
        click.echo(
            f"{one.name:<24}{one.origin:<14}{one.rows:>7}{one.features:>6}{one.classes:>4}"
        )
    for name in METHODS:
        click.echo(name)


if __name__ == "__main__":
    run(main, "python -m study.defaults")
