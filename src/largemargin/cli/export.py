"""``largemargin export``: a model as an ONNX graph."""

import click

from largemargin.cli import terminal
from largemargin.cli.options import report_options


@click.command(epilog="Example: largemargin export heart.model heart.onnx")
@click.argument("model")
@click.argument("onnx")
@click.option("--float32", is_flag=True, help="Take float32 rows, not float64.")
@report_options
def main(model, onnx, float32, as_json, quiet):
    """Export MODEL as an ONNX graph to the file ONNX.

    ONNX runtimes predict with it without Python. Its input X holds dense rows of numbers,
    in the order of the training columns; if some columns hold text, every column is an
    input with its own name. Its outputs are label, scores and, if MODEL has them,
    probabilities; of a regression, variable. '-' is standard output.
    """
    import numpy as np

    from largemargin.cli.models import load_model
    from largemargin.cli.outputs import beside, check_writable, written
    from largemargin.production.onnx import to_onnx

    check_writable(onnx, inputs=[model], may_be_shown=True)
    model, schema = load_model(model)
    dtype = np.float32 if float32 else np.float64
    words = getattr(schema, "words", None) or None
    graph = to_onnx(model, dtype=dtype, text_columns=words)
    with written(onnx) as stream:
        stream.write(graph.SerializeToString())
    facts = {
        "graph": onnx,
        "inputs": [entry.name for entry in graph.graph.input],
        "features": schema.n_features,
        "numbers": dtype.__name__,
        "outputs": [entry.name for entry in graph.graph.output],
    }
    with beside(onnx):
        terminal.show(facts, as_json=as_json, quiet=quiet)
