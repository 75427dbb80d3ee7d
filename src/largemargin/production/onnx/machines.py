"""Graphs of the classifiers: kernel values, scores and labels.

They compute in float64 whatever comes in, as the classifiers do, so that labels agree.
"""

import numpy as np
import scipy.sparse as sp

from largemargin.estimators.nesting import machine_of
from largemargin.kernels.values import normalised_rows
from largemargin.production.onnx.operators import Operators


def declare_outputs(scope, model, inputs, custom_parsers=None):
    """Declare the node of a classifier and its two outputs, as skl2onnx asks for."""
    from skl2onnx.common.data_types import DoubleTensorType

    node = scope.declare_local_operator(f"LargeMargin{type(model).__name__}", model)
    node.inputs = inputs
    label = scope.declare_local_variable("label", label_type(model.classes_)())
    scores = scope.declare_local_variable("scores", DoubleTensorType())
    node.outputs.extend([label, scores])
    return node.outputs


def settle_output_types(node):
    """Fix the shapes of the outputs, as skl2onnx asks for."""
    classes = node.raw_operator.classes_
    label, scores = node.outputs
    label.type.shape = [None]
    scores.type.shape = [None] if len(classes) == 2 else [None, len(classes)]


def label_type(classes):
    """Return the type of tensor that holds the labels."""
    from skl2onnx.common import data_types

    types = {
        "i": data_types.Int64TensorType,
        "u": data_types.Int64TensorType,
        "b": data_types.BooleanTensorType,
        "f": data_types.DoubleTensorType,
        "U": data_types.StringTensorType,
    }
    kind = np.array(classes.tolist()).dtype.kind
    if kind not in types or (classes.dtype.kind == "u" and classes.max() >= 2**63):
        raise TypeError(
            "ONNX labels are numbers below 2^63, booleans or strings; got classes "
            f"{classes.tolist()}."
        )
    return types[kind]


def convert(scope, node, container):
    """Add the graph of a classifier, as skl2onnx asks for."""
    from onnx import TensorProto

    machine = machine_of(node.raw_operator)
    op = Operators(container.target_opset)
    rows = op.Cast(node.inputs[0], to=TensorProto.DOUBLE)
    features, coefficients = expansion(op, machine, rows)
    label_output, score_output = ([output.full_name] for output in node.outputs)
    scores = op.Add(op.MatMul(features, coefficients), machine.intercept_)
    shape = [-1] if len(machine.classes_) == 2 else [-1, len(machine.classes_)]
    scores = op.Reshape(scores, np.array(shape), output_names=score_output)
    if len(machine.classes_) == 2:
        winner = op.Cast(op.Greater(scores, np.zeros(1)), to=TensorProto.INT64)
    else:
        winner = op.ArgMax(scores, axis=1, keepdims=0)
    labels = np.array(machine.classes_.tolist())
    op.Gather(labels, winner, output_names=label_output).add_to(scope, container)
    scores.add_to(scope, container)


def expansion(op, machine, rows):
    """Return the features of which scores are combinations, and the coefficients."""
    kernel = getattr(machine, "_kernel", None)
    if kernel is None or kernel.name == "linear":
        return rows, machine.coef_.T
    coefficients = machine.dual_coef_.T
    if len(coefficients) == 0:  # of which ONNX cannot have a product
        return rows, np.zeros((machine.n_features_in_, coefficients.shape[1]))
    if kernel.name == "precomputed":
        return op.Gather(rows, machine.support_, axis=1), coefficients
    support = machine.support_vectors_
    support = support.toarray() if sp.issparse(support) else support
    support = support.astype(np.float64)
    return VALUES[kernel.name](op, kernel, rows, support), coefficients


def poly_values(op, kernel, rows, support):
    """Return the graph of ``(gamma x . z + coef0)^degree``."""
    # Here and below: onnxruntime takes a factor after a product into it, as a float32.
    inner = op.Add(op.MatMul(rows, kernel.gamma * support.T), np.array([kernel.coef0]))
    return op.Pow(inner, np.array([float(kernel.degree)]))


def sigmoid_values(op, kernel, rows, support):
    """Return the graph of ``tanh(gamma x . z + coef0)``."""
    inner = op.MatMul(rows, kernel.gamma * support.T)
    return op.Tanh(op.Add(inner, np.array([kernel.coef0])))


def rbf_values(op, kernel, rows, support):
    """Return the graph of ``exp(-gamma |x - z|^2)``, expanded as in ``kernels``."""
    norms = op.MatMul(op.Mul(rows, rows), np.full((support.shape[1], 1), kernel.gamma))
    support_norms = kernel.gamma * np.square(support).sum(axis=1)
    inner = op.MatMul(rows, 2.0 * kernel.gamma * support.T)
    exponent = op.Sub(inner, op.Add(norms, support_norms))
    return op.Exp(op.Min(exponent, np.zeros(1)))


def laplacian_values(op, kernel, rows, support):
    """Return the graph of ``exp(-gamma |x - z|_1)``."""
    from skl2onnx.algebra.complex_functions import onnx_cdist

    distances = onnx_cdist(
        rows,
        support,
        metric="cityblock",
        dtype=np.float64,
        op_version=op.version,
        dim_in=support.shape[1],
        dim_out=support.shape[0],
    )
    return op.Exp(op.Mul(distances, np.array([-kernel.gamma])))


def cosine_values(op, kernel, rows, support):
    """Return the graph of ``x . z / (|x| |z|)``."""
    ones, zero = np.ones((support.shape[1], 1)), np.zeros(1)
    # Divided by their sums first, so that squares of short rows do not vanish.
    sums = op.MatMul(op.Abs(rows), ones)
    rows = op.Div(rows, op.Where(op.Equal(sums, zero), np.ones(1), sums))
    lengths = op.Sqrt(op.MatMul(op.Mul(rows, rows), ones))
    lengths = op.Where(op.Equal(lengths, zero), np.ones(1), lengths)
    return op.MatMul(op.Div(rows, lengths), normalised_rows(support).T)


VALUES = {
    "poly": poly_values,
    "sigmoid": sigmoid_values,
    "rbf": rbf_values,
    "laplacian": laplacian_values,
    "cosine": cosine_values,
}
