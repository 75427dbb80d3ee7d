"""The study of regression as a command: ``python -m study.regression``."""

import click

from largemargin.cli import run
from largemargin.cli.group import SETTINGS
from largemargin.cli.options import jobs_option
from study.__main__ import listed
from study.commands import conclude, errors_as_messages, output_option, packages_option
from study.defaults.running import Lines
from study.methods import check_name
from study.regression.methods import METHODS
from study.regression.report import write
from study.regression.running import Plan, RegressionRun
from study.regression.sets import SETS, TABLE, Source
from study.regression.tasks import TARGETS, ValueResult
from study.store import Store

OUTPUT = output_option("study-results/regression")


@click.group(context_settings=SETTINGS)
def main():
    """Study regressors, and candidates for their defaults, on many data sets."""


@main.command("run")
@click.option("--sets", callback=listed, help="Comma-separated names. Default: all.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="A method by name, as 'list' shows them; may be given repeatedly. Default: all.",
)
@click.option("--targets", callback=listed, help=f"Out of {', '.join(TARGETS)}.")
@click.option("--splits", type=click.IntRange(1), help="At most this many splits per set.")
@packages_option
@jobs_option("Number of processes", default=2)
@OUTPUT
def run_command(sets, methods, targets, splits, packages, jobs, output):
    """Measure what is not stored yet; an interrupted run is resumed."""
    with errors_as_messages(output):
        names = [check_name(name, SETS, "data set") for name in sets or SETS]
        plan = Plan(
            tuple(Source(name, packages) for name in names),
            tuple(check_name(name, METHODS, "method") for name in methods or METHODS),
            tuple(check_name(one, TARGETS, "targets") for one in targets or TARGETS),
            splits,
        )
        store = Store(output, ValueResult)
        with store, RegressionRun(store, jobs, Lines(click.echo)) as going:
            outcome = going.complete(plan)
    click.echo(f"CPU hours of the fits kept: {going.cpu_seconds / 3600:.2f}.")
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
        for path in write(Store(output, ValueResult).results(), output, chosen):
            click.echo(path)


@main.command("list")
def list_command():
    """Show the data sets and the methods."""
    for one in TABLE:
        click.echo(f"{one.name:<18}{one.path or 'scikit-learn':<32}{one.rows:>7}")
    for name in METHODS:
        click.echo(name)


if __name__ == "__main__":
    run(main, "python -m study.regression")
