"""The study as a command: ``largemargin study``, or ``python -m largemargin.study``."""

import logging
import time
from contextlib import contextmanager
from pathlib import Path

import click

from largemargin import terminal
from largemargin.study import run_study
from largemargin.study.store import Store, StoreError

INTERRUPTED = 130
# Between two lines of progress where there is no terminal to draw a bar on.
LINE_SECONDS = 10.0


def listed(context, parameter, value):
    """Return the names in a list with commas; "none" is an empty one."""
    if value is None:
        return None
    return (
        []
        if value == "none"
        else [name.strip() for name in value.split(",") if name.strip()]
    )


class Lines:
    """Progress as a line of text now and then."""

    def __init__(self):
        self.begin = self.told = time.monotonic()

    def __call__(self, n_done, n_tasks, task):
        """Tell how far the study is, unless that was told a moment ago."""
        now = time.monotonic()
        if 0 < n_done < n_tasks and now - self.told < LINE_SECONDS:
            return
        self.told = now
        line = f"{n_done} of {n_tasks} tasks"
        if task is not None:
            left = (now - self.begin) * (n_tasks / n_done - 1.0)
            line += f", {left / 60:.1f} minutes left; last: {task}"
        click.echo(line, err=True)


@contextmanager
def bar():
    """Draw a progress bar with the time left; give what moves it."""
    from rich.logging import RichHandler

    with terminal.Bar("looking at data sets") as shown:
        handler = RichHandler(console=shown.console, show_path=False)
        terminal.logger.addHandler(handler)

        def move(n_done, n_tasks, task):
            shown(n_done, n_tasks, "study" if task is None else task.source.name)

        try:
            yield move
        finally:
            terminal.logger.removeHandler(handler)


@contextmanager
def lines():
    """Write lines of progress; give what writes them."""
    handler = logging.StreamHandler()
    terminal.logger.addHandler(handler)
    try:
        yield Lines()
    finally:
        terminal.logger.removeHandler(handler)


@click.command(
    help="Run the paper's study, or report what is there of it.",
    epilog="Example: largemargin study --sets none --file mine.csv --label diagnosis",
)
@click.argument("action", type=click.Choice(["run", "report"]), default="run")
@click.option("--protocol", default="both", help="paper, fair or both.")
@click.option("--sets", callback=listed, help="Names with commas; 'none' for files only.")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A LIBSVM or CSV file of your own to add.",
)
@click.option("--label", help="Column of the labels in CSV files, name or number from 0.")
@click.option("--methods", callback=listed, help="Names with commas; default: all.")
@click.option("--kernels", callback=listed, help="linear, rbf or both with a comma.")
@click.option("--repetitions", type=int, help="Default: 30, and 10 of large sets.")
@click.option("--scale", default="all", help="Which of the paper's sets: regular, large.")
@click.option("--jobs", type=int, default=-1, help="Processes; default: one a core.")
@click.option("--quick", is_flag=True, help="Small sets, few repetitions: minutes.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("study"),
    help="Directory of results, tables and figures; default: study.",
)
@click.option(
    "--data",
    "data_home",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Directory of data sets.",
)
@click.option("--download/--no-download", default=False, help="Fetch what is not there.")
@click.pass_context
def main(context, action, output, data_home, jobs, **options):
    """Run or report, and end with a code that tells how it went."""
    try:
        if action == "report":
            report(output, data_home)
            return
        with bar() if terminal.on_terminal() else lines() as on_progress:
            where = {"data_home": data_home, "n_jobs": jobs, "on_progress": on_progress}
            outcome = run_study(output, **where, **options)
    except KeyboardInterrupt:
        click.echo(
            f"\nInterrupted. What was finished is kept in {output}: the same command goes "
            "on from there, 'report' writes tables of what there is.",
            err=True,
        )
        context.exit(INTERRUPTED)
    except (StoreError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    tell(outcome, output, options["download"])
    context.exit(1 if outcome.failures else 0)


def report(output, data_home):
    """Write tables and figures of what is stored."""
    from largemargin.study.report import write

    store = Store(output)
    if not store.results():
        raise StoreError(f"There are no results in {output} yet: run the study first.")
    for path in write(store, output, data_home=data_home):
        click.echo(path)


def tell(outcome, output, downloaded):
    """Say what was done, what is missing, was left out or failed."""
    click.echo(f"{outcome.n_done} new results; tables and figures are in {output}.")
    if downloaded:
        for name, reason in outcome.missing.items():
            click.echo(f"missing: {name}: {reason}")
    elif outcome.missing:
        click.echo(
            f"missing: {', '.join(outcome.missing)}. --download fetches them; --data, or "
            "LARGEMARGIN_DATA, names a directory that has them."
        )
    for task in outcome.skipped:
        click.echo(f"left out, since what it follows has no result: {task}")
    tasks_of = {}
    for what, reason in outcome.failures:
        tasks_of.setdefault(reason, []).append(what)
    for reason, (first, *others) in tasks_of.items():
        more = f" and {len(others)} more" if others else ""
        click.echo(f"failed: {first}{more}: {reason}")


if __name__ == "__main__":
    main()
