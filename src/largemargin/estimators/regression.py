"""The base class of all regressors, and the prices of their problems in the units of y."""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import fit_context
from largemargin.estimators.base import MarginClassifier, MarginMachine
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import fit_machine, per_machine
from largemargin.estimators.keywords import INSTEAD_FOR_VALUES
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.value_tuning import epsilon_given, tuned_values
from largemargin.estimators.values import Values
from largemargin.kernels.widths import multiple_of_scale
from largemargin.numerics.quantiles import robust_scale
from largemargin.problem import Prices, Problem
from largemargin.problem.value_losses import HardTube, Pinball, Tube
from largemargin.solvers import solve
from largemargin.solvers.hard_tube import solve_hard_tube

# A lambda of "scale" is this constant times C times the sum of the weights, divided by the
# scale of the values.
LAMBDA_SCALE = 0.01


class MarginRegressor(RegressorMixin, MarginMachine):
    """A regressor with one score per column of ``y``, or per quantile."""

    _instead = INSTEAD_FOR_VALUES

    @fit_context(prefer_skip_nested_validation=True)
    @described_like(MarginClassifier.fit)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Values to predict. Each column has a model of its own.
        sample_weight

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return fit_machine(self, X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the value of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        values : ndarray of shape (n_samples,), (n_samples, n_outputs) or \
                (n_samples, n_quantiles)
            The values; of several quantiles, one column each, which do not cross: the
            numbers of each row are sorted.
        """
        check_is_fitted(self)
        return self._predicted(self._finite_scores(self._validated(X)))

    def _predicted(self, scores):
        """Return the predictions that belong to the scores of rows."""
        if has_quantiles(self):
            scores = np.sort(scores, axis=1)[:, ranks_of_quantiles(self)]
        return scores if self._has_columns else scores[:, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not has_quantiles(self)
        return tags


def has_quantiles(machine):
    """Return whether a regressor predicts several quantiles."""
    return machine.loss == "quantile" and np.ndim(machine.quantile) > 0


def ranks_of_quantiles(machine):
    """Return the place of each quantile of a regressor among them all, the smallest 0."""
    return np.argsort(np.argsort(machine.quantile, kind="stable"), kind="stable")


class Units(NamedTuple):
    """Prices of a regression, in the units of its values."""

    C: float
    epsilon: float
    lambda_var: float
    lambda_square: float


def regression_recipe(machine, space):
    """Return the recipe of a large margin distribution regressor in a space."""
    quantiles, several = quantiles_of(machine), has_quantiles(machine)
    refuse_prices_of_quantiles(machine)

    def pose(targets, weight, number):
        C, epsilon, *lambdas = units_of(machine, targets.origin, weight)
        loss = loss_of(machine, C, epsilon, quantiles[number if several else 0])
        prices = Prices(C, lambda_var=lambdas[0], lambda_square=lambdas[1])
        return Problem(None, targets, weight, prices, machine.fit_intercept, loss)

    if several:
        encoder = Values(n_quantiles=len(quantiles))
    else:
        is_quantile = machine.loss == "quantile"
        encoder = Values(quantile=float(quantiles[0]) if is_quantile else None)
    is_hard = not isinstance(machine.C, str) and np.isinf(machine.C)
    solver = solve_hard_tube if is_hard else solve
    return Recipe(
        encoder,
        space,
        pose,
        machine.solver,
        solver,
        curvature=curvature_of_squares(machine),
        tune=tuned_values,
        keep=keep_units,
    )


def curvature_of_squares(machine):
    """Return the curvature of the squares for C = 1, in units of the values.

    A lambda that is a number counts for nothing.
    """
    curvature = 0.0
    for name, factor in ("lambda_square", 2.0), ("lambda_var", 4.0):
        multiple = multiple_of_scale(getattr(machine, name), name) or 0.0
        curvature += factor * LAMBDA_SCALE * multiple
    return curvature


def quantiles_of(machine):
    """Return the quantiles that are asked for as an array, or raise if they cannot be."""
    if machine.loss != "quantile":
        return np.array([0.5])
    given = np.atleast_1d(np.asarray(machine.quantile))
    is_numeric = given.dtype.kind in "fiu"
    if given.ndim != 1 or not given.size or not is_numeric:
        raise ValueError(
            "quantile must be a number between 0 and 1, or a one-dimensional list of at "
            f"least one such number; got {machine.quantile!r}."
        )
    if not ((given > 0) & (given < 1)).all():
        raise ValueError(f"quantile must be between 0 and 1; got {machine.quantile!r}.")
    return given.astype(np.float64)


def loss_of(machine, C, epsilon, quantile):
    """Return the loss of residuals, or raise if it cannot be that of an infinite C."""
    is_quantile = machine.loss == "quantile"
    if np.isfinite(C):
        return Pinball(float(quantile)) if is_quantile else Tube(epsilon)
    if is_quantile or epsilon == 0:
        raise ValueError(
            "C=inf keeps every row inside a tube, which needs loss='epsilon_insensitive' "
            f"and a positive epsilon; got loss={machine.loss!r}, epsilon={epsilon:g}. Use "
            "a finite C."
        )
    return HardTube(epsilon)


def keep_units(machine, problems):
    """Store C and epsilon as they are in the problems."""
    machine.C_ = per_machine([problem.prices.C for problem in problems])
    vars(machine).pop("epsilon_", None)
    if machine.loss != "quantile":
        machine.epsilon_ = per_machine([problem.loss.epsilon for problem in problems])


def units_of(machine, values, weight) -> Units:
    """Return the prices as numbers, given the values that ``"scale"`` refers to."""
    scale = robust_scale(values, weight)
    factor = multiple_of_scale(machine.C, "C")
    C = float(machine.C) if factor is None else factor * scale
    epsilon = epsilon_given(machine)
    factor = multiple_of_scale(epsilon, "epsilon")
    epsilon = float(epsilon) if factor is None else factor * scale
    # "scale" cannot refer to a C that is zero or infinite: the scale takes its place.
    unit = (C if 0 < C < np.inf else scale) * float(weight.sum()) / scale
    lambdas = []
    for name in "lambda_var", "lambda_square":
        value = getattr(machine, name)
        factor = multiple_of_scale(value, name)
        lambdas.append(float(value) if factor is None else factor * LAMBDA_SCALE * unit)
    return Units(C, epsilon, *lambdas)


def refuse_prices_of_quantiles(machine):
    """Raise for a price that moves the share of rows below a quantile."""
    if machine.loss != "quantile":
        return
    square = machine.lambda_square
    if multiple_of_scale(square, "lambda_square") if isinstance(square, str) else square:
        raise ValueError(
            "loss='quantile' needs lambda_square=0, because a price of squared residuals "
            f"moves the share of rows below the quantile; got {square!r}. Use lambda_var, "
            "which does not."
        )
