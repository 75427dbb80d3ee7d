"""The study as a command: ``python -m study``."""

from contextlib import contextmanager
from pathlib import Path

import click

from largemargin.cli import INTERRUPTED, run, terminal
from largemargin.cli.group import SETTINGS, ReportingCommand, sentence
from largemargin.cli.options import jobs_option, json_option, quiet_option
from study import run_study
from study.methods import METHODS
from study.store import Store, StoreError


def listed(context, parameter, value):
    """Return the names in a list with commas; "none" is an empty one."""
    if value is None:
        return None
    return (
        []
        if value == "none"
        else [name.strip() for name in value.split(",") if name.strip()]
    )


@contextmanager
def bar(quiet):
    """Draw a progress bar with the time left; give what moves it."""
    with terminal.bar("looking at data sets", quiet=quiet) as shown:
        yield lambda n_done, n_tasks, task: shown(
            n_done, n_tasks, "study" if task is None else task.source.name
        )


@click.command(
    cls=ReportingCommand,
    context_settings=SETTINGS,
    help="Run the paper's study, or report what is there of it.\n\nEvery result is kept as "
    "soon as it is there; the same command goes on with what is left.",
    epilog="Example: python -m study --sets none --file mine.csv --label diagnosis",
)
@click.argument("action", type=click.Choice(["run", "report"]), default="run")
@click.option(
    "--protocol",
    default="both",
    show_default=True,
    help="paper: as the paper scales data and chooses parameters; fair: by grids that are "
    "fair to every method; or both.",
)
@click.option(
    "--sets",
    callback=listed,
    help="Names with commas, those of 'python -m study.datasets list', or 'none' for "
    "files only; default: all of --scale.",
)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A LIBSVM or CSV file of your own to add; may come again.",
)
@click.option(
    "--label",
    help="Column of the labels in CSV files, by name or number: 0 is the first, -1 the "
    "last; default: the last.",
)
@click.option(
    "--methods",
    callback=listed,
    help=f"Names with commas, of {', '.join(METHODS)}; default: all.",
)
@click.option("--kernels", callback=listed, help="linear or rbf; default: both.")
@click.option(
    "--repetitions",
    type=int,
    help="Random halves of each set; default: 30, and 10 of large sets.",
)
@click.option(
    "--scale",
    default="all",
    show_default=True,
    help="Which of the paper's sets: regular, large or all.",
)
@jobs_option("Number of processes", default=-1)
@click.option("--quick", is_flag=True, help="Small sets, few repetitions: minutes.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("study-results"),
    show_default=True,
    help="Directory of results, tables and figures.",
)
@click.option(
    "--data",
    "data_home",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Directory to look for sets in first; default: the variable LARGEMARGIN_DATA.",
)
@click.option(
    "--download/--no-download",
    default=False,
    show_default=True,
    help="Whether to fetch data sets that are not there.",
)
@json_option
@quiet_option
@click.pass_context
def main(context, action, output, data_home, jobs, as_json, quiet, **options):
    """Run or report, and end with a code that tells how it went."""
    try:
        if action == "report":
            report(output, data_home, as_json=as_json, quiet=quiet)
            return
        with bar(quiet) as on_progress:
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
        raise click.ClickException(sentence(error)) from error
    if as_json:
        terminal.show(facts_of(outcome, output), as_json=True)
    else:
        tell(outcome, output, options["download"], quiet=quiet)
    context.exit(1 if outcome.failures else 0)


def report(output, data_home, *, as_json, quiet):
    """Write tables and figures of what is stored, and tell their names."""
    from study.report import write

    store = Store(output)
    n_results = len(store.results())
    if not n_results:
        raise StoreError(f"There are no results in {output} yet: run the study first.")
    files = [str(path) for path in write(store, output, data_home=data_home)]
    if as_json:
        facts = {"results": n_results, "report": report_in(output), "files": files}
        terminal.show(facts, as_json=True)
    elif not quiet:
        click.echo("\n".join(files))


def report_in(output):
    """Return the file that shows all tables and figures."""
    return str(output / "report.md")


def facts_of(outcome, output):
    """Return what was done, what is missing, was left out or failed, by name."""
    return {
        "new results": outcome.n_done,
        "results": len(Store(output).results()),
        "report": report_in(output),
        "missing": outcome.missing,
        "left out": [str(task) for task in outcome.skipped],
        "failed": [{"task": what, "reason": reason} for what, reason in outcome.failures],
    }


def tell(outcome, output, downloaded, *, quiet=False):
    """Say what was done, what is missing, was left out or failed; if quiet, only that."""
    if not quiet:
        click.echo(f"{outcome.n_done} new results; tables and figures are in {output}.")
        tell_missing(outcome, downloaded)
    tasks_of = {}
    for what, reason in outcome.failures:
        tasks_of.setdefault(reason, []).append(what)
    for reason, (first, *others) in tasks_of.items():
        more = f" and {len(others)} more" if others else ""
        click.echo(f"failed: {first}{more}: {reason}", err=True)


def tell_missing(outcome, downloaded):
    """Say what could not be had, and what was left out."""
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


if __name__ == "__main__":
    run(main, "python -m study")
