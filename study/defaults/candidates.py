"""The methods: support vector machines, and candidates for the defaults.

Prices are given as k: ``lambda = k C sum(s)``, also where C is chosen inside the fit.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
)
from largemargin.cli.tuning import widths_by_variance
from largemargin.estimators.ldm import SCALES

WIDE_CS = [2.0**k for k in range(-3, 10, 2)]
LINEAR_CS = [2.0**k for k in range(-9, 8, 2)]
LOSSES = {"hinge": "hinge", "squared": "squared_hinge"}


def folds():
    """Return the folds of every search."""
    return StratifiedKFold(5, shuffle=True, random_state=0)


@dataclass(frozen=True)
class Method:
    """A method of the study.

    Parameters
    ----------
    kernel : {"rbf", "linear"}
        Which support vector machines it is compared with.

    make : callable
        Maps training rows to the estimator.

    part : {"reference", "candidate", "search"}
        Whether it is a support vector machine, a candidate, or a search of ours.

    as_binary : str, default=None
        The method that it is the same as on two classes, where it is not run.
    """

    kernel: str
    make: Callable
    part: str = "candidate"
    as_binary: str | None = None


def price(k, name):
    """Return a price of ``k C sum(s)`` as an estimator takes it."""
    return f"{k / SCALES[name]:g}*scale" if k else 0.0


def prices(k_var, k_mean=0.0):
    """Return both prices as parameters."""
    return {
        "lambda_var": price(k_var, "lambda_var"),
        "lambda_mean": price(k_mean, "lambda_mean"),
    }


def search_of_svc(X):
    """Return a search of SVC over seven C and four widths."""
    grid = {"C": WIDE_CS, "gamma": list(widths_by_variance(X))}
    return GridSearchCV(SVC(), grid, cv=folds())


def search_of_linear_svc(X):
    """Return a search of LinearSVC over both losses and nine C."""
    grid = {"loss": ["hinge", "squared_hinge"], "C": LINEAR_CS}
    return GridSearchCV(LinearSVC(random_state=0), grid, cv=folds())


class SvmLast:
    """Adds the SVM to the points of a search, so that it wins no tie."""

    def _points(self, *args):
        points = super()._points(*args)
        svm = [{**point, "lambda_var": 0.0, "lambda_mean": 0.0} for point in points]
        return [*points, *(point for k, point in enumerate(svm) if point not in svm[:k])]


class KernelSearch(SvmLast, LDMClassifierCV):
    """The search with a kernel."""


class LinearSearch(SvmLast, LinearLDMClassifierCV):
    """The search without one."""


def search_of_ours(machine, loss, k_vars, k_means=(0,)):
    """Return the constructor of a search over these multiples.

    The largest price of the variance comes first and wins ties; those with the SVM besides
    have a class that adds it.
    """

    def make(X):
        return machine(
            loss=LOSSES[loss],
            lambda_vars=[price(k, "lambda_var") for k in k_vars],
            lambda_means=[price(k, "lambda_mean") for k in k_means],
            cv=folds(),
        )

    return make


def schemes(name, kernel, machine, **parameters):
    """Return a candidate with pairs of classes, and the same with one class against all."""

    def maker(scheme):
        return lambda X: machine(multi_class=scheme, **parameters)

    return {
        name: Method(kernel, maker("ovo")),
        f"{name}, ovr": Method(kernel, maker("ovr"), as_binary=name),
    }


def all_methods():
    """Return the methods by name, in the order of the tables."""
    found = {
        "SVC": Method("rbf", lambda X: SVC(), "reference"),
        "SVC search": Method("rbf", search_of_svc, "reference"),
        "LinearSVC": Method("linear", lambda X: LinearSVC(random_state=0), "reference"),
        "LinearSVC search": Method("linear", search_of_linear_svc, "reference"),
    }
    for short, loss in LOSSES.items():
        for k in (0.0, 0.03, 0.1, 0.3):
            options = {"C": "loo", "gamma": "loo", "loss": loss, **prices(k)}
            found |= schemes(f"loo, {short}, k {k:g}", "rbf", LDMClassifier, **options)
        for k in (0.0, 0.03, 0.1):
            options = {"C": "loo", "loss": loss, **prices(k)}
            name = f"linear loo, {short}, k {k:g}"
            found |= schemes(name, "linear", LinearLDMClassifier, **options)
    for short, k_var, k_mean in (
        ("hinge", 0.01, 0.01),
        ("hinge", 0.3, 0.3),
        ("squared", 0.1, 0),
    ):
        options = {"C": 1.0, "loss": LOSSES[short], **prices(k_var, k_mean)}
        name = f"C 1, {short}, k {k_var:g}/{k_mean:g}"
        found |= schemes(name, "rbf", LDMClassifier, **options)
    for short, k_var, k_mean in ("hinge", 0.01, 0.01), ("squared", 0.03, 0.1):
        options = {"C": 1.0, "loss": LOSSES[short], **prices(k_var, k_mean)}
        name = f"linear C 1, {short}, k {k_var:g}/{k_mean:g}"
        found |= schemes(name, "linear", LinearLDMClassifier, **options)
    searches = {
        "squared, k .1 / 0": (LDMClassifierCV, "squared", (0.1,)),
        "squared, k .3 / 0": (LDMClassifierCV, "squared", (0.3,)),
        "squared, k 0 .3 / 0": (KernelSearch, "squared", (0.3,)),
        "squared, k 0 .3 / 0 .3": (KernelSearch, "squared", (0.3,), (0, 0.3)),
        "squared, 320 points": (KernelSearch, "squared", (3, 0.3, 0.03), (0, 0.3, 1)),
        "hinge, k 0 .3 / 0": (KernelSearch, "hinge", (0.3,)),
    }
    for name, options in searches.items():
        found[f"LDM search, {name}"] = Method("rbf", search_of_ours(*options), "search")
    searches = {
        "squared, k 0 / 0": (LinearLDMClassifierCV, "squared", (0,)),
        "squared, k 0 .3 / 0": (LinearSearch, "squared", (0.3,)),
        "squared, 80 points": (LinearSearch, "squared", (3, 0.3, 0.03), (0, 0.3, 1)),
        "hinge, k 0 .3 / 0": (LinearSearch, "hinge", (0.3,)),
    }
    for name, options in searches.items():
        make = search_of_ours(*options)
        found[f"linear LDM search, {name}"] = Method("linear", make, "search")
    return found


METHODS = all_methods()
PLAIN = {"rbf": "SVC", "linear": "LinearSVC"}
SEARCHED = {"rbf": "SVC search", "linear": "LinearSVC search"}


def chosen_by(machine):
    """Return what a fitted machine chose, as JSON has it; empty if nothing."""
    found = getattr(machine, "best_params_", None)
    if found is None:
        names = [name for name in ("C", "gamma") if getattr(machine, name, None) == "loo"]
        found = {name: getattr(machine, f"{name}_") for name in names}
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in found.items()
    }
