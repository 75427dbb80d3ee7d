"""The machines under test, and what is kept of each fit for the judge."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

import largemargin

LINEAR_SOLVERS = "auto", "newton", "dual_cd", "asgd"
KERNEL_SOLVERS = "auto", "kernel_dual", "dual_cd"
FUZZED_KERNELS = "linear", "rbf", "poly", "laplacian", "cosine", "precomputed", "sigmoid"
WITH_PARAMETERS = {
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
}


@dataclass(frozen=True)
class Machine:
    """An estimator with its settings.

    Machines with the same kernel and loss solve the same problem and are compared.
    """

    name: str
    kernel: str
    loss: str
    make: Callable

    @property
    def group(self):
        """What all machines have in common that solve the same problem."""
        return self.kernel, self.loss

    def can_pose(self, drawn):
        """Return whether the machine can solve such a problem."""
        return self.loss != "band" or 0 < drawn.prices["C"] < np.inf

    def matrix(self, drawn):
        """Return what ``fit`` is given: rows, or their Gram matrix."""
        if self.kernel != "precomputed":
            return drawn.X
        options = {"gamma": 1.0 / drawn.X.shape[1]}
        options = options if drawn.kernel["precomputed"] == "rbf" else {}
        with np.errstate(over="ignore", invalid="ignore"):
            gram = pairwise_kernels(
                drawn.rows, metric=drawn.kernel["precomputed"], **options
            )
        return 0.5 * (gram + gram.T)


def kernel_options(kernel, drawn):
    """Return the parameters of a kernel."""
    names = WITH_PARAMETERS.get(kernel, ())
    return {"kernel": kernel, **{name: drawn.kernel[name] for name in names}}


def linear_ldm(solver):
    """Return how to make a machine on explicit features."""

    def make(drawn):
        return largemargin.LinearLDMClassifier(
            **drawn.prices, **drawn.common, solver=solver
        )

    return Machine(f"LinearLDM {solver}", "linear", "hinge", make)


def kernel_ldm(kernel, solver):
    """Return how to make a machine with a kernel."""

    def make(drawn):
        options = kernel_options(kernel, drawn)
        return largemargin.LDMClassifier(
            **drawn.prices, **drawn.common, **options, solver=solver
        )

    return Machine(f"LDM {kernel} {solver}", kernel, "hinge", make)


def odm(kernel):
    """Return how to make an optimal margin distribution machine."""

    def make(drawn):
        options = {**drawn.band, **without_seed(drawn.common)}
        for name in "C", "fit_intercept", "class_weight":
            options[name] = drawn.prices[name]
        return largemargin.ODMClassifier(**options, **kernel_options(kernel, drawn))

    return Machine(f"ODM {kernel}", kernel, "band", make)


def komd(kernel):
    """Return how to make a KOMD machine."""

    def make(drawn):
        options = {**drawn.komd, **without_seed(drawn.common)}
        return largemargin.KOMDClassifier(**options, **kernel_options(kernel, drawn))

    return Machine(f"KOMD {kernel}", kernel, "komd", make)


def without_seed(common):
    """Return the options of machines without random numbers."""
    return {name: value for name, value in common.items() if name != "random_state"}


MACHINES = (
    *(linear_ldm(solver) for solver in LINEAR_SOLVERS),
    *(
        kernel_ldm(kernel, solver)
        for kernel in FUZZED_KERNELS[:-1]
        for solver in KERNEL_SOLVERS
    ),
    kernel_ldm("sigmoid", "auto"),
    *(odm(kernel) for kernel in ("linear", "rbf")),
    *(komd(kernel) for kernel in ("linear", "rbf")),
)


@dataclass
class Outcome:
    """How a fit ended: ``fitted``, ``refused``, ``error``, ``endless`` or ``crash``."""

    machine: str
    status: str
    message: str = ""
    kept: dict | None = None
    seconds: float = 0.0


def fit(machine, drawn):
    """Return how the fit of a machine ended."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = machine.matrix(drawn)
            estimator = machine.make(drawn)
            weight = drawn.sample_weight
            estimator.fit(
                matrix, drawn.y, **({} if weight is None else {"sample_weight": weight})
            )
            return Outcome(machine.name, "fitted", kept=keep(estimator, matrix))
    except np.linalg.LinAlgError as error:
        # A ValueError by inheritance, but nothing that was checked and refused.
        return Outcome(machine.name, "error", text_of(error))
    except ValueError as error:
        return Outcome(machine.name, "refused", text_of(error))
    except Exception as error:
        return Outcome(machine.name, "error", text_of(error))


def text_of(error):
    """Return the type and message of an error."""
    return f"{type(error).__name__}: {error}"


def keep(estimator, matrix):
    """Return the fitted attributes to judge, as plain arrays with one row per machine."""
    kept = {
        "classes": estimator.classes_,
        "intercept": np.atleast_1d(estimator.intercept_),
        "gap": np.atleast_1d(estimator.duality_gap_),
        "objective": np.atleast_1d(estimator.objective_),
        "margin_mean": np.atleast_1d(estimator.margin_mean_),
        "margin_variance": np.atleast_1d(estimator.margin_variance_),
        "dual_beta": np.atleast_2d(estimator.dual_beta_),
        "tol": estimator.tol,
    }
    kept["scores"] = scores_of(estimator, matrix)
    kept["gamma"] = getattr(getattr(estimator, "_kernel", None), "gamma", None)
    if hasattr(estimator, "dual_coef_"):
        kept["dual_coef"], kept["support"] = estimator.dual_coef_, estimator.support_
        kept["rows_match"] = support_matches(estimator, matrix)
    if not hasattr(estimator, "kernel") or estimator.kernel == "linear":
        kept["coef"] = estimator.coef_
    return kept


def scores_of(estimator, matrix):
    """Return one row of scores per machine, NaN where the fitted model gives none."""
    try:
        scores = estimator.decision_function(matrix)
    except ValueError:
        return np.full((len(np.atleast_1d(estimator.intercept_)), matrix.shape[0]), np.nan)
    return scores.reshape(len(scores), -1).T


def support_matches(estimator, matrix):
    """Return whether the support vectors are the rows of these numbers."""
    if estimator.kernel == "precomputed":
        return True
    found, rows = estimator.support_vectors_, matrix[estimator.support_]
    if sp.issparse(rows):
        found, rows = found.toarray(), rows.toarray()
    return bool(np.array_equal(found, rows))
