"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

from importlib import import_module

__version__ = "0.1.0"

# Where the public names are; each is loaded when it is first asked for.
_PLACES = {
    "CalibratedMachine": "calibration",
    "ConvergenceDisplay": "displays.convergence",
    "KOMDClassifier": "estimators.komd",
    "LDMClassifier": "estimators.kernel",
    "LDMClassifierCV": "estimators.ldm_cv",
    "LinearLDMClassifier": "estimators.linear",
    "LinearLDMClassifierCV": "estimators.linear_ldm_cv",
    "MAMCClassifier": "estimators.mamc",
    "MDOClassifier": "estimators.mdo",
    "MarginDistribution": "margins",
    "MarginDistributionDisplay": "displays.margin_distribution",
    "ODMClassifier": "estimators.odm",
    "ODMClassifierCV": "estimators.odm_cv",
    "PriceInfluenceDisplay": "displays.price_influence",
    "calibrate": "calibration",
    "leave_one_out_bound": "leave_one_out",
    "leave_one_out_error": "leave_one_out",
    "margin_distribution": "margins",
    "to_onnx": "onnx",
}

__all__ = list(_PLACES)


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'largemargin' has no attribute {name!r}")
    value = getattr(import_module(f"largemargin.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
