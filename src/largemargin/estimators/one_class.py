"""The large margin distribution machine of one class, which finds outliers."""

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import Interval, fit_context
from largemargin.estimators.base import (
    CONSTRAINTS,
    KernelChoice,
    MarginClassifier,
    MarginMachine,
)
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import fit_machine
from largemargin.estimators.kernel_expansion import KernelExpansion
from largemargin.estimators.kernel_space import ExplicitSpace, KernelSpace
from largemargin.estimators.keywords import INSTEAD_FOR_OUTLIERS
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.values import OneClass
from largemargin.kernels.widths import multiple_of_scale
from largemargin.problem import Prices, Problem
from largemargin.problem.value_losses import Shortfall

# lambda_mean="scale" and, divided by the mean squared length of the rows, lambda_var.
SCALE = 0.01
# At nu = 1 all dual variables are at their bound, and must add up to one all the same.
ROUNDING = 1e-12


@described_like(LDMClassifier)
class OneClassLDM(KernelExpansion, OutlierMixin, MarginMachine):
    r"""Large margin distribution machine of one class, with a kernel or without.

    Minimises over ``w`` in the feature space ``phi`` of the kernel and over the threshold
    ``rho``, with the scores ``f_i = w . phi(x_i)``,

    ``|w|^2 / 2 - rho + sum(s * max(0, rho - f)) / (nu * sum(s))
    + lambda_var * 2 var(f) - lambda_mean * mean(f)``

    where ``s`` are the sample weights, which also weight the mean and the variance. Zero
    lambdas give the one-class support vector machine, with ``w`` and ``rho`` divided by
    ``nu * sum(s)`` compared with ``OneClassSVM``.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound of the share of rows that are outliers, and a lower bound of the
        share of support vectors, in (0, 1].
    lambda_var : float or "scale", default="scale"
        Price of the variance of the scores. A larger value draws the scores together.
        ``"scale"`` is 0.01 divided by the mean of ``k(x, x)``, so that outliers do not
        depend on the scale of the kernel. Multiples such as ``"10*scale"`` are accepted.
    lambda_mean : float or "scale", default="scale"
        Reward of the mean score. A larger value gives every row more influence on ``w``.
        ``"scale"`` is 0.01.
    kernel
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. A larger
        value narrows the kernel. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted by ``s``; ``"auto"`` is ``1 / n_features``.
    degree, coef0
    tol
    max_iter : int, default=None
        Maximum number of iterations: Newton steps, or products with the Gram matrix. None
        allows 500.
    time_limit, verbose
    warm_start : bool, default=False
        Whether to start from the solution of the last fit, if that was on the same number
        of rows.

    Attributes
    ----------
    offset_ : float
        The threshold ``rho``.
    gamma_
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors among the training rows. A positive ``lambda_var``
        or ``lambda_mean`` gives every row a coefficient.
    support_vectors_
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of the support vectors in the expansion of ``w``.
    low_rank_residual_
    coef_ : ndarray of shape (1, n_features)
        The vector ``w``. With a kernel other than ``"linear"`` it does not exist.
    intercept_ : ndarray of shape (1,)
        ``-offset_``.
    duality_gap_ : float
        Certified distance of the objective from its optimum, relative to its size. It
        holds for the fitted model as it is stored, rounding included.
    objective_ : float
        The minimised objective.
    margin_mean_, margin_variance_ : float
        Weighted mean and variance of the training scores above the threshold.
    dual_beta_ : ndarray of shape (n_samples,)
        Dual variables, between 0 and ``s_i / (nu * sum(s))``.
    n_iter_, history_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from largemargin import OneClassLDM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassLDM(nu=0.1).fit(X)
    >>> model.predict([[0, 0], [9, 9]])
    array([ 1, -1])
    >>> bool((model.predict(X) == -1).mean() <= 0.1)
    True
    """

    _instead = INSTEAD_FOR_OUTLIERS
    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "nu": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        nu: float = 0.5,
        *,
        lambda_var: float | str = "scale",
        lambda_mean: float | str = "scale",
        kernel: KernelChoice = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.nu, self.lambda_var, self.lambda_mean = nu, lambda_var, lambda_mean
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.tol, self.max_iter, self.time_limit = tol, max_iter, time_limit
        self.verbose, self.warm_start = verbose, warm_start

    @fit_context(prefer_skip_nested_validation=True)
    @described_like(MarginClassifier.fit)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X
        y : object, default=None
            Not used.
        sample_weight

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return fit_machine(self, X, y, sample_weight)

    @property
    def offset_(self) -> float:
        """The threshold ``rho`` of the scores."""
        return -float(self.intercept_[0])

    def decision_function(self, X: Any) -> np.ndarray:
        """Return by how much the score of each row is above the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Negative for outliers.
        """
        check_is_fitted(self)
        return self._finite_scores(self._validated(X))[:, 0]

    def score_samples(self, X: Any) -> np.ndarray:
        """Return the score of each row, without the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The smaller, the more of an outlier.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Predict whether each row belongs to the class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for rows of the class, -1 for outliers.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def __largemargin_recipe__(self):
        return one_class_recipe(self, 1.0)


def one_class_recipe(machine, mean_square):
    """Return the recipe of a machine, given the mean of ``k(x, x)``."""
    # Columns are not centred: the price of the intercept would change with them.
    space = ExplicitSpace(False) if machine.kernel == "linear" else KernelSpace(machine)

    def pose(targets, weight, _number):
        lambda_var = price_of(machine, "lambda_var", SCALE / mean_square)
        lambda_mean = price_of(machine, "lambda_mean", SCALE)
        # The reward is that of scores, not of margins, in which the intercept has a part.
        prices = Prices(
            (1.0 + ROUNDING * (1.0 + lambda_mean)) / (machine.nu * float(weight.sum())),
            lambda_var,
            lambda_mean,
            intercept=1.0 + lambda_mean,
        )
        return Problem(None, targets, weight, prices, True, Shortfall())

    def settle(rows):
        return one_class_recipe(machine, mean_square_of(space, rows))

    return Recipe(OneClass(), space, pose, settle=settle)


def price_of(machine, name, unit):
    """Return a price as a number, given what "scale" stands for."""
    value = getattr(machine, name)
    factor = multiple_of_scale(value, name)
    return float(value) if factor is None else factor * unit


@np.errstate(over="ignore", invalid="ignore")  # the design refuses such rows
def mean_square_of(space, rows):
    """Return the weighted mean of ``k(x, x)``; 1 if that is not positive and finite."""
    used = space.settle(rows)
    if space.kernel.name == "precomputed":
        squares = np.diagonal(used)
    else:
        squares = space.kernel.diagonal(used)
    mean = float(rows.weight @ squares / rows.weight.sum())
    return mean if 0 < mean < np.inf else 1.0
