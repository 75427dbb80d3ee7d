"""Classifiers as ONNX graphs, which need neither Python nor this library to predict."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.utils.validation import check_is_fitted

import largemargin
from largemargin.estimators.base import MarginClassifier
from largemargin.estimators.nesting import innermost, layers_of, steps_in, width_of
from largemargin.estimators.table import CLASSIFIERS
from largemargin.production.onnx import machines, probabilities, steps

OUTPUTS = {"label", "scores", "probabilities"}


def to_onnx(model, *, dtype=np.float64, text_columns=None):
    """Return a fitted classifier as an ONNX model.

    Its input ``X`` takes dense rows, or those of the kernel with the training rows for
    ``kernel="precomputed"``. Its outputs are ``label``, what ``predict`` gives, ``scores``,
    what ``decision_function`` does, and for a calibrated machine ``probabilities``. It
    holds the rows that matter only: ``coef_``, or ``support_vectors_`` and ``dual_coef_``.

    Parameters
    ----------
    model : estimator
        A classifier of this library, refitted by a search or not, calibrated or not, alone
        or at the end of a scikit-learn pipeline of dense rows.

    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Type of the rows that will come, and of the scores. Probabilities are float64.

    text_columns : iterable of str, default=None
        Those of the columns that hold words, maybe none, of a pipeline fitted on a data
        frame. The graph then has no input ``X`` but one for each column, of shape
        ``(n_samples, 1)``, by its name with underscores for all but letters and digits.

    Returns
    -------
    onnx_model : onnx.ModelProto
        Write ``onnx_model.SerializeToString()`` to a file.

    Notes
    -----
    Scores agree with ours up to rounding: in float32 that of the last cast, in float64
    that of the sum ``dual_coef_ . k(support_vectors_, x)``, some 1e-16 of its terms added
    up without their signs; where scores of two classes are that close, labels may differ.
    The steps before the classifier in a pipeline compute in ``dtype``; those converted by
    skl2onnx, all but MinMaxScaler and SimpleImputer, may round otherwise than scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier
    >>> from largemargin.production.onnx import to_onnx
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
    outputs = [("label", None), ("scores", number())]
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
    """Raise unless a model ends in a fitted classifier that a graph can hold."""
    machine = innermost(model)
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


def check_runnable(onnx_model, model):
    """Raise if onnxruntime, where it is installed, has no code for a node of a graph."""
    try:
        from onnxruntime import InferenceSession
    except ImportError:
        return
    try:
        InferenceSession(onnx_model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a dozen kinds of them
        raise ValueError(
            f"skl2onnx made a graph of {model!r} that onnxruntime cannot run: {error} Try "
            "the other dtype, or other steps before the classifier."
        ) from error


def names_columns(model):
    """Return whether a step of a model picks columns of a data frame by their names."""
    choosers = [
        step
        for layer in layers_of(model)
        for step in steps_in(layer)
        if isinstance(step, ColumnTransformer)
    ]
    chosen = [np.atleast_1d(part[2]) for one in choosers for part in one.transformers_]
    return any(isinstance(name, str) for names in chosen for name in names.tolist())


def inputs_of(model, number, text_columns):
    """Return the names and types of the inputs of a graph, as skl2onnx wants them."""
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
    clashes = sorted(OUTPUTS.intersection(names))
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
    """Teach skl2onnx the classifiers of this library.

    ``to_onnx`` does so itself. Call it to convert, by skl2onnx, pipelines that want options
    of other converters. Scores are of float64 then.
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError:
        raise ImportError(
            "ONNX models need skl2onnx: pip install 'largemargin[onnx]'."
        ) from None
    for name in CLASSIFIERS:
        update_registered_converter(
            getattr(largemargin, name),
            f"LargeMargin{name}",
            machines.settle_output_types,
            machines.convert,
            parser=machines.declare_outputs,
            # A search of scikit-learn inside a pipeline hands this down.
            options={"zipmap": [True, False, "columns"]},
        )
    update_registered_converter(
        largemargin.CalibratedMachine,
        "LargeMarginCalibration",
        probabilities.settle_output_types,
        probabilities.convert,
        parser=probabilities.declare_outputs,
    )
