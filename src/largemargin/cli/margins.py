"""``largemargin margins``: margins or residuals of a model, in numbers and as a plot."""

from pathlib import Path

import click

from largemargin.cli import terminal
from largemargin.cli.evaluate import margin_facts
from largemargin.cli.options import json_option, prediction_options
from largemargin.cli.tasks import task_of


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
    score of the row's class against another one. Of a model of one class, it is the score
    above the threshold. Of a regression, the residuals are reported, and there is no plot.
    """
    from largemargin import MarginDistributionDisplay
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import beside, written

    if normalise and plot is None:
        raise click.UsageError("--normalise changes the plot; use it with --plot.")
    figure, ending = (None, None) if plot is None else empty_figure(plot, [model, data])
    path, (model, schema) = model, load_model(model)
    if task_of(model) == "regression":
        refuse_plot(path, plot)
        facts = residuals_of(path, model, schema, data, options)
        terminal.show({"data": data, **facts}, as_json=as_json)
        return
    distribution = margins_of(model, schema, data, options)
    n_rows, share = len(distribution.margins), distribution.error
    facts = {"data": data, "rows": n_rows, "share below 0": share}
    facts |= margin_facts(distribution)
    if normalise and distribution.normalised is None:
        raise ValueError(f"|w| is not known for {path}; leave --normalise out.")
    if plot is not None:
        curves = {Path(path).stem: distribution}
        display = MarginDistributionDisplay(curves, normalise=normalise)
        display.plot(ax=figure.subplots())
        with written(plot) as stream:
            figure.savefig(stream, format=ending)
        facts["plot"] = plot
    with beside(plot):
        terminal.show(facts, as_json=as_json)


def margins_of(model, schema, data, options):
    """Return the margin distribution of the rows of a file."""
    import numpy as np

    from largemargin.cli.predict import labelled_answers, scored_answers
    from largemargin.inspection.margins import MarginDistribution

    if task_of(model) == "classification":
        return labelled_answers(model, schema, data, options)[-1]
    margins = np.ravel(scored_answers(model, schema, data, options)[-1]["score"])
    return MarginDistribution(margins, None, np.ones(len(margins)))


def residuals_of(path, model, schema, data, options):
    """Return the statistics of the residuals of the rows of a file."""
    from largemargin.cli.measures import residual_facts
    from largemargin.cli.predict import valued_answers

    y, predicted = valued_answers(path, model, schema, data, options)
    if predicted.ndim == 2:
        raise ValueError(
            f"{path} predicts {predicted.shape[1]} quantiles of each row, which have no "
            "residuals in common; use evaluate, or a model of one quantile."
        )
    return {"rows": len(y), **residual_facts(y - predicted)}


def refuse_plot(path, plot):
    """Raise if residuals are to be plotted."""
    if plot is not None:
        raise ValueError(
            f"{path} is for regression and has no margins to plot; leave --plot out."
        )


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
