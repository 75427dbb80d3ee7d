"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

from importlib import import_module

from largemargin.estimators.kernel import LDMClassifier
from largemargin.estimators.linear import LinearLDMClassifier

__version__ = "0.1.0"

# Loaded when they are first asked for.
_LATER = {
    "CalibratedMachine": "calibration",
    "ConvergenceDisplay": "plotting",
    "KOMDClassifier": "estimators.komd",
    "LDMClassifierCV": "estimators.selection",
    "LinearLDMClassifierCV": "estimators.selection",
    "MAMCClassifier": "estimators.mamc",
    "MDOClassifier": "estimators.mdo",
    "MarginDistribution": "margins",
    "MarginDistributionDisplay": "plotting",
    "ODMClassifier": "estimators.odm",
    "PriceInfluenceDisplay": "plotting",
    "calibrate": "calibration",
    "leave_one_out_bound": "leave_one_out",
    "leave_one_out_error": "leave_one_out",
    "margin_distribution": "margins",
    "to_onnx": "onnx",
}

__all__ = ["LDMClassifier", "LinearLDMClassifier", *_LATER]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'largemargin' has no attribute {name!r}")
    value = getattr(import_module(f"largemargin.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
