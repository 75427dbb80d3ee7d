"""Graphs of calibrated probabilities: the map, and its agreement with predictions."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

from largemargin.estimators.targets import incidence, n_pairs
from largemargin.production.onnx.operators import Operators
from largemargin.production.pair_probabilities import MAX_LOG_ODDS, PairMap


def declare_outputs(scope, model, inputs, custom_parsers=None):
    """Declare the nodes of a calibrated classifier and their outputs, as skl2onnx asks."""
    from skl2onnx._parse import _parse_sklearn
    from skl2onnx.common.data_types import DoubleTensorType

    label, scores = _parse_sklearn(scope, model.machine_, inputs, custom_parsers)
    node = scope.declare_local_operator("LargeMarginCalibratedMachine", model)
    node.inputs.append(scores)
    if isinstance(model.calibration_, PairMap):
        shape = [None, n_pairs(len(model.classes_))]
        pairs = scope.declare_local_variable("pair_scores", DoubleTensorType(shape))
        (machine,) = [one for one in scope.operators.values() if scores in one.outputs]
        machine.outputs.append(pairs)
        node.inputs.append(pairs)
    kind = DoubleTensorType([None, len(model.classes_)])
    node.outputs.append(scope.declare_local_variable("probabilities", kind))
    return [label, scores, *node.outputs]


def convert(scope, node, container):
    """Add the graph from scores to probabilities, as skl2onnx asks for."""
    model = node.raw_operator
    n_classes = len(model.classes_)
    op = Operators(container)
    scores = op.Reshape(node.inputs[0], np.array([-1, 1 if n_classes == 2 else n_classes]))
    winner = op.winner(scores, n_classes, keepdims=1)
    if isinstance(model.calibration_, PairMap):
        probabilities = coupled(op, model.calibration_, node.inputs[1])
    else:
        (fitted,) = model.calibration_.calibrated_classifiers_
        columns = [
            mapped(op, calibrator, op.Gather(scores, np.array([k]), axis=1))
            for k, calibrator in enumerate(fitted.calibrators)
        ]
        probabilities = normalised(op, columns)
    names = [node.outputs[0].full_name]
    side_with(op, winner, probabilities, n_classes, names).add_to(scope, container)


def mapped(op, calibrator, score):
    """Return the graph from a column of scores to the values of a calibrator."""
    if isinstance(calibrator, IsotonicRegression):
        return interpolated(op, score, calibrator.X_thresholds_, calibrator.y_thresholds_)
    inner = op.Mul(score, np.array([-calibrator.a_]))
    return op.Sigmoid(op.Add(inner, np.array([-calibrator.b_])))


def log_odds(op, pair_map, scores):
    """Return the graph of ``PairMap.log_odds``."""
    if pair_map.method == "sigmoid":
        odds = op.Add(op.Mul(scores, pair_map.slopes_), pair_map.offsets_)
    else:
        columns = [
            mapped(op, calibrator, op.Gather(scores, np.array([k]), axis=1))
            for k, calibrator in enumerate(pair_map.calibrators_)
        ]
        values = op.Concat(*columns, axis=1)
        odds = op.Log(op.Div(values, op.Sub(np.ones(1), values)))
    end = np.array([MAX_LOG_ODDS])
    return op.Min(op.Max(odds, -end), end)


def coupled(op, pair_map, scores):
    """Return the graph of ``PairMap.predict_proba``."""
    sides = incidence(pair_map.n_classes_)
    odds = op.Exp(log_odds(op, pair_map, scores))
    against = op.Add(
        op.MatMul(odds, (sides < 0).astype(float)),
        op.MatMul(op.Div(np.ones(1), odds), (sides > 0).astype(float)),
    )
    power = np.array([-pair_map.sharpness_])
    return op.Softmax(op.Mul(op.Log(op.Add(np.ones(1), against)), power), axis=1)


def interpolated(op, score, places, values):
    """Return the graph of linear interpolation, constant beyond both ends."""
    from onnx import TensorProto

    if len(places) == 1:
        return op.Add(op.Mul(score, np.zeros(1)), values)
    score = op.Min(op.Max(score, places[:1]), places[-1:])
    passed = op.Cast(op.GreaterOrEqual(score, places[1:-1]), to=TensorProto.INT64)
    line = op.ReduceSum(passed, np.array([1]), keepdims=1)
    slopes = np.diff(values) / np.diff(places)
    rise = op.Mul(op.Sub(score, op.Gather(places, line)), op.Gather(slopes, line))
    return op.Add(rise, op.Gather(values, line))


def normalised(op, columns):
    """Return the graph of probabilities with sum one, one column per class."""
    if len(columns) == 1:
        return op.Concat(op.Sub(np.ones(1), columns[0]), columns[0], axis=1)
    values = op.Concat(*columns, axis=1)
    total = op.ReduceSum(values, np.array([1]), keepdims=1)
    nothing = op.Equal(total, np.zeros(1))
    divided = op.Div(values, op.Where(nothing, np.ones(1), total))
    return op.Where(nothing, np.full((1, len(columns)), 1.0 / len(columns)), divided)


def side_with(op, winner, probabilities, n_classes, output_names):
    """Return the graph of ``calibration.side_with``."""
    places = np.arange(n_classes)[None]
    is_winner = op.Equal(winner, places)
    own = op.ReduceSum(
        op.Where(is_winner, probabilities, np.zeros(1)), np.array([1]), keepdims=1
    )
    others = op.Where(is_winner, np.array([-1.0]), probabilities)
    falling = op.TopK(others, np.array([n_classes - 1]), axis=1)[0]
    sums = op.CumSum(op.Concat(own, falling, axis=1), np.array(1))
    level = op.TopK(op.Div(sums, 1.0 + places), np.array([1]), axis=1)[0]
    # Of equal classes the first would win.
    level_of_winner = op.Add(level, np.array([np.finfo(float).eps]))
    sided = op.Where(is_winner, level_of_winner, op.Min(probabilities, level))
    agree = op.Equal(op.ArgMax(probabilities, axis=1, keepdims=1), winner)
    return op.Where(agree, probabilities, sided, output_names=output_names)
