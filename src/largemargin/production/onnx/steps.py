"""Graphs of steps before a classifier that skl2onnx's own converters get wrong.

They impute no float64 values, for which onnxruntime has no node; they scale float32 rows by
float32 constants, where scikit-learn uses float64; and they do not know "passthrough".
"""

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from largemargin.estimators.nesting import does_something, steps_in
from largemargin.production.onnx.operators import Operators


def settle_output_types(node):
    """Fix types and shapes of the outputs, as skl2onnx asks for."""
    from skl2onnx.common._registration import get_shape_calculator

    get_shape_calculator(alias_of(node))(node)


def convert_imputer(scope, node, container):
    """Add the graph of a SimpleImputer, as skl2onnx asks for."""
    from skl2onnx.common._registration import get_converter
    from skl2onnx.common.data_types import DoubleTensorType

    imputer = node.raw_operator
    is_nan = [isinstance(value, float) and np.isnan(value) for value in imputer.statistics_]
    if imputer.add_indicator or any(is_nan):  # skl2onnx ignores that columns change
        raise ValueError(
            f"ONNX graphs cannot add or drop columns as {imputer!r} does; leave "
            "add_indicator out, and columns that are empty, or use "
            "keep_empty_features=True."
        )
    is_number = isinstance(node.inputs[0].type, DoubleTensorType)
    if not is_number or not np.isnan(imputer.missing_values):
        get_converter(alias_of(node))(scope, node, container)
        return
    op = Operators(container)
    rows = op.Concat(*node.inputs, axis=1)
    values = imputer.statistics_.astype(np.float64)[None]
    names = [node.outputs[0].full_name]
    op.Where(op.IsNaN(rows), values, rows, output_names=names).add_to(scope, container)


def convert_scaler(scope, node, container):
    """Add the graph of a MinMaxScaler, as skl2onnx asks for."""
    from onnx import TensorProto
    from skl2onnx.common.data_types import guess_proto_type

    scaler = node.raw_operator
    op = Operators(container)
    dtype = guess_proto_type(node.outputs[0].type)

    def rounded(values):
        return op.Cast(op.Cast(values, to=dtype), to=TensorProto.DOUBLE)

    rows = op.Cast(op.Concat(*node.inputs, axis=1), to=TensorProto.DOUBLE)
    rows = op.Add(rounded(op.Mul(rows, scaler.scale_)), scaler.min_)
    if scaler.clip:
        low, high = (np.array([float(end)]) for end in scaler.feature_range)
        rows = op.Min(op.Max(rows, low), high)
    names = [node.outputs[0].full_name]
    op.Cast(rows, to=dtype, output_names=names).add_to(scope, container)


def alias_of(node):
    """Return the name under which skl2onnx knows the step of a node."""
    return f"Sklearn{type(node.raw_operator).__name__}"


def parse_pipeline(scope, model, inputs, custom_parsers=None):
    """Declare the steps of a pipeline without its placeholders, as skl2onnx asks for."""
    from skl2onnx._parse import _parse_sklearn

    for step in filter(does_something, steps_in(model)):
        inputs = _parse_sklearn(scope, step, inputs, custom_parsers)
    return inputs


PARSERS = {Pipeline: parse_pipeline}
CONVERTERS = {SimpleImputer: convert_imputer, MinMaxScaler: convert_scaler}
