"""Graphs that fill in missing numbers of float64, which onnxruntime's own node cannot."""

import numpy as np

from largemargin.onnx.operators import Operators


def settle_output_types(node):
    """Fix types and shapes of the outputs, as skl2onnx asks for."""
    from skl2onnx.common._registration import get_shape_calculator

    get_shape_calculator("SklearnSimpleImputer")(node)


def convert(scope, node, container):
    """Add the graph of a SimpleImputer, as skl2onnx asks for."""
    from skl2onnx.common._registration import get_converter
    from skl2onnx.common.data_types import DoubleTensorType

    imputer = node.raw_operator
    is_number = isinstance(node.inputs[0].type, DoubleTensorType)
    if not is_number or not np.isnan(imputer.missing_values) or imputer.add_indicator:
        get_converter("SklearnSimpleImputer")(scope, node, container)
        return
    op = Operators(container.target_opset)
    rows = op.Concat(*node.inputs, axis=1)
    values = imputer.statistics_.astype(np.float64)[None]
    names = [node.outputs[0].full_name]
    op.Where(op.IsNaN(rows), values, rows, output_names=names).add_to(scope, container)
