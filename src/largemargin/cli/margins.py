"""``largemargin margins``: the margin distribution of a model, in numbers and as a plot."""

from pathlib import Path

import click

from largemargin.cli import terminal
from largemargin.cli.options import json_option, prediction_options


@click.command(
    epilog="Example: largemargin margins heart.model test.csv --plot margins.png"
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Plot the cumulative distribution of the margins to a .png, .pdf or .svg file; "
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
    score of any other class; of a model with one machine per pair of classes, the smallest
    score of the row's class against another one.
    """
    from largemargin import MarginDistributionDisplay
    from largemargin.cli.evaluate import margin_facts
    from largemargin.cli.outputs import beside, written
    from largemargin.cli.predict import labelled_answers

    if normalise and plot is None:
        raise click.UsageError("--normalise changes the plot; use it with --plot.")
    figure, ending = (None, None) if plot is None else empty_figure(plot, [model, data])
    _, y, _, _, distribution = labelled_answers(model, data, options)
    facts = {"data": data, "rows": len(y), "share below 0": distribution.error}
    facts |= margin_facts(distribution)
    if normalise and distribution.normalised is None:
        raise ValueError(f"|w| is not known for {model}; leave --normalise out.")
    if plot is not None:
        curves = {Path(model).stem: distribution}
        display = MarginDistributionDisplay(curves, normalise=normalise)
        display.plot(ax=figure.subplots())
        with written(plot) as stream:
            figure.savefig(stream, format=ending)
        facts["plot"] = plot
    with beside(plot):
        terminal.show(facts, as_json=as_json)


def empty_figure(path, inputs):
    """Return a figure and its format, or raise if it could not be written to a file."""
    from largemargin.cli.outputs import check_writable
    from largemargin.numerics.extras import optional_module

    check_writable(path, inputs=inputs, may_be_shown=True)
    # Unlike pyplot, a Figure needs no screen.
    drawing = optional_module("matplotlib.figure", "Plots", "plot")
    figure = drawing.Figure(layout="constrained")
    ending = Path(path).suffix.removeprefix(".").lower() or "png"
    if ending not in figure.canvas.get_supported_filetypes():
        raise click.UsageError(
            f"{path}: plots end in .png, .pdf or .svg, not in .{ending}."
        )
    return figure, ending
