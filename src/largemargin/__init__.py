"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

import sys
from importlib import import_module
from types import ModuleType

from largemargin.estimators.table import ALIASES as _ALIASES
from largemargin.estimators.table import ESTIMATORS as _ESTIMATORS
from largemargin.estimators.table import PARTS as _PARTS

__version__ = "0.1.0"

# The module of each public name, which is imported when the name is first used. Editors
# and type checkers read the same names in ``__init__.pyi``.
_MODULES = _ESTIMATORS | {
    "ConvergenceDisplay": "inspection.displays.convergence",
    "LeaveOneOutDisplay": "inspection.displays.leave_one_out",
    "MarginDistribution": "inspection.margins",
    "MarginDistributionDisplay": "inspection.displays.margin_distribution",
    "PriceInfluenceDisplay": "inspection.displays.price_influence",
    "ResidualDistribution": "inspection.residuals",
    "ResidualDistributionDisplay": "inspection.displays.residual_distribution",
    "calibrate": "production.calibration",
    "leave_one_out_bound": "inspection.leave_one_out",
    "leave_one_out_error": "inspection.leave_one_out",
    "leave_one_out_residuals": "inspection.leave_one_out",
    "margin_distribution": "inspection.margins",
    "model_files": "production",
    "residual_distribution": "inspection.residuals",
    "to_onnx": "production.onnx",
}

__all__ = sorted(_MODULES)

# Not for users: model files know the parts of fitted estimators by these names.
_MODULES |= _PARTS


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module 'largemargin' has no attribute {name!r}")
    module = f"largemargin.{_MODULES[name]}"
    if name == "model_files":  # a module itself
        value = import_module(f"{module}.{name}")
    else:
        value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


class _OldModule(ModuleType):
    """A module of 0.1.0 that has moved: pickles find its classes by their public names."""

    def __getattr__(self, name):
        if f"{self.__name__}.{name}" not in _ALIASES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return __getattr__(name)


for _name in {_path.rpartition(".")[0] for _path in _ALIASES}:
    if _name not in ("largemargin.kernels", "largemargin.solvers.asgd"):  # still there
        sys.modules.setdefault(_name, _OldModule(_name))
