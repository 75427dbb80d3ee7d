"""What the commands of the smaller studies share."""

from contextlib import contextmanager
from pathlib import Path

import click

from largemargin.cli import INTERRUPTED
from largemargin.cli.group import sentence
from study.store import StoreError


def output_option(default):
    """Return the option for the directory of results."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(default),
        show_default=True,
        help="Directory for results and report.",
    )


data_option = click.option(
    "--data",
    "data_home",
    type=click.Path(file_okay=False, exists=True),
    help="Directory of the paper's sets. Default: the variable LARGEMARGIN_DATA.",
)

packages_option = click.option(
    "--packages",
    type=click.Path(file_okay=False, exists=True),
    help="Directory of 'make study-sets'. Default: the variable LARGEMARGIN_PACKAGES.",
)


@contextmanager
def errors_as_messages(output):
    """Turn errors of a study, and an interrupt, into messages and exit codes."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"Interrupted; the results in {output} are kept.", err=True)
        click.get_current_context().exit(INTERRUPTED)
    except (StoreError, ValueError, OSError) as error:
        raise click.ClickException(sentence(error)) from error


def conclude(outcome, output):
    """Print what was done, is missing or failed; exit with 1 if a task failed."""
    for reason in outcome.missing.values():
        click.echo(f"missing: {reason}")
    for what, reason in outcome.failures:
        click.echo(f"failed: {what}: {reason}", err=True)
    click.echo(f"{outcome.n_done} new results in {output}.")
    click.get_current_context().exit(1 if outcome.failures else 0)
