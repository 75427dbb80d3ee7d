"""``largemargin margins``: the margin distribution of a model, in numbers and as a plot."""

from pathlib import Path

import click

from largemargin.cli.options import json_option, prediction_options


@click.command(
    epilog="Example: largemargin margins heart.model test.csv --plot margins.png"
)
@click.argument("model")
@click.argument("data")
@click.option(
    "--plot",
    help="Plot the cumulative distribution of the margins to this .png, .pdf or .svg file; "
    "'-' is PNG on standard output.",
)
@click.option(
    "--normalise",
    is_flag=True,
    help="Plot margins divided by |w|: the distances to the decision boundary.",
)
@prediction_options
@json_option
def main(model, data, plot, normalise, as_json, **options):
    """Report and plot the margin distribution of MODEL on DATA.

    The margin of a row is its score times its label, -1 or 1: positive if the prediction is
    right. With more than two classes, it is the score of the row's class minus the largest
    score of any other class.
    """
    from largemargin.cli import terminal
    from largemargin.cli.evaluate import margin_facts
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import beside
    from largemargin.cli.predict import answers, rows_for
    from largemargin.inspection.margins import distribution_of_scores

    if normalise and plot is None:
        raise click.UsageError("--normalise changes the plot; name one by --plot.")
    if plot is not None:
        check_plot(plot)
    model_path, (model, schema) = model, load_model(model)
    X, y = rows_for(schema, data, options, classes=model.classes_)
    scores = answers(model, X)["score"]
    distribution = distribution_of_scores(model, scores, y)
    facts = {"data": data, "rows": len(y), "share below 0": distribution.error}
    facts |= margin_facts(distribution)
    if normalise and distribution.normalised is None:
        raise ValueError(f"|w| is not known for {model_path}; leave --normalise out.")
    if plot is not None:
        draw(distribution, Path(model_path).stem, plot, normalise)
        facts["plot"] = plot
    with beside(plot):
        terminal.show(facts, as_json=as_json)


def check_plot(path):
    """Raise, before any work is done, if a plot could not be written to a file."""
    from largemargin.cli.outputs import check_writable

    check_writable(path, may_be_shown=True)
    known = figure_class()().canvas.get_supported_filetypes()
    if format_of(path) not in known:
        raise click.UsageError(
            f"{path}: plots end in .png, .pdf or .svg, not in .{format_of(path)}."
        )


def format_of(path):
    """Return the format that the name of a plot asks for."""
    return Path(path).suffix.removeprefix(".").lower() or "png"


def figure_class():
    """Return matplotlib's figure, which needs no screen, or say how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "Plots need matplotlib: pip install 'largemargin[plot]'."
        ) from None
    return Figure


def draw(distribution, name, path, normalise):
    """Plot a margin distribution to a file."""
    from largemargin import MarginDistributionDisplay
    from largemargin.cli.outputs import written

    figure = figure_class()(layout="constrained")
    display = MarginDistributionDisplay({name: distribution}, normalise=normalise)
    display.plot(ax=figure.subplots())
    with written(path) as stream:
        figure.savefig(stream, format=format_of(path))
