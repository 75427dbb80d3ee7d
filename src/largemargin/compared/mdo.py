"""Margin distribution optimisation (MDO): a linear rule by a bounded loss."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from largemargin._compat import StrOptions
from largemargin.estimators.base import (
    AT_LEAST_ONE,
    CONSTRAINTS,
    NOT_NEGATIVE,
    POSITIVE,
    MarginClassifier,
    Seed,
)
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import per_machine
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.linear_space import check_lengths, design_of
from largemargin.estimators.targets import Classes
from largemargin.numerics.memory import check_width
from largemargin.numerics.threads import one_blas_thread
from largemargin.problem import Prices, Problem
from largemargin.solvers import solve

# The support vector machine of the first start.
START_PRICES = Prices(C=1.0)
START_TOL = 1e-6
# The status of scipy's minimiser if it reached the maximum number of steps.
OUT_OF_STEPS = 1
# The median margin counts as at least this large, so that alpha does not overflow.
TINY = 1e-6
# The minimiser stores this many vectors for each start.
VECTORS_OF_START = 30


class Descents(NamedTuple):
    """The result of the descent from each start, and the cost that was minimised."""

    alpha: float
    beta: float
    ends: list
    total: float

    @property
    def best(self):
        """The result with the smallest cost."""
        return min(self.ends, key=lambda end: end.fun)


@described_like(LDMClassifier)
class MDOClassifier(MarginClassifier):
    r"""Margin distribution optimisation: linear, bounded loss, several starts.

    A constant feature is appended for the intercept, and rows are scaled to length one.
    Over directions ``|h| = 1``, with the margins ``g_i = y_i h . x_i``, the method
    minimises [1]_

    ``sum_i s_i c(g_i)``,  ``c(g) = exp(-alpha (g + beta)^2)`` and 1 below ``-beta``.

    The cost is bounded, so outliers far on the wrong side have little influence. The
    problem is not convex: the best result of several starts is kept, which need not be the
    global minimum. The paper leaves the constants open; the form of ``c`` below ``-beta``,
    the defaults of ``alpha`` and ``beta`` and the starts are choices of this library.

    Parameters
    ----------
    alpha : "median" or float, default="median"
        How fast the cost falls with the margin. A larger value concentrates on small
        margins. ``"median"`` is one over the median of the squared margins of the first
        start.
    beta : "median" or float, default="median"
        The cost is constant for margins below ``-beta``. A larger value gives more
        influence to rows on the wrong side. ``"median"`` is the median absolute margin of
        the first start. With 0, descents gave up whole parts of a class on many of the
        paper's data sets.
    n_starts : int, default=5
        Number of starts: a support vector machine, the difference of the class means, then
        random directions.
    fit_intercept : bool, default=True
        Whether to append the constant feature.
    tol : float, default=1e-8
        Slope of the mean cost at which a descent stops.
    max_iter : int, default=500
        Maximum number of steps of a descent.
    random_state : int, RandomState instance or None, default=None
        Random seed for the random directions.

    Attributes
    ----------
    classes_
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The direction ``h`` without the intercept.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The last component of ``h``.
    objective_
    objectives_ : ndarray of shape (n_starts,) or (n_classes, n_starts)
        The objective that each start reached; large differences mean that the result
        depends on the starts.
    alpha_, beta_ : float or ndarray of shape (n_classes,)
        The values of ``alpha`` and ``beta`` that were used.
    n_iter_ : int
        Number of steps of the longest descent.
    n_features_in_, feature_names_in_

    References
    ----------
    .. [1] A. Garg, D. Roth. Margin distribution and learning algorithms. ICML 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from largemargin import MDOClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MDOClassifier(random_state=0).fit(minmax_scale(X), y)
    >>> print(f"{model.score(minmax_scale(X), y):.2f}")
    0.97
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "alpha": [POSITIVE, StrOptions({"median"})],
        "beta": [NOT_NEGATIVE, StrOptions({"median"})],
        "n_starts": [AT_LEAST_ONE],
        "max_iter": [AT_LEAST_ONE],
    }

    def __init__(
        self,
        *,
        alpha: float | str = "median",
        beta: float | str = "median",
        n_starts: int = 5,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 500,
        random_state: Seed = None,
    ) -> None:
        self.alpha, self.beta, self.n_starts = alpha, beta, n_starts
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state = random_state

    def _learn(self, rows):
        n_features = rows.X.shape[1]
        check_width(n_features, n_vectors=self.n_starts * VECTORS_OF_START)
        self.classes_, (part,) = Classes().encode(rows.labels, type(self).__name__)
        units = unit_rows(rows.used, constant=self.fit_intercept)
        rng = check_random_state(self.random_state)
        with one_blas_thread():
            machines = [self._descend(units, one, rows.weight, rng) for one in part.targets]
        self._keep(machines, n_features)
        if all(machine.best.status != OUT_OF_STEPS for machine in machines):
            return None
        return (
            f"{type(self).__name__} stopped at max_iter={self.max_iter} before the slope "
            f"of the mean cost fell below tol={self.tol:.1e}. Raise max_iter or accept a "
            "steeper slope by raising tol."
        )

    def _descend(self, rows, targets, weight, rng):
        """Return the result of the descent from each start."""
        starts = self._starts(rows, targets, weight, rng)
        sizes = np.abs(safe_sparse_dot(rows, starts[0]))
        typical = max(weighted_median(sizes, weight), TINY)
        alpha = 1.0 / typical**2 if self.alpha == "median" else self.alpha
        beta = typical if self.beta == "median" else self.beta
        arguments = rows, targets.sign, weight / weight.sum(), alpha, beta
        options = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": 0.0, "maxls": 50}
        options["maxfun"] = 10 * self.max_iter
        ends = [
            minimize(mean_cost, start, arguments, "L-BFGS-B", jac=True, options=options)
            for start in starts
        ]
        return Descents(alpha, beta, ends, weight.sum())

    def _starts(self, rows, targets, weight, rng):
        svm = Problem(design_of(rows), targets, weight, START_PRICES, fit_intercept=False)
        sign = targets.sign
        starts = [solve(svm, "auto", tol=START_TOL).w]
        share = sign * weight
        for label in -1, 1:
            share[sign == label] /= weight[sign == label].sum()
        starts.append(np.asarray(share @ rows, dtype=np.float64))
        # A start at zero is replaced by a random one.
        starts = [start for start in starts[: self.n_starts] if start.any()]
        n_random = self.n_starts - len(starts)
        starts += [rng.standard_normal(rows.shape[1]) for _ in range(n_random)]
        return [start / np.linalg.norm(start) for start in starts]

    def _keep(self, machines, n_features):
        ends = [machine.best.x for machine in machines]
        directions = np.array([end / np.linalg.norm(end) for end in ends])
        self.coef_, self.intercept_ = directions[:, :n_features], np.zeros(len(machines))
        if self.fit_intercept:
            self.intercept_ = directions[:, n_features]
        objectives = np.array(
            [[one.total * end.fun for end in one.ends] for one in machines]
        )
        self.objectives_ = objectives if len(machines) > 1 else objectives[0]
        self.objective_ = per_machine(objectives.min(axis=1))
        self.alpha_ = per_machine([machine.alpha for machine in machines])
        self.beta_ = per_machine([machine.beta for machine in machines])
        self.n_iter_ = max(1, *(end.nit for machine in machines for end in machine.ends))

    def _scores(self, X):
        return safe_sparse_dot(X, self.coef_.T, dense_output=True)


def unit_rows(X, *, constant):
    """Return the rows scaled to length one, and a constant feature if ``constant``."""
    if constant:
        ones = np.ones((X.shape[0], 1), dtype=X.dtype)
        X = sp.hstack([X, ones], format="csr") if sp.issparse(X) else np.hstack([X, ones])
    with np.errstate(over="ignore"):
        lengths = np.asarray(row_norms(X), dtype=np.float64)
    check_lengths(lengths)
    lengths[lengths == 0] = 1.0
    if not sp.issparse(X):
        return X / lengths[:, None]
    X = X.astype(np.float64)
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    return X


def weighted_median(values, weight):
    """Return the smallest value at or below which half of the weight is."""
    return np.quantile(values, 0.5, weights=weight, method="inverted_cdf")


def mean_cost(h, rows, sign, share, alpha, beta):
    """Return the mean cost of the direction of ``h``, and its gradient."""
    length = np.linalg.norm(h)
    direction = h / length
    shifted = np.maximum(sign * safe_sparse_dot(rows, direction) + beta, 0.0)
    costs = share * np.exp(-alpha * shifted**2)
    slope = np.asarray((-2.0 * alpha * shifted * costs * sign) @ rows, dtype=np.float64)
    slope -= (slope @ direction) * direction
    return costs.sum(), slope / length
