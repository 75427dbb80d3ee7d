"""Models as ONNX graphs, which need neither Python nor this library to predict."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import DTypeLike
from sklearn.compose import ColumnTransformer
from sklearn.utils.validation import check_is_fitted

import largemargin
from largemargin.estimators.base import MarginMachine
from largemargin.estimators.nesting import innermost, layers_of, steps_in, width_of
from largemargin.estimators.table import ALONE, SEARCHES
from largemargin.numerics.extras import optional_module
from largemargin.production.onnx import machines, probabilities, steps


def to_onnx(
    model, *, dtype: DTypeLike = np.float64, text_columns: Iterable[str] | None = None
):
    """Return a fitted model as an ONNX model.

    Its input ``X`` takes dense rows or, for ``kernel="precomputed"``, kernel values of rows
    with all training rows. Its outputs are ``label`` as ``predict`` returns it, ``scores``
    as ``decision_function`` does and, for a :class:`CalibratedMachine`, ``probabilities``.
    That of a regressor is ``variable``, with a column per output or quantile. Outputs of
    regressors and of :class:`OneClassLDM` are matrices, also of one column, as skl2onnx
    makes them. The graph stores ``coef_``, or ``support_vectors_`` and ``dual_coef_``.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library, also calibrated, refitted by a search, or at
        the end of a scikit-learn pipeline of dense rows.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Type of the input rows, scores and values. Probabilities are float64.
    text_columns : iterable of str, default=None
        For a pipeline fitted on a data frame, the names of the columns that hold words; may
        be empty. The graph then has, in place of ``X``, one input of shape
        ``(n_samples, 1)`` per column. Its name is that of the column, with underscores for
        all characters but letters and digits.

    Returns
    -------
    onnx_model : onnx.ModelProto
        Write ``onnx_model.SerializeToString()`` to a file.

    Notes
    -----
    Scores agree with ``decision_function``, and values with ``predict``, up to rounding. In
    float32 that is the rounding of the result; in float64 it is about
    ``1e-16 * sum(|dual_coef_| * |k|)``, where ``k`` are the kernel values of a row with the
    support vectors. Labels may differ where scores are that close to a tie. Steps before
    the estimator compute in ``dtype``. All but MinMaxScaler and SimpleImputer are converted
    by skl2onnx and may round differently than scikit-learn does.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier, to_onnx
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
    number = types[np.dtype(dtype)]
    check_convertible(model)
    kinds = machines.types_of_outputs(innermost(model))
    outputs = [
        (name, number(kind.shape) if name in ("scores", "variable") else None)
        for name, kind in kinds.items()
    ]
    if hasattr(model, "predict_proba"):
        outputs.append(("probabilities", None))
    onnx_model = convert_sklearn(
        model,
        initial_types=inputs_of(model, number, text_columns),
        final_types=outputs,
        custom_parsers=steps.PARSERS,
        custom_conversion_functions=steps.CONVERTERS,
        custom_shape_calculators=dict.fromkeys(steps.CONVERTERS, steps.settle_output_types),
    )
    check_runnable(onnx_model, model)
    return onnx_model


def check_convertible(model):
    """Raise unless a model ends in a fitted estimator that ONNX can express."""
    machine = innermost(model)
    if not isinstance(machine, MarginMachine):
        raise TypeError(
            "to_onnx takes an estimator of largemargin, alone, refitted by a search, or at "
            f"the end of a Pipeline; got {machine!r}."
        )
    check_is_fitted(machine)
    if callable(getattr(machine, "kernel", None)):
        raise ValueError(
            f"ONNX knows no Python functions; got kernel={machine.kernel!r}. Use a kernel "
            "by its name, or kernel='precomputed' and feed the graph its values."
        )


def check_runnable(onnx_model, model):
    """Raise if onnxruntime is installed and cannot run a graph."""
    try:
        from onnxruntime import InferenceSession
    except ImportError:
        return
    try:
        InferenceSession(onnx_model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises a dozen kinds
        raise ValueError(
            f"skl2onnx made a graph of {model!r} that onnxruntime cannot run: {error} Try "
            "the other dtype, or other steps before the estimator."
        ) from error


def names_columns(model):
    """Return whether a step of a model selects columns of a data frame by name."""
    parts = [step for layer in layers_of(model) for step in steps_in(layer)]
    choosers = [part for part in parts if isinstance(part, ColumnTransformer)]
    chosen = [np.atleast_1d(part[2]) for one in choosers for part in one.transformers_]
    return any(isinstance(name, str) for names in chosen for name in names.tolist())


def inputs_of(model, number, text_columns):
    """Return the names and types of the inputs of a graph, in the form of skl2onnx."""
    from skl2onnx.common.data_types import StringTensorType

    if text_columns is None and names_columns(model):
        raise ValueError(
            "The model takes columns by name; pass text_columns with those that hold "
            "words, or [] if there are none."
        )
    if text_columns is None:
        return [("X", number([None, width_of(model)]))]
    text_columns = set(text_columns)
    names = getattr(model, "feature_names_in_", np.array([])).tolist()
    if not names or text_columns - set(names):
        raise ValueError(
            "text_columns must be names of columns that the model was fitted on; got "
            f"{sorted(text_columns)}, while these are {names}."
        )
    outputs = {*machines.types_of_outputs(innermost(model)), "probabilities"}
    clashes = sorted(outputs.intersection(names))
    if clashes:
        raise ValueError(
            f"A column may not be called {clashes[0]!r}, as an output of the graph is; "
            "rename it and fit the model again."
        )
    return [
        (name, (StringTensorType if name in text_columns else number)([None, 1]))
        for name in names
    ]


def register_converters():
    """Register the estimators of this library with skl2onnx.

    ``to_onnx`` does so itself. Call this to use ``skl2onnx.convert_sklearn`` directly, for
    instance with options of other converters; scores and values are float64 then.
    """
    skl2onnx = optional_module("skl2onnx", "ONNX models", extra="onnx")
    for name in *ALONE, *SEARCHES, "CalibratedMachine":
        graphs = probabilities if name == "CalibratedMachine" else machines
        skl2onnx.update_registered_converter(
            getattr(largemargin, name),
            f"LargeMargin{name}",
            lambda node: None,  # the types of outputs were declared with the node
            graphs.convert,
            parser=graphs.declare_outputs,
            # GridSearchCV inside a pipeline passes this option on.
            options={"zipmap": [True, False, "columns"]},
        )
