"""``python -m study.datasets``: list and download the data sets of the paper."""

from pathlib import Path

import click

from largemargin.cli import run
from largemargin.cli.group import SETTINGS, ReportingGroup
from largemargin.cli.options import json_option, quiet_option

data_option = click.option(
    "--data",
    "data_home",
    help="Directory to search first. Default: the environment variable LARGEMARGIN_DATA.",
)


@click.group(
    cls=ReportingGroup,
    context_settings=SETTINGS,
    epilog="Example: python -m study.datasets list",
)
def main():
    """List the data sets of the paper, or write one to a file."""


@main.command("list", epilog="Example: python -m study.datasets list --scale regular")
@click.option(
    "--scale",
    type=click.Choice(["regular", "large"]),
    help="List only the data sets of this part of the paper's Table 1.",
)
@json_option
def show_list(scale, as_json):
    """List the data sets: their names, sizes and tasks."""
    from largemargin.cli import terminal
    from study import datasets

    entries = [datasets.info(name) for name in datasets.names(scale)]
    columns = "name", "rows", "features", "scale", "task"
    if as_json:
        records = [{name: getattr(entry, name) for name in columns} for entry in entries]
        terminal.show({"datasets": records}, as_json=True)
        return
    rows = [[getattr(entry, name) for name in columns] for entry in entries]
    terminal.show_table(columns, rows)


@main.command(epilog="Example: python -m study.datasets get wdbc -o wdbc.libsvm")
@click.argument("name")
@click.option(
    "-o",
    "--output",
    help="File to write, compressed if it ends in .gz, .bz2 or .xz; '-' is standard "
    "output. Default: NAME.libsvm.",
)
@data_option
@click.option(
    "--download/--no-download",
    default=True,
    show_default=True,
    help="Whether to download the data set if it is not found.",
)
@json_option
@quiet_option
def get(name, output, data_home, download, as_json, quiet):
    """Write the data set NAME as LIBSVM text, downloading it if necessary.

    'python -m study.datasets list' lists the names.
    """
    from largemargin.cli import terminal
    from largemargin.cli.outputs import beside, check_writable
    from study import datasets

    output = f"{datasets.info(name).name}.libsvm" if output is None else output
    check_name(output)
    check_writable(output, may_be_shown=True)
    with terminal.bar(f"loading {name}", quiet=quiet) as move:
        where = {"data_home": data_home, "download": download}
        try:
            data = datasets.load(name, **where, on_progress=move)
        except datasets.MissingDataset as error:
            raise datasets.MissingDataset(in_options(str(error))) from error
    write_libsvm(data, output)
    n_rows, n_features = data.X.shape
    facts = {"name": data.name, "source": data.source, "rows": n_rows}
    facts |= {"features": n_features, "file": output}
    with beside(output):
        terminal.show(facts, as_json=as_json, quiet=quiet)


def check_name(path):
    """Raise UsageError if the name of the file promises another format."""
    from largemargin.tables.opening import name_and_ending
    from largemargin.tables.reading import KINDS

    _, ending = name_and_ending(path)
    if KINDS.get(ending) not in (None, "libsvm"):
        raise click.UsageError(
            f"{path} will hold LIBSVM text, so its name should not end in {ending}; "
            "expected .libsvm, or any other name."
        )


def in_options(text):
    """Return a message about arguments in terms of the options of the command."""
    for argument, option in (
        ("download=False", "--no-download"),
        ("download=True", "--download"),
    ):
        text = text.replace(argument, option)
    return text


def write_libsvm(data, path):
    """Write a data set as LIBSVM text, compressed if its name says so."""
    from contextlib import nullcontext

    from sklearn.datasets import dump_svmlight_file

    from largemargin.cli.outputs import written
    from largemargin.tables.opening import OPENERS

    pack = OPENERS.get(Path(path).suffix.lower())
    with (
        written(path) as stream,
        nullcontext(stream) if pack is None else pack(stream, "wb") as text,
    ):
        dump_svmlight_file(data.X, data.y.astype(int), text, zero_based=False)


if __name__ == "__main__":
    run(main, "python -m study.datasets")
