"""The machines under test, and what is kept of each fit for the judge."""

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

import largemargin

LINEAR_SOLVERS = "auto", "newton", "dual_cd", "asgd"
KERNEL_SOLVERS = "auto", "kernel_dual", "dual_cd"
FUZZED_KERNELS = "linear", "rbf", "poly", "laplacian", "cosine", "precomputed", "sigmoid"
# Kernels whose matrix is computed here and given to the machines.
GIVEN = "precomputed", "precomputed32"
# Constants of the library that send few rows on the ways of many rows, or the other way
# round.
KERNEL_DUAL = "largemargin.solvers.kernel_dual"
INVERTED = "FEW_ROWS", "FEW_ROWS_WITH_KINKS", "NARROW_ROWS", "NARROW_ROWS_WITH_KINKS"
UNFACTORED = "SMALL", *INVERTED
UNSWEPT = {"largemargin.solvers.gram_sweeps.MAX_ROWS": 0}
ROUTES = {
    "active": UNSWEPT | {f"{KERNEL_DUAL}.{name}": 0 for name in UNFACTORED},
    "lone": UNSWEPT
    | {f"{KERNEL_DUAL}.{name}": 0 for name in (*UNFACTORED, "MAX_FACTOR_ROWS")},
    "swept": {"largemargin.solvers.gram_sweeps.LEAST_ROWS": 2},
    "small": {"largemargin.solvers.small_linear.FEWEST_ROWS": 1},
    "tiled": {"largemargin.estimators.kernel_space.MAX_GRAM_BYTES": 0},
    "narrow": {"largemargin.kernels.gram.MAX_WIDE_ROWS_OF_FEW_DIGITS": 1},
    "inverted": UNSWEPT | {f"{KERNEL_DUAL}.SMALL": 0},
    "block": {
        "largemargin.solvers.small_kernel.SMALL": 1,
        "largemargin.solvers.gram_sweeps.LEAST_ROWS": 2,
    },
}
LOSSES = "hinge", "squared_hinge"
# What regressors and one class have in place of these.
TUBE, QUANTILE, ONE_CLASS = "tube", "quantile", "one class"
SUFFIX = {"hinge": "", "squared_hinge": " squared"}
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
    ``route`` names constants of the library that are changed during the fit.
    """

    name: str
    kernel: str
    loss: str
    make: Callable
    route: str | None = None

    @property
    def group(self):
        """What all machines have in common that solve the same problem."""
        return self.kernel, self.loss

    def can_pose(self, drawn):
        """Return whether the machine can solve such a problem."""
        if self.loss == QUANTILE:
            return drawn.regression["C"] != np.inf
        return self.loss != "band" or 0 < drawn.prices["C"] < np.inf

    def labels(self, drawn):
        """Return what ``fit`` is given beside rows and weights."""
        if self.loss == ONE_CLASS:
            return None
        return drawn.values if self.loss in (TUBE, QUANTILE) else drawn.y

    def matrix(self, drawn):
        """Return what ``fit`` is given: rows, or their Gram matrix."""
        if self.kernel not in GIVEN:
            return drawn.X
        options = {"gamma": 1.0 / drawn.X.shape[1]}
        options = options if drawn.kernel["precomputed"] == "rbf" else {}
        with np.errstate(over="ignore", invalid="ignore"):
            gram = pairwise_kernels(
                drawn.rows, metric=drawn.kernel["precomputed"], **options
            )
        gram = 0.5 * (gram + gram.T)
        if self.kernel == "precomputed":
            return gram
        # What rounding to float32 may take from the eigenvalues is added before.
        size = np.abs(gram).max()
        if not size < np.finfo(np.float32).max / 2:
            return gram
        return (gram + len(gram) * 2.0**-22 * size * np.eye(len(gram))).astype(np.float32)


def kernel_options(kernel, drawn):
    """Return the parameters of a kernel."""
    names = WITH_PARAMETERS.get(kernel, ())
    name = "precomputed" if kernel in GIVEN else kernel
    return {"kernel": name, **{name: drawn.kernel[name] for name in names}}


def linear_ldm(solver, loss="hinge", route=None):
    """Return how to make a machine on explicit features."""

    def make(drawn):
        return largemargin.LinearLDMClassifier(
            **drawn.prices, **drawn.common, solver=solver, loss=loss
        )

    name = f"LinearLDM {route or solver}{SUFFIX[loss]}"
    return Machine(name, "linear", loss, make, route)


def kernel_ldm(kernel, solver, loss="hinge", route=None):
    """Return how to make a machine with a kernel."""
    name = f"LDM {kernel} {route or solver}{SUFFIX[loss]}"

    def make(drawn):
        options = kernel_options(kernel, drawn)
        return largemargin.LDMClassifier(
            **drawn.prices, **drawn.common, **options, solver=solver, loss=loss
        )

    return Machine(name, kernel, loss, make, route)


def odm(kernel, route=None):
    """Return how to make an optimal margin distribution machine."""

    def make(drawn):
        options = {**drawn.band, **without_seed(drawn.common)}
        for name in "C", "fit_intercept", "class_weight", "multi_class":
            options[name] = drawn.prices[name]
        return largemargin.ODMClassifier(**options, **kernel_options(kernel, drawn))

    name = f"ODM {kernel}" if route is None else f"ODM {kernel} {route}"
    return Machine(name, kernel, "band", make, route)


def komd(kernel):
    """Return how to make a KOMD machine."""

    def make(drawn):
        options = {**drawn.komd, **without_seed(drawn.common)}
        return largemargin.KOMDClassifier(**options, **kernel_options(kernel, drawn))

    return Machine(f"KOMD {kernel}", kernel, "komd", make)


def regressor(kernel, loss=TUBE, solver="auto", route=None):
    """Return how to make a regressor; ``kernel=None`` is one on explicit features."""

    def make(drawn):
        options = {**drawn.regression, **without_seed(drawn.common), "solver": solver}
        if loss == TUBE:
            del options["quantile"]
        else:
            del options["epsilon"], options["lambda_square"]
            options["loss"] = "quantile"
        if kernel is None:
            return largemargin.LinearLDMRegressor(**options)
        return largemargin.LDMRegressor(**options, **kernel_options(kernel, drawn))

    name = "LinearLDMRegressor" if kernel is None else f"LDMRegressor {kernel}"
    return Machine(
        f"{name} {route or solver} {loss}", kernel or "linear", loss, make, route
    )


def one_class(kernel, route=None):
    """Return how to make a machine of one class."""

    def make(drawn):
        options = {**drawn.one_class, **without_seed(drawn.common)}
        return largemargin.OneClassLDM(**options, **kernel_options(kernel, drawn))

    name = f"OneClassLDM {kernel}"
    return Machine(
        name if route is None else f"{name} {route}", kernel, ONE_CLASS, make, route
    )


def without_seed(common):
    """Return the options of machines without random numbers."""
    return {name: value for name, value in common.items() if name != "random_state"}


MACHINES = (
    *(linear_ldm(solver, loss) for loss in LOSSES for solver in LINEAR_SOLVERS),
    *(linear_ldm("auto", loss, "small") for loss in LOSSES),
    *(
        kernel_ldm(kernel, solver, loss)
        for loss in LOSSES
        for kernel in FUZZED_KERNELS[:-1]
        for solver in KERNEL_SOLVERS
    ),
    *(kernel_ldm("sigmoid", "auto", loss) for loss in LOSSES),
    *(
        kernel_ldm(kernel, "auto", loss, route)
        for loss in LOSSES
        for kernel, route in (
            ("rbf", "active"),
            ("rbf", "lone"),
            ("rbf", "swept"),
            ("rbf", "tiled"),
            ("rbf", "narrow"),
            ("rbf", "inverted"),
            ("rbf", "block"),
            ("poly", "lone"),
            ("poly", "swept"),
            ("poly", "tiled"),
            ("poly", "narrow"),
            ("poly", "inverted"),
            ("laplacian", "narrow"),
            ("laplacian", "block"),
            ("cosine", "active"),
            ("precomputed", "lone"),
            ("precomputed", "inverted"),
            ("precomputed32", "active"),
            ("precomputed32", "swept"),
            ("precomputed32", "lone"),
        )
    ),
    *(odm(kernel) for kernel in ("linear", "rbf")),
    odm("rbf", "lone"),
    odm("rbf", "tiled"),
    *(komd(kernel) for kernel in ("linear", "rbf")),
    *(regressor(None, TUBE, solver) for solver in ("auto", "newton")),
    *(regressor(kernel) for kernel in FUZZED_KERNELS),
    *(
        regressor(kernel, TUBE, route=route)
        for kernel, route in (
            ("rbf", "active"),
            ("rbf", "lone"),
            ("rbf", "tiled"),
            ("rbf", "narrow"),
            ("rbf", "inverted"),
            ("poly", "lone"),
            ("poly", "narrow"),
            ("cosine", "active"),
            ("precomputed", "inverted"),
            ("precomputed32", "active"),
        )
    ),
    regressor(None, QUANTILE),
    *(regressor(kernel, QUANTILE) for kernel in ("linear", "rbf", "precomputed")),
    *(regressor("rbf", QUANTILE, route=name) for name in ("lone", "tiled", "inverted")),
    *(one_class(kernel) for kernel in FUZZED_KERNELS),
    *(one_class("rbf", route) for route in ("active", "lone", "tiled", "inverted")),
    *(one_class("poly", route) for route in ("lone", "narrow")),
    one_class("precomputed32", "active"),
)


@dataclass
class Outcome:
    """How a fit ended: ``fitted``, ``refused``, ``error``, ``endless`` or ``crash``."""

    machine: str
    status: str
    message: str = ""
    kept: dict | None = None
    seconds: float = 0.0
    warning: str = ""


def fit(machine, drawn):
    """Return how the fit of a machine ended, and the first warning of NumPy."""
    with warnings.catch_warnings(record=True) as caught, ExitStack() as changed:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", RuntimeWarning)
        for name, value in ROUTES.get(machine.route, {}).items():
            changed.enter_context(patch(name, value))
        outcome = _fit(machine, drawn)
    if caught:
        first = caught[0]
        outcome.warning = f"{first.message} ({Path(first.filename).name}:{first.lineno})"
    return outcome


def _fit(machine, drawn):
    try:
        matrix = machine.matrix(drawn)
        estimator = machine.make(drawn)
        weight = drawn.sample_weight
        weights = {} if weight is None else {"sample_weight": weight}
        estimator.fit(matrix, machine.labels(drawn), **weights)
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
        "intercept": np.atleast_1d(estimator.intercept_),
        "gap": np.atleast_1d(estimator.duality_gap_),
        "objective": np.atleast_1d(estimator.objective_),
        **margin_statistics(estimator),
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


def margin_statistics(estimator):
    """Return the mean and variance of margins, which are negative residuals of values."""
    if hasattr(estimator, "residual_mean_"):
        mean, variance = -estimator.residual_mean_, estimator.residual_variance_
    else:
        mean, variance = estimator.margin_mean_, estimator.margin_variance_
    return {
        "margin_mean": np.atleast_1d(mean),
        "margin_variance": np.atleast_1d(variance),
    }


def scores_of(estimator, matrix):
    """Return one row of scores per machine, NaN where the fitted model gives none."""
    try:
        if not hasattr(estimator, "decision_function"):
            return estimator.predict(matrix)[None]
        if getattr(estimator, "_one_vs_one", False):
            return np.concatenate(list(estimator._pair_scores(matrix))).T
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
