"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

from importlib import import_module

from largemargin.estimators.table import ESTIMATORS as _ESTIMATORS
from largemargin.estimators.table import PARTS as _PARTS

__version__ = "0.1.0"

# Where the public names are; each is loaded when it is first asked for.
_PLACES = _ESTIMATORS | {
    "ConvergenceDisplay": "inspection.displays.convergence",
    "MarginDistribution": "inspection.margins",
    "MarginDistributionDisplay": "inspection.displays.margin_distribution",
    "PriceInfluenceDisplay": "inspection.displays.price_influence",
    "calibrate": "production.calibration",
    "leave_one_out_bound": "inspection.leave_one_out",
    "leave_one_out_error": "inspection.leave_one_out",
    "margin_distribution": "inspection.margins",
    "to_onnx": "production.onnx",
}

# Modules that are public as such.
_MODULES = {"model_files": "production.model_files"}

__all__ = sorted(_PLACES | _MODULES)

# Not for users: model files know the parts of fitted estimators by these names.
_PLACES |= _PARTS


def __getattr__(name):
    if name in _MODULES:
        value = import_module(f"largemargin.{_MODULES[name]}")
    elif name in _PLACES:
        value = getattr(import_module(f"largemargin.{_PLACES[name]}"), name)
    else:
        raise AttributeError(f"module 'largemargin' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
