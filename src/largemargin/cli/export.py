"""``largemargin export``: a model as an ONNX graph."""

import click

from largemargin.cli.options import json_option, quiet_option


@click.command(epilog="Example: largemargin export heart.model heart.onnx")
@click.argument("model")
@click.argument("onnx")
@click.option(
    "--float32", is_flag=True, help="For rows of float32; default: those of float64."
)
@json_option
@quiet_option
def main(model, onnx, float32, as_json, quiet):
    """Write the MODEL as an ONNX graph.

    Runtimes predict with it without Python. It takes dense rows of numbers, in the order of
    the training columns, and gives labels and scores. Models with columns of words are not
    written.
    """
    import numpy as np

    from largemargin import terminal
    from largemargin.cli.models import load_model, without_calibration
    from largemargin.cli.outputs import check_writable, written
    from largemargin.onnx import to_onnx

    check_writable(onnx)
    path, (model, schema) = model, load_model(model)
    if getattr(schema, "words", None):
        raise ValueError(
            f"{path} has columns of words ({', '.join(schema.words)}), which the graph "
            "does not take. Train on numbers only."
        )
    graph = to_onnx(without_calibration(model), dtype=np.float32 if float32 else np.float64)
    with written(onnx) as stream:
        stream.write(graph.SerializeToString())
    facts = {"graph": onnx, "features": schema.n_features, "outputs": ["label", "scores"]}
    terminal.show(facts, as_json=as_json, quiet=quiet)
