"""The methods that are compared: the paper's five, and some others."""

from dataclasses import dataclass
from difflib import get_close_matches

from largemargin.estimators import table
from largemargin.estimators.table import AS_SVC, BOTH, SVM_PRICES


@dataclass(frozen=True)
class Method(table.Method):
    """A method in the study: on data sets of ``scales``, as part of ``protocols``.

    ``follows`` is the method whose chosen parameters it takes instead of a search.
    """

    scales: tuple = ("regular", "large")
    protocols: tuple = ("paper", "fair")
    follows: str | None = None


def ours(name, **changes):
    """Return a method of the command line, changed for the study."""
    return Method(**(vars(table.METHODS[name]) | changes))


LINEAR_LDM = {"linear": table.METHODS["ldm"].machines["linear"]}

# In the order of the tables.
STUDIED = {
    "svm": ours("svm"),
    "mdo": ours("mdo"),
    "mamc": ours("mamc", label="MAMC", fixed={"threshold": "none"}),
    "komd": ours("komd", fixed={"ridge": "unit"}),
    "ldm": ours("ldm", usual=AS_SVC),
    # With an intercept, which the paper's SVM has not; in the fair protocol "svm" has one
    # too and is the same machine.
    "svc": Method(
        "SVC, intercept",
        dict.fromkeys(BOTH, "sklearn.svm.SVC"),
        scales=("regular",),
        protocols=("paper",),
    ),
    "linear_svc": Method(
        "LinearSVC",
        {"linear": "sklearn.svm.LinearSVC"},
        {"loss": "hinge"},
        scales=("large",),
        follows="svm",
    ),
    "svm_asgd": Method(
        "SVM by ASGD",
        LINEAR_LDM,
        {"solver": "asgd", **SVM_PRICES},
        AS_SVC,
        scales=("large",),
        follows="svm",
    ),
    "ldm_asgd": Method(
        "LDM by ASGD",
        LINEAR_LDM,
        {"solver": "asgd"},
        AS_SVC,
        scales=("large",),
        follows="ldm",
    ),
    "odm": ours("odm", protocols=("fair",)),
    "mamc_balanced": ours("mamc", fixed={"threshold": "balanced"}),
}


def check_name(name, known, kind):
    """Return the known name that is meant, or raise with the nearest.

    Capitals do not matter, and a method may be named by its label.

    Examples
    --------
    >>> check_name("KM-OMD", STUDIED, "method")
    'komd'
    """
    meant = {key.lower(): key for key in known}
    if known is STUDIED:
        meant |= {method.label.lower(): key for key, method in STUDIED.items()}
    if name.lower() in meant:
        return meant[name.lower()]
    near = get_close_matches(name.lower(), meant, n=1)
    hint = (
        f"Did you mean {meant[near[0]]!r}?" if near else f"Choose from {', '.join(known)}."
    )
    raise ValueError(f"There is no {kind} {name!r}. {hint}")
