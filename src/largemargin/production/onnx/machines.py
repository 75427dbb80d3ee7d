"""Graphs of the estimators: kernel values, scores, and labels or values.

They compute in float64 for inputs of any type, as the estimators do, so that labels agree.
"""

import numpy as np
import scipy.sparse as sp

from largemargin.estimators.base import MarginClassifier
from largemargin.estimators.nesting import innermost
from largemargin.estimators.regression import (
    MarginRegressor,
    has_quantiles,
    ranks_of_quantiles,
)
from largemargin.estimators.targets import incidence
from largemargin.kernels.values import normalised_rows
from largemargin.production.onnx.operators import Operators


def declare_outputs(scope, model, inputs, custom_parsers=None):
    """Declare the node of an estimator and its outputs, as skl2onnx asks for."""
    node = scope.declare_local_operator(f"LargeMargin{type(model).__name__}", model)
    node.inputs = inputs
    for name, kind in types_of_outputs(innermost(model)).items():
        node.outputs.append(scope.declare_local_variable(name, kind))
    return node.outputs


def types_of_outputs(machine):
    """Return the outputs of a fitted estimator, by name, with their types.

    Those of regressors and of one class have the names and shapes that skl2onnx gives them.
    """
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType

    if isinstance(machine, MarginRegressor):
        return {"variable": DoubleTensorType([None, len(machine.intercept_)])}
    if not isinstance(machine, MarginClassifier):
        label, scores = Int64TensorType([None, 1]), DoubleTensorType([None, 1])
        return {"label": label, "scores": scores}
    n_classes = len(machine.classes_)
    shape = [None] if n_classes == 2 else [None, n_classes]
    return {"label": label_type(machine.classes_), "scores": DoubleTensorType(shape)}


def label_type(classes):
    """Return the type of the tensor of labels."""
    from skl2onnx.common.data_types import guess_data_type

    labels = np.array(classes.tolist())
    is_too_large = classes.dtype.kind == "u" and classes.max() >= 2**63
    if labels.dtype.kind not in "ibfU" or is_too_large:
        raise TypeError(
            "ONNX labels are numbers below 2^63, booleans or strings; got classes "
            f"{classes.tolist()}."
        )
    ((_, kind),) = guess_data_type(labels)
    return type(kind)([None])


def convert(scope, node, container):
    """Add the graph of an estimator, as skl2onnx asks for."""
    machine = innermost(node.raw_operator)
    if isinstance(machine, MarginClassifier):
        convert_classifier(scope, node, container)
    elif isinstance(machine, MarginRegressor):
        convert_regressor(scope, node, container)
    else:
        convert_one_class(scope, node, container)


def convert_regressor(scope, node, container):
    """Add the graph of the values of a regressor."""
    machine, op = innermost(node.raw_operator), Operators(container)
    named = {"output_names": [node.outputs[0].full_name]}
    if not has_quantiles(machine):
        scores_of(op, machine, node, **named).add_to(scope, container)
        return
    count = np.array([len(machine.intercept_)])
    rising = op.TopK(scores_of(op, machine, node), count, axis=1, largest=0)[0]
    ranks = ranks_of_quantiles(machine)
    op.Gather(rising, ranks, axis=1, **named).add_to(scope, container)


def convert_one_class(scope, node, container):
    """Add the graph of the labels, 1 and -1, and scores of a machine of one class."""
    machine, op = innermost(node.raw_operator), Operators(container)
    label_output, score_output = ([one.full_name] for one in node.outputs)
    scores = scores_of(op, machine, node, output_names=score_output)
    inside, outside = np.array([1]), np.array([-1])
    is_outside = op.Less(scores, np.zeros(1))
    labels = op.Where(is_outside, outside, inside, output_names=label_output)
    labels.add_to(scope, container)
    scores.add_to(scope, container)


def scores_of(op, machine, node, **named):
    """Return the graph of the scores of a machine, with intercepts."""
    from onnx import TensorProto

    rows = op.Cast(node.inputs[0], to=TensorProto.DOUBLE)
    features, coefficients = expansion(op, machine, rows)
    return op.Add(op.MatMul(features, coefficients), machine.intercept_, **named)


def convert_classifier(scope, node, container):
    """Add the graph of the scores and labels of a classifier."""
    machine = innermost(node.raw_operator)
    n_classes = len(machine.classes_)
    op = Operators(container)
    # Probabilities of pairs of classes are made of their scores, a third output.
    label_output, score_output, *pair_output = ([one.full_name] for one in node.outputs)
    named = {"output_names": pair_output[0]} if pair_output else {}
    scores = scores_of(op, machine, node, **named)
    if pair_output:
        scores.add_to(scope, container)
    if machine._one_vs_one:
        scores = voted(op, scores, n_classes)
    shape = np.array([-1] if n_classes == 2 else [-1, n_classes])
    scores = op.Reshape(scores, shape, output_names=score_output)
    labels = np.array(machine.classes_.tolist())
    winner = op.winner(scores, n_classes, keepdims=0)
    op.Gather(labels, winner, output_names=label_output).add_to(scope, container)
    scores.add_to(scope, container)


def voted(op, scores, n_classes):
    """Return the graph of ``targets.class_scores``."""
    sides = incidence(n_classes)
    won = op.Where(op.Greater(scores, np.zeros(1)), np.array([0.5]), np.array([-0.5]))
    votes = op.Add(op.MatMul(won, sides), np.array([0.5 * (n_classes - 1)]))
    sums = op.MatMul(scores, sides)
    sizes = op.Add(op.Abs(sums), np.ones(1))
    return op.Add(votes, op.Div(op.Div(sums, sizes), np.array([3.0])))


def expansion(op, machine, rows):
    """Return features and coefficients whose products are the scores."""
    kernel = getattr(machine, "_kernel", None)
    if kernel is None or kernel.name == "linear":
        return rows, machine.coef_.T
    coefficients = machine.dual_coef_.T
    if len(coefficients) == 0:  # ONNX has no product of empty matrices
        return rows, np.zeros((machine.n_features_in_, coefficients.shape[1]))
    if kernel.name == "precomputed":
        return op.Gather(rows, machine.support_, axis=1), coefficients
    support = machine.support_vectors_
    support = support.toarray() if sp.issparse(support) else support
    support = support.astype(np.float64)
    return VALUES[kernel.name](op, kernel, rows, support), coefficients


def product_values(op, kernel, rows, support):
    """Return the graph of a power or, for sigmoid, tanh of ``gamma x . z + coef0``."""
    # gamma is part of the constants, here and below, because onnxruntime would round a
    # factor that follows a product to float32.
    inner = op.Add(op.MatMul(rows, kernel.gamma * support.T), np.array([kernel.coef0]))
    if kernel.name == "sigmoid":
        return op.Tanh(inner)
    return op.Pow(inner, np.array([float(kernel.degree)]))


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
    # Divided by their sums first, so that squares of short rows do not underflow.
    sums = op.MatMul(op.Abs(rows), ones)
    rows = op.Div(rows, op.Where(op.Equal(sums, zero), np.ones(1), sums))
    lengths = op.Sqrt(op.MatMul(op.Mul(rows, rows), ones))
    lengths = op.Where(op.Equal(lengths, zero), np.ones(1), lengths)
    return op.MatMul(op.Div(rows, lengths), normalised_rows(support).T)


VALUES = {
    "poly": product_values,
    "sigmoid": product_values,
    "rbf": rbf_values,
    "laplacian": laplacian_values,
    "cosine": cosine_values,
}
