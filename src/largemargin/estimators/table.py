"""The table of estimators, from which every list of them derives.

Public names, types in model files, fits of ``largemargin warm-up``, ONNX converters,
methods of the command line and of the study, and scikit-learn's checks: a new estimator is
a file and a line of ``MACHINES``. Importing the table imports no estimator.
"""

from dataclasses import dataclass, field
from importlib import import_module

BOTH = "linear", "rbf"
SVM_PRICES = {"lambda_var": 0.0, "lambda_mean": 0.0}
# What SVC, SVR and svm-train fit if nothing else is asked for.
AS_SVC = {"C": 1.0, "loss": "hinge", "gamma": "scale"}
AS_SVR = {"C": 1.0, "epsilon": 0.1, "gamma": "scale"}


@dataclass(frozen=True)
class Machine:
    """An estimator: its public ``name`` and its ``module``.

    ``method`` is its name on the command line, which estimators of different ``kernels``
    may share ("rbf" stands for all but "linear"), and ``label`` its name in tables. The
    parameters in ``variants``, taken together, run all of its solvers. The class that
    searches its parameters has the same name with the suffix "CV", its module "_cv".
    ``task`` is "classes", "values" for a regressor or "outliers".
    """

    name: str
    module: str
    method: str
    label: str
    kernels: tuple[str, ...] = BOTH
    variants: tuple[dict, ...] = ({},)
    has_search: bool = False
    task: str = "classes"


@dataclass(frozen=True)
class Method:
    """A method: an estimator for each kernel, and the parameters that define the method.

    ``usual`` are the values of other parameters, where they are not the estimator's own.
    """

    label: str
    machines: dict[str, str]
    fixed: dict = field(default_factory=dict)
    usual: dict = field(default_factory=dict)

    def machine(self, kernel, **parameters):
        """Return the estimator for a kernel, not fitted, with a fixed ``random_state``."""
        module, _, name = self.machines[kernel].rpartition(".")
        machine = getattr(import_module(module), name)()
        known = machine.get_params()
        common = {"kernel": kernel, "random_state": 0, **self.usual}
        given = {key: value for key, value in common.items() if key in known}
        return machine.set_params(**{**given, **self.fixed, **parameters})


def machines_of(method, task="classes"):
    """Return the estimator of a method for each kernel."""
    own = [one for one in MACHINES if (one.method, one.task) == (method, task)]
    return {kernel: f"largemargin.{one.name}" for one in own for kernel in one.kernels}


def search_for(machine):
    """Return the class that searches the parameters of an estimator, or None."""
    names = [f"{kind.__name__}CV" for kind in type(machine).__mro__]
    found = [name for name in names if name in SEARCHES]
    return getattr(import_module("largemargin"), found[0]) if found else None


HINGE = {"C": 1.0, "loss": "hinge", "lambda_var": "scale", "lambda_mean": "scale"}
KERNEL_LDM: tuple[dict, ...] = (
    *({"kernel": name} for name in ("rbf", "precomputed")),
    *({"kernel": name, **HINGE} for name in ("rbf", "precomputed")),
    *({"kernel": name, **HINGE, **SVM_PRICES} for name in (*BOTH, "precomputed")),
    {"solver": "kernel_dual", **HINGE, "lambda_var": 2**-4, "lambda_mean": 2**-4},
    {"solver": "dual_cd", **HINGE},
)
LINEAR_LDM: tuple[dict, ...] = (
    {},
    *(
        {"solver": name, **prices, **({"random_state": 0} if name == "asgd" else {})}
        for name in ("auto", "newton", "dual_cd", "asgd")
        for prices in (HINGE, {**HINGE, **SVM_PRICES})
    ),
)
ODM: tuple[dict, ...] = ({}, {"kernel": "linear", "mu": 1.0, "theta": 0.3})
KOMD: tuple[dict, ...] = ({}, {"kernel": "linear", "lam": 0.5, "ridge": "classes"})
MAMC: tuple[dict, ...] = (
    {},
    {"kernel": "linear", "threshold": "none"},
    {"kernel": "poly", "threshold": "bounded", "coef0": 1.0},
)
MDO = ({"random_state": 0},)
NO_SQUARES = {"lambda_var": 0.0, "lambda_square": 0.0}
LINEAR_VALUES: tuple[dict, ...] = ({}, NO_SQUARES, {"loss": "quantile"})
KERNEL_VALUES: tuple[dict, ...] = tuple(
    {"kernel": name, **one} for name in ("rbf", "precomputed") for one in LINEAR_VALUES
)
ONE_CLASS: tuple[dict, ...] = tuple(
    {"kernel": name, **prices}
    for name in (*BOTH, "precomputed")
    for prices in ({}, SVM_PRICES)
)

MACHINES = (
    Machine("LDMClassifier", "estimators.ldm", "ldm", "LDM", ("rbf",), KERNEL_LDM, True),
    Machine(
        "LinearLDMClassifier",
        "estimators.linear_ldm",
        "ldm",
        "LDM",
        ("linear",),
        LINEAR_LDM,
        has_search=True,
    ),
    Machine("ODMClassifier", "compared.odm", "odm", "ODM", BOTH, ODM, has_search=True),
    Machine("KOMDClassifier", "compared.komd", "komd", "KM-OMD", BOTH, KOMD),
    Machine("MAMCClassifier", "compared.mamc", "mamc", "MAMC, balanced", BOTH, MAMC),
    Machine("MDOClassifier", "compared.mdo", "mdo", "MDO", ("linear",), MDO),
    Machine(
        "LDMRegressor",
        "estimators.ldm_regressor",
        "ldm",
        "LDM",
        ("rbf",),
        KERNEL_VALUES,
        has_search=True,
        task="values",
    ),
    Machine(
        "LinearLDMRegressor",
        "estimators.linear_ldm_regressor",
        "ldm",
        "LDM",
        ("linear",),
        LINEAR_VALUES,
        has_search=True,
        task="values",
    ),
    Machine(
        "OneClassLDM",
        "estimators.one_class",
        "ldm",
        "LDM",
        BOTH,
        ONE_CLASS,
        task="outliers",
    ),
)
# The module of each class by its name: of searches, of classifiers, of all estimators, and
# of the parts of fitted ones, which are public to model files only.
SEARCHES = {f"{one.name}CV": f"{one.module}_cv" for one in MACHINES if one.has_search}
ALONE = {one.name: one.module for one in MACHINES}
CLASSIFIERS = {
    name: module for name, module in (ALONE | SEARCHES).items() if "Classifier" in name
}
ESTIMATORS = {**ALONE, **SEARCHES, "CalibratedMachine": "production.calibration"}
PARTS = {
    "GivenScores": "production.calibration",
    "PairMap": "production.pair_probabilities",
    "Kernel": "kernels.functions",
    "Descent": "solvers.asgd",
}

# Classes by their names in model files and pickles of 0.1.0, and their public names, which
# later model files have and which survive moves.
PATHS_OF_0_1_0 = (
    "calibration.CalibratedMachine",
    "calibration.GivenScores",
    "estimators.kernel.LDMClassifier",
    "estimators.komd.KOMDClassifier",
    "estimators.linear.LinearLDMClassifier",
    "estimators.mamc.MAMCClassifier",
    "estimators.mdo.MDOClassifier",
    "estimators.odm.ODMClassifier",
    "estimators.selection.LDMClassifierCV",
    "estimators.selection.LinearLDMClassifierCV",
    "kernels.Kernel",
    "solvers.asgd.Descent",
)
ALIASES = {
    f"largemargin.{path}": f"largemargin.{path.rpartition('.')[2]}"
    for path in PATHS_OF_0_1_0
}


def own_methods(task):
    """Return the methods that have an estimator of their own for a task."""
    own = [one for one in MACHINES if one.task == task]
    return {one.method: Method(one.label, machines_of(one.method, task)) for one in own}


METHODS = own_methods("classes")
SVM = Method("SVM", machines_of("ldm"), SVM_PRICES, AS_SVC)
METHODS = {"ldm": METHODS["ldm"], "svm": SVM, **METHODS}
ON_VALUES = machines_of("ldm", "values")
METHODS_OF = {
    "classes": METHODS,
    "values": {
        **own_methods("values"),
        "svm": Method("SVM", ON_VALUES, NO_SQUARES, AS_SVR),
        "ridge": Method(
            "ridge",
            ON_VALUES,
            {"C": 0.0, "lambda_var": 0.0, "loss": "epsilon_insensitive"},
            {"lambda_square": "scale"},
        ),
    },
    "outliers": {
        **own_methods("outliers"),
        "svm": Method("SVM", machines_of("ldm", "outliers"), SVM_PRICES),
    },
}
