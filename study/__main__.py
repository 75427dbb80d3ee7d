"""The study as a command: ``python -m study``."""

from contextlib import contextmanager
from pathlib import Path

import click

from largemargin.cli import INTERRUPTED, run, terminal
from largemargin.cli.group import SETTINGS, ReportingCommand, sentence
from largemargin.cli.options import jobs_option, json_option, quiet_option
from study import run_study
from study.methods import STUDIED
from study.store import Store, StoreError


def listed(context, parameter, value):
    """Return the names in a comma-separated list; "none" is an empty one."""
    if value is None or value == "none":
        return None if value is None else []
    return [name.strip() for name in value.split(",") if name.strip()]


@contextmanager
def bar(quiet):
    """Draw a progress bar with the time left; yield the function that moves it."""
    with terminal.bar("looking at data sets", quiet=quiet) as shown:
        yield lambda n_done, n_tasks, task: shown(
            n_done, n_tasks, "study" if task is None else task.source.name
        )


@click.command(
    cls=ReportingCommand,
    context_settings=SETTINGS,
    help="Run the paper's study, or write a report of its results so far.\n\nEvery result "
    "is stored as soon as it is known, so an interrupted study is resumed by running the "
    "same command again.",
    epilog="Example: python -m study --file mine.csv --label diagnosis",
)
@click.argument("action", type=click.Choice(["run", "report"]), default="run")
@click.option(
    "--protocol",
    default="both",
    show_default=True,
    help="How to scale data and choose parameters. paper: as in the paper; fair: with a "
    "grid that suits each method; both: one after the other.",
)
@click.option(
    "--sets",
    callback=listed,
    help="Comma-separated names of the paper's data sets, as listed by 'python -m "
    "study.datasets list', or 'none'. Default: all of --scale, or none if --file is given.",
)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file of your own, LIBSVM, CSV, TSV, Parquet or NPZ; may be given repeatedly.",
)
@click.option(
    "--label",
    help="Column of the labels in tables, by name or number (0 is the first, -1 the "
    "last). Default: the last.",
)
@click.option(
    "--methods",
    callback=listed,
    help=f"Comma-separated names out of {', '.join(STUDIED)}. Default: all.",
)
@click.option(
    "--kernels",
    callback=listed,
    help="Comma-separated kernels, linear and rbf. Default: both.",
)
@click.option(
    "--repetitions",
    type=int,
    help="Number of random splits of each data set. Default: 30, or 10 if it is large.",
)
@click.option(
    "--scale",
    default="all",
    show_default=True,
    help="Which of the paper's data sets to use: regular, large or all.",
)
@jobs_option("Number of processes", default=-1)
@click.option(
    "--quick",
    is_flag=True,
    help="A quick run of some minutes: small data sets, few splits.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("study-results"),
    show_default=True,
    help="Directory for results, tables and figures.",
)
@click.option(
    "--data",
    "data_home",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Directory of data sets. Default: the environment variable LARGEMARGIN_DATA.",
)
@click.option(
    "--download/--no-download",
    default=False,
    show_default=True,
    help="Whether to download data sets that are not found.",
)
@json_option
@quiet_option
@click.pass_context
def main(context, action, output, data_home, jobs, as_json, quiet, **options):
    """Run the study or write its report; the exit code is 1 if a task failed."""
    try:
        if action == "report":
            report(output, data_home, as_json=as_json, quiet=quiet)
            return
        with bar(quiet) as on_progress:
            where = {"data_home": data_home, "n_jobs": jobs, "on_progress": on_progress}
            outcome = run_study(output, **where, **options)
    except KeyboardInterrupt:
        click.echo(
            f"\nInterrupted. Finished results are kept in {output}: run the same command "
            "to resume, or 'report' to write tables of the results so far.",
            err=True,
        )
        context.exit(INTERRUPTED)
    except (StoreError, ValueError, OSError) as error:
        raise click.ClickException(sentence(error)) from error
    if as_json:
        terminal.show(facts_of(outcome, output), as_json=True)
    else:
        summarise(outcome, output, options["download"], quiet=quiet)
    context.exit(1 if outcome.failures else 0)


def report(output, data_home, *, as_json, quiet):
    """Write tables and figures of the stored results, and print their names."""
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
    """Return what was done, is missing, was skipped or failed, by name."""
    return {
        "new results": outcome.n_done,
        "results": len(Store(output).results()),
        "report": report_in(output),
        "missing": outcome.missing,
        "left out": [str(task) for task in outcome.skipped],
        "failed": [{"task": what, "reason": reason} for what, reason in outcome.failures],
    }


def summarise(outcome, output, downloaded, *, quiet=False):
    """Print what was done, is missing, was skipped or failed; if quiet, only failures."""
    if not quiet:
        click.echo(f"{outcome.n_done} new results; tables and figures are in {output}.")
        print_missing(outcome, downloaded)
    tasks_of = {}
    for what, reason in outcome.failures:
        tasks_of.setdefault(reason, []).append(what)
    for reason, (first, *others) in tasks_of.items():
        more = f" and {len(others)} more" if others else ""
        click.echo(f"failed: {first}{more}: {reason}", err=True)


def print_missing(outcome, downloaded):
    """Print which data sets were not found, and which tasks were skipped."""
    if downloaded:
        for name, reason in outcome.missing.items():
            click.echo(f"missing: {name}: {reason}")
    elif outcome.missing:
        click.echo(
            f"missing: {', '.join(outcome.missing)}. Use --download, or give a directory "
            "that has them by --data or LARGEMARGIN_DATA."
        )
    for task in outcome.skipped:
        click.echo(f"skipped, because the method that it follows has no result: {task}")


if __name__ == "__main__":
    run(main, "python -m study")
