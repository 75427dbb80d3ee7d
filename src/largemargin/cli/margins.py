"""``largemargin margins``: the margin distribution of a model, in numbers and a picture."""

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
    help="Draw the share of rows with at most each margin: a .png, .pdf or .svg file, or "
    "'-' for PNG on standard output.",
)
@click.option(
    "--normalise",
    is_flag=True,
    help="Draw margins divided by |w|, which are distances from the boundary.",
)
@prediction_options
@json_option
def main(model, data, plot, normalise, as_json, **options):
    """Tell and draw the margins of DATA under the MODEL.

    The margin of a row is how far its score is on the side of its label; with more than two
    classes, by how much the score of its class exceeds that of the runner-up.
    """
    from largemargin.cli import terminal
    from largemargin.cli.evaluate import margin_facts
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import beside
    from largemargin.cli.predict import answers, rows_for
    from largemargin.inspection.margins import distribution_of_scores

    if normalise and plot is None:
        raise click.UsageError("--normalise is about the picture; name one by --plot.")
    if plot is not None:
        check_picture(plot)
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


def check_picture(path):
    """Raise, before any work is done, if a picture could not be drawn into a file."""
    from largemargin.cli.outputs import check_writable

    check_writable(path, may_be_shown=True)
    known = figure_class()().canvas.get_supported_filetypes()
    if format_of(path) not in known:
        raise click.UsageError(
            f"{path}: pictures end in .png, .pdf or .svg, not in .{format_of(path)}."
        )


def format_of(path):
    """Return the format that the name of a picture asks for."""
    return Path(path).suffix.removeprefix(".").lower() or "png"


def figure_class():
    """Return what matplotlib draws on without a screen, or say how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "Pictures need matplotlib: pip install 'largemargin[plot]'."
        ) from None
    return Figure


def draw(distribution, name, path, normalise):
    """Draw a margin distribution into a file."""
    from largemargin import MarginDistributionDisplay
    from largemargin.cli.outputs import written

    figure = figure_class()(layout="constrained")
    display = MarginDistributionDisplay({name: distribution}, normalise=normalise)
    display.plot(ax=figure.subplots())
    with written(path) as stream:
        figure.savefig(stream, format=format_of(path))
