"""Options that several commands share."""

import click


def together(*options):
    """Return one decorator for several options, in the order they are shown."""

    def decorate(function):
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


input_options = together(
    click.option(
        "--format",
        "kind",
        type=click.Choice(["libsvm", "csv", "tsv", "parquet", "npz"]),
        help="What the data are; default: what their name or beginning says.",
    ),
    click.option("--label", help="Column of the labels, by name or number from 0."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether a table begins with names; default: if no number is there.",
    ),
)
training_options = together(
    input_options,
    click.option(
        "--missing",
        type=click.Choice(["refuse", "impute"]),
        default="refuse",
        show_default=True,
        help="Missing values: refuse them, or put in the median or the commonest word.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["none", "unit", "standard"]),
        help="Features to [0, 1] or to variance 1, kept with the model; default: unit for "
        "tables, none for LIBSVM and NPZ.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of all chance."),
)
prediction_options = together(
    input_options,
    click.option(
        "--unknown",
        type=click.Choice(["refuse", "ignore"]),
        default="refuse",
        show_default=True,
        help="Words that the training rows had not.",
    ),
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say nothing, no bar.")


def jobs_option(what):
    """Return the option for the number of workers."""
    return click.option("--jobs", type=int, default=1, show_default=True, help=what)
