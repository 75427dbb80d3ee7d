"""The one table of estimators, from which every list of them derives.

Public names, types in model files, fits of ``largemargin warm-up``, ONNX converters,
methods of the command line and of the study, and scikit-learn's checks: a new estimator is
a file and a line of ``MACHINES``. Importing the table imports none of them.
"""

from dataclasses import dataclass, field, replace
from importlib import import_module

BOTH = "linear", "rbf"
SVM_PRICES = {"lambda_var": 0.0, "lambda_mean": 0.0}


@dataclass(frozen=True)
class Machine:
    """A machine: ``path`` is its module and class, below ``largemargin``.

    ``method`` is its name on the command line, which machines of different ``kernels`` may
    share ("rbf" stands for all but "linear"), and ``label`` the name in tables. ``search``
    is the path of the search for its parameters, which takes values of ``C`` as ``Cs``.
    With the parameters in ``variants``, taken together, it runs all of its solvers.
    """

    path: str
    method: str | None = None
    label: str = ""
    kernels: tuple = BOTH
    search: str | None = None
    variants: tuple = ({},)

    @property
    def name(self):
        """The public name."""
        return name_of(self.path)


@dataclass(frozen=True)
class Method:
    """A method: a machine for each kernel, at the parameters that make it this method."""

    label: str
    machines: dict
    fixed: dict = field(default_factory=dict)

    def machine(self, kernel, **parameters):
        """Return the machine, not fitted, with ``random_state`` set where it has one."""
        module, name = self.machines[kernel].rsplit(".", 1)
        machine = getattr(import_module(module), name)()
        known = machine.get_params()
        common = {"kernel": kernel, "random_state": 0}
        given = {key: value for key, value in common.items() if key in known}
        return machine.set_params(**given, **self.fixed, **parameters)


def name_of(path):
    """Return the class at the end of a path."""
    return path.rpartition(".")[2]


def places(*paths):
    """Return the module of each class, by its name; None is passed over."""
    return {name_of(path): path.rpartition(".")[0] for path in paths if path}


def methods_of(machines):
    """Return the methods by name, with the machines of each."""
    found = {}
    for one in machines:
        if one.method is not None:
            method = found.setdefault(one.method, Method(one.label, {}))
            method.machines.update(dict.fromkeys(one.kernels, f"largemargin.{one.name}"))
    return found


def search_for(machine):
    """Return the class that searches for the parameters of a machine, or None."""
    name = SEARCHES.get(type(machine).__name__)
    return name and getattr(import_module("largemargin"), name)


MACHINES = (
    Machine(
        "estimators.kernel.LDMClassifier",
        "ldm",
        "LDM",
        kernels=("rbf",),
        search="estimators.selection.LDMClassifierCV",
        variants=(
            *({"kernel": name} for name in ("rbf", "precomputed")),
            *({"kernel": name, **SVM_PRICES} for name in (*BOTH, "precomputed")),
            {"solver": "kernel_dual", "lambda_var": 2**-4, "lambda_mean": 2**-4},
            {"solver": "dual_cd"},
        ),
    ),
    Machine(
        "estimators.linear.LinearLDMClassifier",
        "ldm",
        "LDM",
        kernels=("linear",),
        search="estimators.selection.LinearLDMClassifierCV",
        variants=(
            *({"solver": name} for name in ("auto", "newton", "dual_cd")),
            *({"solver": name, **SVM_PRICES} for name in ("auto", "newton", "dual_cd")),
            {"solver": "asgd", "random_state": 0},
            {"solver": "asgd", "random_state": 0, **SVM_PRICES},
        ),
    ),
    Machine(
        "estimators.odm.ODMClassifier",
        "odm",
        "ODM",
        variants=({}, {"kernel": "linear", "mu": 1.0, "theta": 0.3}),
    ),
    Machine(
        "estimators.komd.KOMDClassifier",
        "komd",
        "KM-OMD",
        variants=({}, {"kernel": "linear", "lam": 0.5, "ridge": "classes"}),
    ),
    Machine(
        "estimators.mamc.MAMCClassifier",
        "mamc",
        "MAMC, balanced",
        variants=(
            {},
            {"kernel": "linear", "threshold": "none"},
            {"kernel": "poly", "threshold": "bounded", "coef0": 1.0},
        ),
    ),
    Machine(
        "estimators.mdo.MDOClassifier",
        "mdo",
        "MDO",
        kernels=("linear",),
        variants=({"random_state": 0},),
    ),
)
# The module of each class by its name: of classifiers, of all estimators, and of the parts
# of fitted ones that are kept with them in files.
CLASSIFIERS = places(*(one.path for one in MACHINES), *(one.search for one in MACHINES))
ESTIMATORS = CLASSIFIERS | places("calibration.CalibratedMachine")
PARTS = places("calibration.GivenScores", "kernels.Kernel", "solvers.asgd.Descent")
SEARCHES = {one.name: name_of(one.search) for one in MACHINES if one.search}

METHODS = methods_of(MACHINES)
SVM = replace(METHODS["ldm"], label="SVM", fixed=SVM_PRICES)
METHODS = {"ldm": METHODS["ldm"], "svm": SVM} | METHODS
# Those whose parameters ``--cv`` chooses.
SEARCHED = [
    name
    for name, method in METHODS.items()
    if {name_of(path) for path in method.machines.values()} <= SEARCHES.keys()
]
