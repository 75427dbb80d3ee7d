"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

from importlib import import_module

from largemargin.estimators.table import ESTIMATORS as _ESTIMATORS
from largemargin.estimators.table import PARTS as _PARTS

__version__ = "0.1.0"

# Where the public names are; each is loaded when it is first asked for.
_PLACES = _ESTIMATORS | {
    "ConvergenceDisplay": "displays.convergence",
    "MarginDistribution": "margins",
    "MarginDistributionDisplay": "displays.margin_distribution",
    "PriceInfluenceDisplay": "displays.price_influence",
    "calibrate": "calibration",
    "leave_one_out_bound": "leave_one_out",
    "leave_one_out_error": "leave_one_out",
    "margin_distribution": "margins",
    "to_onnx": "onnx",
}

__all__ = sorted(_PLACES)

# Not for users: model files know the parts of fitted estimators by these names.
_PLACES |= _PARTS


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'largemargin' has no attribute {name!r}")
    value = getattr(import_module(f"largemargin.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
