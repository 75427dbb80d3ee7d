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
    above the threshold. Of a regression, residuals are reported and plotted instead.
    """
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import beside, written

    if normalise and plot is None:
        raise click.UsageError("--normalise changes the plot; use it with --plot.")
    figure, ending = (None, None) if plot is None else empty_figure(plot, [model, data])
    path, (model, schema) = model, load_model(model)
    report = residual_report if task_of(model) == "regression" else margin_report
    facts, display = report(path, model, schema, data, options, normalise)
    if plot is not None:
        display.plot(ax=figure.subplots())
        with written(plot) as stream:
            figure.savefig(stream, format=ending)
        facts["plot"] = plot
    with beside(plot):
        terminal.show({"data": data, **facts}, as_json=as_json)


def margin_report(path, model, schema, data, options, normalise):
    """Return the facts on margins, and what draws them."""
    from largemargin import MarginDistributionDisplay
    from largemargin.cli.predict import labelled_answers, scored_answers
    from largemargin.inspection.margins import distribution_of_one_class

    if task_of(model) == "classification":
        distribution = labelled_answers(model, schema, data, options)[-1]
    else:
        scores = scored_answers(model, schema, data, options)[-1]["score"]
        distribution = distribution_of_one_class(model, scores)
    if normalise and distribution.normalised is None:
        raise ValueError(f"|w| is not known for {path}; leave --normalise out.")
    facts = {"rows": len(distribution.margins), "share below 0": distribution.error}
    curves = {Path(path).stem: distribution}
    display = MarginDistributionDisplay(curves, normalise=normalise)
    return facts | margin_facts(distribution), display


def residual_report(path, model, schema, data, options, normalise):
    """Return the facts on residuals, and what draws them."""
    from largemargin import ResidualDistributionDisplay
    from largemargin.cli.measures import residual_facts
    from largemargin.cli.predict import valued_answers
    from largemargin.inspection.displays.residual_distribution import one_by_one

    if normalise:
        raise ValueError(f"{path} is for regression and has no margins to normalise.")
    y, _, found = valued_answers(path, model, schema, data, options)
    curves = one_by_one({Path(path).stem: found})
    return {"rows": len(y), **residual_facts(found)}, ResidualDistributionDisplay(curves)


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
