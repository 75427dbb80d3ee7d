"""Classifiers as ONNX graphs, which need neither Python nor this library to predict.

Graphs compute in float64 whatever comes in, as the classifiers do, so that their labels
agree; scores come out in the type of the rows.
"""

from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)
from largemargin.estimators.base import MarginClassifier
from largemargin.margins import machine_of

CLASSIFIERS = (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)
# Rows shorter than this have no direction for scikit-learn's cosine.
SHORT = 10 * np.finfo(np.float64).eps


def to_onnx(model, *, dtype=np.float64):
    """Return a fitted classifier as an ONNX model.

    Its input ``X`` takes dense rows, or those of the kernel with the training rows for
    ``kernel="precomputed"``. Its outputs are ``label``, what ``predict`` gives, and
    ``scores``, what ``decision_function`` does. It holds the rows that matter only:
    ``coef_``, or ``support_vectors_`` and ``dual_coef_``.

    Parameters
    ----------
    model : estimator
        A classifier of this library, refitted by a search or not, alone or at the end of a
        scikit-learn pipeline of dense rows.

    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Type of the rows that will come, and of the scores.

    Returns
    -------
    onnx_model : onnx.ModelProto
        Write ``onnx_model.SerializeToString()`` to a file.

    Notes
    -----
    Scores agree with ours up to rounding: in float32 that of the last cast, in float64
    that of the sum ``dual_coef_ . k(support_vectors_, x)``, some 1e-16 of its terms added
    up without their signs. The steps before the classifier in a pipeline, converted by
    skl2onnx, compute in ``dtype``.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier
    >>> from largemargin.onnx import to_onnx
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> onnx_model = to_onnx(LDMClassifier().fit(X, y))
    >>> [output.name for output in onnx_model.graph.output]
    ['label', 'scores']
    """
    register_converters()
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    types = {np.dtype(np.float32): FloatTensorType, np.dtype(np.float64): DoubleTensorType}
    if np.dtype(dtype) not in types:
        raise ValueError(f"dtype must be float32 or float64; got {np.dtype(dtype)}.")
    machine = machine_of(model)
    if not isinstance(machine, MarginClassifier):
        raise TypeError(
            "to_onnx takes a classifier of largemargin, alone, refitted by a search, or at "
            f"the end of a Pipeline; got {machine!r}."
        )
    check_is_fitted(machine)
    if callable(getattr(machine, "kernel", None)):
        raise ValueError(
            f"ONNX knows no Python functions; got kernel={machine.kernel!r}. Use a kernel "
            "by its name, or kernel='precomputed' and feed the graph its values."
        )
    rows = types[np.dtype(dtype)]([None, model.n_features_in_])
    return convert_sklearn(model, initial_types=[("X", rows)])


def register_converters():
    """Teach skl2onnx the classifiers of this library.

    ``to_onnx`` does so itself. Call it to convert, by skl2onnx, pipelines that want more
    than one kind of input or options of other converters.
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError:
        raise ImportError(
            "ONNX models need skl2onnx: pip install 'largemargin[onnx]'."
        ) from None
    for classifier in CLASSIFIERS:
        update_registered_converter(
            classifier,
            f"LargeMargin{classifier.__name__}",
            settle_output_types,
            convert,
            parser=declare_outputs,
        )


def declare_outputs(scope, model, inputs, custom_parsers=None):
    """Declare the node of a classifier and its two outputs, as skl2onnx asks for."""
    from skl2onnx.common.data_types import guess_tensor_type

    node = scope.declare_local_operator(f"LargeMargin{type(model).__name__}", model)
    node.inputs = inputs
    label = scope.declare_local_variable("label", label_type(model.classes_)())
    scores = scope.declare_local_variable("scores", guess_tensor_type(inputs[0].type))
    node.outputs.extend([label, scores])
    return node.outputs


def settle_output_types(node):
    """Fix types and shapes of the outputs, as skl2onnx asks for."""
    from skl2onnx.common.data_types import guess_tensor_type

    classes = node.raw_operator.classes_
    label, scores = node.outputs
    label.type = label_type(classes)([None])
    scores.type = guess_tensor_type(node.inputs[0].type)
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
    if kind not in types:
        raise TypeError(
            "ONNX labels are numbers, booleans or strings; got classes of "
            f"{type(classes.tolist()[0]).__name__}."
        )
    return types[kind]


class Operators:
    """The operators of ONNX by name, all of one version."""

    def __init__(self, version):
        self.version = version

    def __getattr__(self, name):
        from skl2onnx.algebra import onnx_ops

        return partial(getattr(onnx_ops, f"Onnx{name}"), op_version=self.version)


def convert(scope, node, container):
    """Add the graph of a classifier, as skl2onnx asks for."""
    from onnx import TensorProto
    from skl2onnx.common.data_types import guess_proto_type

    machine = machine_of(node.raw_operator)
    op = Operators(container.target_opset)
    rows = op.Cast(node.inputs[0], to=TensorProto.DOUBLE)
    features, coefficients = expansion(op, machine, rows)
    scores = op.Add(op.MatMul(features, coefficients), machine.intercept_)
    if len(machine.classes_) == 2:
        scores = op.Reshape(scores, np.array([-1]))
        winner = op.Cast(op.Greater(scores, np.zeros(1)), to=TensorProto.INT64)
    else:
        winner = op.ArgMax(scores, axis=1, keepdims=0)
    labels = np.array(machine.classes_.tolist())
    label_output, score_output = ([output.full_name] for output in node.outputs)
    score_type = guess_proto_type(node.outputs[1].type)
    op.Gather(labels, winner, output_names=label_output).add_to(scope, container)
    op.Cast(scores, to=score_type, output_names=score_output).add_to(scope, container)


def expansion(op, machine, rows):
    """Return the features of which scores are combinations, and the coefficients."""
    kernel = getattr(machine, "_kernel", None)
    if kernel is None or kernel.name == "linear":
        return rows, machine.coef_.T
    coefficients = machine.dual_coef_.T
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
    lengths = op.Sqrt(op.MatMul(op.Mul(rows, rows), np.ones((support.shape[1], 1))))
    lengths = op.Where(op.Less(lengths, np.array([SHORT])), np.ones(1), lengths)
    return op.MatMul(op.Div(rows, lengths), normalize(support).T)


VALUES = {
    "poly": poly_values,
    "sigmoid": sigmoid_values,
    "rbf": rbf_values,
    "laplacian": laplacian_values,
    "cosine": cosine_values,
}
