"""Options that several commands share."""

import click

# Of NumPy.
MAX_SEED = 2**32 - 1


def together(*options):
    """Return one decorator for several options, in the order they are shown."""

    def decorate(function):
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def label_option(default):
    """Return the option for the column of the labels."""
    return click.option(
        "--label",
        help="Column of the labels in a table, by name or number: 0 is the first, -1 the "
        f"last; default: {default}.",
    )


format_options = together(
    click.option(
        "--format",
        "kind",
        type=click.Choice(["libsvm", "csv", "tsv", "parquet", "npz"]),
        help="What DATA is; default: what its name or its beginning says.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of a CSV or TSV file has the names of the columns; "
        "default: what these lines look like.",
    ),
)
training_options = together(
    label_option("the last"),
    click.option(
        "--drop",
        multiple=True,
        help="A column of a table to leave out, by name or number; may come again.",
    ),
    format_options,
    click.option(
        "--missing",
        type=click.Choice(["refuse", "impute"]),
        default="refuse",
        show_default=True,
        help="What to do about missing values: refuse DATA, or put in the median of the "
        "column or its commonest word.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["none", "unit", "standard"]),
        help="How to scale every feature, learned from the training rows. unit: to [0, 1], "
        "or [-1, 1] if rows are sparse; standard: to mean 0 and variance 1, or variance 1 "
        "alone if rows are sparse. Default: unit for tables, none for LIBSVM and NPZ.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, MAX_SEED),
        default=0,
        show_default=True,
        help="Of all random choices: the same seed gives the same result.",
    ),
)
prediction_options = together(
    label_option("that of the training rows, if it is there"),
    format_options,
    click.option(
        "--unknown",
        type=click.Choice(["refuse", "ignore"]),
        default="refuse",
        show_default=True,
        help="What to do about words that a column of the training rows had not: refuse "
        "DATA, or count them as none of the known ones.",
    ),
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of text."
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="No bar, and no report of the work."
)


def checked_jobs(context, parameter, value):
    """Return the number of workers, which joblib must understand."""
    if value < 1 and value != -1:
        raise click.BadParameter(f"expected 1 or more, or -1 for one a core; got {value}.")
    return value


def jobs_option(what, default=1):
    """Return the option for the number of workers."""
    return click.option(
        "--jobs",
        type=int,
        default=default,
        show_default=True,
        callback=checked_jobs,
        help=f"{what} -1 means one a core.",
    )
