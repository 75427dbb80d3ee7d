"""The one table of estimators, from which every list of them derives.

Public names, types in model files, fits of ``largemargin warm-up``, ONNX converters,
methods of the command line and of the study, and scikit-learn's checks: a new estimator is
a file and a line of ``MACHINES``. Importing the table imports none of them.
"""

from dataclasses import dataclass, field
from importlib import import_module

BOTH = "linear", "rbf"
SVM_PRICES = {"lambda_var": 0.0, "lambda_mean": 0.0}


@dataclass(frozen=True)
class Machine:
    """A machine: its public ``name``, and the ``module`` that it is in.

    ``method`` is its name on the command line, which machines of different ``kernels`` may
    share ("rbf" stands for all but "linear"), and ``label`` the name in tables. ``search``
    is the search for its parameters with its module; it takes values of ``C`` as ``Cs``.
    With the parameters in ``variants``, taken together, it runs all of its solvers.
    """

    name: str
    module: str
    method: str | None = None
    label: str = ""
    kernels: tuple = BOTH
    search: str | None = None
    variants: tuple = ({},)


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


def places(*paths):
    """Return the module of each class, by its name."""
    return {name: module for module, _, name in (path.rpartition(".") for path in paths)}


def machines_of(method):
    """Return the machine of a method for each kernel."""
    own = [one for one in MACHINES if one.method == method]
    return {kernel: f"largemargin.{one.name}" for one in own for kernel in one.kernels}


def search_for(machine):
    """Return the class that searches for the parameters of a machine, or None."""
    names = {kind.__name__ for kind in type(machine).__mro__}
    for one in MACHINES:
        if one.search is not None and one.name in names:
            return getattr(import_module("largemargin"), one.search.rpartition(".")[2])
    return None


KERNEL_LDM = (
    *({"kernel": name} for name in ("rbf", "precomputed")),
    *({"kernel": name, **SVM_PRICES} for name in (*BOTH, "precomputed")),
    {"solver": "kernel_dual", "lambda_var": 2**-4, "lambda_mean": 2**-4},
    {"solver": "dual_cd"},
)
LINEAR_LDM = tuple(
    {"solver": name, **prices, **({"random_state": 0} if name == "asgd" else {})}
    for name in ("auto", "newton", "dual_cd", "asgd")
    for prices in ({}, SVM_PRICES)
)
ODM = {}, {"kernel": "linear", "mu": 1.0, "theta": 0.3}
KOMD = {}, {"kernel": "linear", "lam": 0.5, "ridge": "classes"}
MAMC = (
    {},
    {"kernel": "linear", "threshold": "none"},
    {"kernel": "poly", "threshold": "bounded", "coef0": 1.0},
)
MDO = ({"random_state": 0},)

MACHINES = (
    Machine(
        "LDMClassifier",
        "estimators.ldm",
        method="ldm",
        label="LDM",
        kernels=("rbf",),
        search="estimators.ldm_cv.LDMClassifierCV",
        variants=KERNEL_LDM,
    ),
    Machine(
        "LinearLDMClassifier",
        "estimators.linear_ldm",
        method="ldm",
        label="LDM",
        kernels=("linear",),
        search="estimators.linear_ldm_cv.LinearLDMClassifierCV",
        variants=LINEAR_LDM,
    ),
    Machine(
        "ODMClassifier",
        "compared.odm",
        method="odm",
        label="ODM",
        search="compared.odm_cv.ODMClassifierCV",
        variants=ODM,
    ),
    Machine("KOMDClassifier", "compared.komd", "komd", "KM-OMD", variants=KOMD),
    Machine("MAMCClassifier", "compared.mamc", "mamc", "MAMC, balanced", variants=MAMC),
    Machine(
        "MDOClassifier",
        "compared.mdo",
        method="mdo",
        label="MDO",
        kernels=("linear",),
        variants=MDO,
    ),
)
# The module of each class by its name: of classifiers, of all estimators, and of the parts
# of fitted ones, which are public to model files only.
SEARCHES = places(*(one.search for one in MACHINES if one.search))
CLASSIFIERS = {one.name: one.module for one in MACHINES} | SEARCHES
ESTIMATORS = CLASSIFIERS | places("production.calibration.CalibratedMachine")
PARTS = places(
    "production.calibration.GivenScores", "kernels.functions.Kernel", "solvers.asgd.Descent"
)

LABELS = {one.method: one.label for one in MACHINES if one.method is not None}
METHODS = {name: Method(label, machines_of(name)) for name, label in LABELS.items()}
SVM = Method("SVM", machines_of("ldm"), SVM_PRICES)
METHODS = {"ldm": METHODS["ldm"], "svm": SVM, **METHODS}
