"""The methods that are compared: the paper's five, and those beside them."""

from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module

BOTH = "linear", "rbf"
SVM_PRICES = {"lambda_var": 0.0, "lambda_mean": 0.0}


@dataclass(frozen=True)
class Method:
    """A method in the tables, and the machine that stands for it.

    Attributes
    ----------
    label : str
        Its name in the tables.

    machines : dict
        Module and class of the machine for each kernel it is run with.

    fixed : dict
        Parameters that make the machine this method.

    scales : tuple of str
        Which data sets it is run on.

    protocols : tuple of str
        Which protocols it is part of.

    follows : str or None
        The method whose chosen parameters it takes instead of a search of its own.
    """

    label: str
    machines: dict
    fixed: dict = field(default_factory=dict)
    scales: tuple = ("regular", "large")
    protocols: tuple = ("paper", "fair")
    follows: str | None = None

    def machine(self, kernel, **parameters):
        """Return the machine, not fitted, at some parameters.

        Parameters
        ----------
        kernel : {"linear", "rbf"}
            The kernel.

        **parameters
            Of the machine, beside those that are fixed.

        Returns
        -------
        machine : estimator
            With ``kernel`` and ``random_state`` set where it has them.
        """
        module, name = self.machines[kernel].rsplit(".", 1)
        machine = getattr(import_module(module), name)()
        known = machine.get_params()
        common = {"kernel": kernel, "random_state": 0}
        given = {key: value for key, value in common.items() if key in known}
        return machine.set_params(**given, **self.fixed, **parameters)


def each(machine, kernels=BOTH):
    """Return one machine for several kernels."""
    return dict.fromkeys(kernels, machine)


LDM = {"linear": "largemargin.LinearLDMClassifier", "rbf": "largemargin.LDMClassifier"}
LINEAR_LDM = each("largemargin.LinearLDMClassifier", ["linear"])
MAMC = each("largemargin.MAMCClassifier")

# In the order of the tables.
METHODS = {
    "svm": Method("SVM", LDM, SVM_PRICES),
    "mdo": Method("MDO", each("largemargin.MDOClassifier", ["linear"])),
    "mamc": Method("MAMC", MAMC, {"threshold": "none"}),
    "komd": Method("KM-OMD", each("largemargin.KOMDClassifier"), {"ridge": "unit"}),
    "ldm": Method("LDM", LDM),
    # With an intercept, which the paper's SVM has not; in the fair protocol "svm" has one
    # too and is the same machine.
    "svc": Method(
        "SVC, intercept",
        each("sklearn.svm.SVC"),
        scales=("regular",),
        protocols=("paper",),
    ),
    "linear_svc": Method(
        "LinearSVC",
        each("sklearn.svm.LinearSVC", ["linear"]),
        {"loss": "hinge"},
        scales=("large",),
        follows="svm",
    ),
    "svm_asgd": Method(
        "SVM by ASGD",
        LINEAR_LDM,
        {"solver": "asgd", **SVM_PRICES},
        scales=("large",),
        follows="svm",
    ),
    "ldm_asgd": Method(
        "LDM by ASGD", LINEAR_LDM, {"solver": "asgd"}, scales=("large",), follows="ldm"
    ),
    "odm": Method("ODM", each("largemargin.ODMClassifier"), protocols=("fair",)),
    "mamc_balanced": Method("MAMC, balanced", MAMC, {"threshold": "balanced"}),
}


def check_name(name, known, kind):
    """Return the known name that is meant, or raise with the nearest.

    Capitals do not matter, and a method may be named by its label.

    Examples
    --------
    >>> check_name("KM-OMD", METHODS, "method")
    'komd'
    """
    meant = {key.lower(): key for key in known}
    if known is METHODS:
        meant |= {method.label.lower(): key for key, method in METHODS.items()}
    if name.lower() in meant:
        return meant[name.lower()]
    near = get_close_matches(name.lower(), meant, n=1)
    hint = (
        f"Did you mean {meant[near[0]]!r}?" if near else f"Choose from {', '.join(known)}."
    )
    raise ValueError(f"There is no {kind} {name!r}. {hint}")
