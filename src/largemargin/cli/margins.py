"""``largemargin margins``: the margin distribution of a model, in numbers and a picture."""

from pathlib import Path

import click

from largemargin.cli.options import json_option, prediction_options


@click.command(
    epilog="Example: largemargin margins heart.model test.csv --plot margins.png"
)
@click.argument("model")
@click.argument("data")
@click.option("--plot", help="Draw them cumulated: a .png, .pdf or .svg file.")
@click.option("--normalise", is_flag=True, help="Draw distances from the boundary.")
@prediction_options
@json_option
def main(model, data, plot, normalise, as_json, **options):
    """Tell and draw the margins of DATA under the MODEL."""
    from largemargin import margin_distribution, terminal
    from largemargin.cli.evaluate import margin_facts
    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import check_writable
    from largemargin.cli.predict import rows_for

    if plot is not None:
        check_writable(plot)
    model_path, (model, schema) = model, load_model(model)
    X, y = rows_for(schema, data, options, classes=model.classes_)
    with terminal.bar("margins"):
        distribution = margin_distribution(model, X, y)
    facts = {"data": data, "rows": len(y), "share below 0": distribution.error}
    facts |= margin_facts(distribution)
    if normalise and distribution.normalised is None:
        raise ValueError(f"|w| is not known for {model_path}; leave --normalise out.")
    if plot is not None:
        draw(distribution, Path(model_path).stem, plot, normalise)
        facts["plot"] = plot
    terminal.show(facts, as_json=as_json)


def draw(distribution, name, path, normalise):
    """Draw a margin distribution into a file, without a screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "Pictures need matplotlib: pip install 'largemargin[plot]'."
        ) from None
    from largemargin import MarginDistributionDisplay
    from largemargin.cli.outputs import written

    figure = Figure(layout="constrained")
    display = MarginDistributionDisplay({name: distribution}, normalise=normalise)
    display.plot(ax=figure.subplots())
    with written(path) as stream:
        figure.savefig(stream, format=Path(path).suffix.removeprefix(".") or "png")
