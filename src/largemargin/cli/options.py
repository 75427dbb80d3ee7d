"""Options that several commands share."""

from functools import partial, reduce

import click

from largemargin.cli import terminal

MAX_SEED = 2**32 - 1  # of NumPy


def together(*options):
    """Return one decorator for several options, in the order they are shown."""
    return lambda function: reduce(lambda f, option: option(f), reversed(options), function)


def label_option(default):
    """Return the option for the label column."""
    return click.option(
        "--label",
        help="Label column of a table, by name or by position: 0 is the first, -1 the "
        f"last.  [default: {default}]",
    )


format_options = together(
    click.option(
        "--format",
        "kind",
        type=click.Choice(["libsvm", "csv", "tsv", "parquet", "npz"]),
        help="Format of DATA.  [default: found from its name or content]",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a CSV or TSV file holds the column names.  "
        "[default: found from the first lines]",
    ),
)


def rows_of(data, options, *, quiet=False):
    """Return the rows of a file that is read as ``format_options`` say."""
    from largemargin.tables.reading import read

    bar = partial(terminal.bar, quiet=quiet)
    return read(data, kind=options["kind"], header=options["header"], progress=bar)


training_options = together(
    click.argument("data"),
    label_option("the last"),
    click.option(
        "--drop",
        multiple=True,
        help="Column of a table to leave out, by name or position. Can be repeated.",
    ),
    format_options,
    click.option(
        "--missing",
        type=click.Choice(["refuse", "impute"]),
        default="refuse",
        help="What to do about missing values: refuse DATA, or impute the median of a "
        "column or its most frequent category.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["none", "unit", "standard"]),
        help="How to scale features. unit: to [0, 1], or to [-1, 1] if DATA is sparse; "
        "standard: to mean 0 and variance 1, or only to variance 1 if DATA is sparse.  "
        "[default: unit for tables, none for LIBSVM and NPZ]",
    ),
    click.option(
        "--seed", type=click.IntRange(0, MAX_SEED), default=0, help="Random seed."
    ),
)
prediction_options = together(
    click.argument("model"),
    click.argument("data"),
    label_option("as in training, if DATA has that column"),
    format_options,
    click.option(
        "--unknown",
        type=click.Choice(["refuse", "ignore"]),
        default="refuse",
        help="What to do about categories not seen in training: refuse DATA, or encode "
        "them as zeros.",
    ),
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Show no progress bar and no summary."
)
report_options = together(json_option, quiet_option)


def probability_options(text):
    """Return the option for probabilities and its form in svm-train and svm-predict."""
    return together(
        click.option("-b", "in_libsvm", type=bool, help="1 is the same as --probability."),
        click.option("--probability", is_flag=True, help=text),
    )


def checked_jobs(context, parameter, value):
    """Return the number of workers, which joblib must understand."""
    if value < 1 and value != -1:
        raise click.BadParameter(f"expected 1 or more, or -1 for all cores; got {value}.")
    return value


def jobs_option(what, default=1):
    """Return the option for the number of workers."""
    return click.option(
        "--jobs",
        type=int,
        default=default,
        callback=checked_jobs,
        help=f"{what}; -1 uses all cores.",
    )
