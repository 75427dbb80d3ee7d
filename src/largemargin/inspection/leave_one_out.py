"""The leave-one-out error: a bound from the dual solution, and the error itself."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import check_sample_weight
from largemargin.designs.base import Capability
from largemargin.estimators.fitting import last_solutions
from largemargin.estimators.nesting import machine_and_rows
from largemargin.estimators.recipe import Recipe, recipe_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.targets import winners_of
from largemargin.inspection.margin_moves import farthest_moves, metric_products
from largemargin.problem import NoMinimum, Problem, Targets
from largemargin.solvers import SOLVERS, Start

# A fit knows margins to some accuracy: a sign is sure if a margin has this much to spare.
SPARE = 0.05
# Dual variables this near to C, as a fraction of it, are at their bound.
AT_BOUND = 1e-6


def leave_one_out_bound(
    estimator,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    kind: str = "paper",
) -> float:
    """Bound the leave-one-out error of an estimator from its dual solution.

    ``kind="paper"`` is Theorem 3 of the paper: the error of m rows is at most
    ``(h * sum(beta_free) + n_bound) / m``, where ``beta_free`` are the dual variables
    between 0 and C, ``n_bound`` counts those at C, and ``h`` is the largest diagonal
    element of H, the kernel in the metric of the prices. The proof removes a row from the
    losses, but not from the mean and the variance of the margins. This is harmless if the
    prices are small compared with C, as in the paper. If they are large, the error may
    exceed this bound.

    ``kind="stable"`` removes a row from the mean and the variance as well, with the prices
    per unit of weight unchanged, and holds at all prices. It counts the rows whose margin
    is not larger than the farthest that it may fall without the row. At small prices it
    counts more rows than the other kind.

    With an intercept, both kinds need ``lambda_var > 0``, because nothing else limits how
    far the intercept may move.

    Parameters
    ----------
    estimator : LDMClassifier or LinearLDMClassifier
        Fitted; also at the end of a pipeline or a search.

    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The training rows.

    y : array-like of shape (n_samples,)
        Their labels.

    sample_weight : array-like of shape (n_samples,), default=None
        The weights used in training. The error is weighted by them, too.

    kind : {"paper", "stable"}, default="paper"
        Which bound to return.

    Returns
    -------
    bound : float
        Bound on the share of rows that are misclassified when left out; above 1 it says
        nothing. With more than two classes, the sum of the bounds of all classes.

    See Also
    --------
    leave_one_out_error : The error itself.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier, leave_one_out_bound, leave_one_out_error
    >>> X, y = make_moons(noise=0.1, random_state=0)
    >>> machine = LDMClassifier(lambda_var=0.1, lambda_mean=0.1).fit(X, y)
    >>> leave_one_out_error(machine, X, y) <= leave_one_out_bound(machine, X, y)
    True
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
    case = Case.of(estimator, X, y, sample_weight)
    bound = 0.0
    for problem, start, scores in zip(case.problems, case.starts, case.scores, strict=True):
        if problem.fit_intercept and problem.prices.lambda_var == 0:
            raise ValueError(
                "The bound does not hold for an estimator with an intercept and "
                "lambda_var=0. Use leave_one_out_error, or fit with fit_intercept=False "
                "or lambda_var > 0."
            )
        doubt = KINDS[kind](problem, start.beta, problem.sign * scores)
        bound += np.average(doubt, weights=case.sample_weight)
    return float(bound)


def doubt_by_the_paper(problem, beta, margins):
    """Return how much each row adds to the bound of Theorem 3."""
    at_bound = beta >= (1.0 - AT_BOUND) * problem.prices.C
    largest = metric_products(problem).own.max()
    return np.where(at_bound, 1.0, largest * problem.weight * beta)


def doubt_by_stability(problem, beta, margins):
    """Return for each row whether its margin may fall to zero without it."""
    return margins <= farthest_moves(problem, beta, margins)


KINDS = {"paper": doubt_by_the_paper, "stable": doubt_by_stability}


def leave_one_out_error(
    estimator, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return the leave-one-out error of an estimator, by one fit for each row left out.

    Each fit starts from the dual solution on all rows and shares its Gram matrix and, if
    the variance price is large, its metric. No fit is needed for rows that are no support
    vectors of an SVM, nor for rows whose margin is larger than the farthest that it may
    move, see ``leave_one_out_bound``. The width of the kernel is that of the estimator.

    Parameters
    ----------
    estimator : LDMClassifier or LinearLDMClassifier
        Fitted; also at the end of a pipeline or a search.

    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The training rows.

    y : array-like of shape (n_samples,)
        Their labels.

    sample_weight : array-like of shape (n_samples,), default=None
        The weights used in training. The error is weighted by them, too.

    Returns
    -------
    error : float
        The share of rows that are misclassified when left out.

    See Also
    --------
    leave_one_out_bound : A bound that needs no fit.
    """
    case = Case.of(estimator, X, y, sample_weight)
    wrong = [case.predict_without(i) != case.y[i] for i in range(len(case.y))]
    return float(np.average(wrong, weights=case.sample_weight))


@dataclass
class Case:
    """A fitted estimator and its training rows of positive weight."""

    machine: Any
    recipe: Recipe
    classes: np.ndarray
    y: np.ndarray
    sample_weight: np.ndarray
    problems: list[Problem]
    starts: list[Start]
    scores: list[np.ndarray]

    @classmethod
    def of(cls, estimator, X, y, sample_weight) -> "Case":
        """Return the case; raise for other estimators and for other rows."""
        check_is_fitted(estimator)
        fitted, X = machine_and_rows(estimator, X)
        recipe = recipe_of(fitted)
        has_prices = recipe and {"lambda_var", "lambda_mean"} <= set(fitted.get_params())
        if not has_prices or not hasattr(fitted, "dual_beta_"):
            raise TypeError(
                "The leave-one-out error needs a fitted LDMClassifier or "
                "LinearLDMClassifier with a dual solution, alone or at the end of a "
                f"pipeline or a search; got {type(fitted).__name__}."
            )
        machine = clone(fitted).set_params(**recipe.space.settled(fitted))
        recipe = recipe_of(machine)
        rows = validated_rows(machine, recipe.encoder, X, y, sample_weight)
        n_rows = np.atleast_2d(fitted.dual_beta_).shape[1]
        if n_rows != len(rows.y):
            raise ValueError(
                f"X must hold the {n_rows} rows that the estimator was fitted on; got "
                f"{len(rows.y)}."
            )
        classes, problems = recipe.posed(rows, type(machine).__name__)
        design = recipe.space.design(rows)
        design.require("The leave-one-out error", Capability.REMOVAL)
        problems = [problem.on(design) for problem in problems]
        weight = check_sample_weight(sample_weight, rows.X, dtype=np.float64)
        starts = last_solutions(fitted, recipe, problems[0], rows)
        # An estimator of low rank has expansions, which are no elements of this design.
        if not starts or len(starts[0].w) != len(design.zeros()):
            raise ValueError(
                "The leave-one-out error needs explicit features, or a Gram matrix that "
                f"fits in memory; that of {design.n_rows} rows does not. Use fewer rows."
            )
        scores = [design.scores(start.w) + start.offset for start in starts]
        weight = weight[rows.counted]
        return cls(machine, recipe, classes, rows.labels, weight, problems, starts, scores)

    def predict_without(self, i):
        """Return the class of a row, predicted by fits on all other rows."""
        scores = [self._score_without(i, k) for k in range(len(self.problems))]
        return self.classes[winners_of(np.array([scores]))[0]]

    def _score_without(self, i, k):
        if self._needs_no_fit[k][i]:
            return self.scores[k][i]
        problem, start, solver = self.problems[k], self.starts[k], self.recipe.solver
        kept = np.arange(problem.design.n_rows) != i
        rest = self._problem_without(i, problem, kept)
        if (rest.sign == rest.sign[0]).all():  # row i was the last of its class
            return rest.sign[0] * np.inf
        try:
            solution = self.recipe.solve(
                rest,
                "auto" if SOLVERS[solver].without_goal else solver,
                tol=self.machine.tol,
                max_iter=self.machine.max_iter,
                start=Start(start.beta[kept], None, start.offset),
                rng=np.random.default_rng(0),
            )
        except NoMinimum:  # the larger class draws the intercept to itself
            return np.copysign(np.inf, rest.sign @ rest.weight)
        return problem.design.score_of(i, solution.w, kept) + solution.offset

    def _problem_without(self, i, problem, kept):
        encoder = self.recipe.encoder
        weight = encoder.weighted(self.y[kept], self.sample_weight[kept])
        targets = Targets(*(values[kept] for values in problem.targets))
        shared = None if encoder.weights_depend_on_others else problem.weight
        return self.recipe.pose(targets, weight).on(problem.design.without(i, shared))

    @cached_property
    def _needs_no_fit(self):
        """For each problem, the rows whose score, or its sign, stays without them."""
        return [self._stays(k) for k in range(len(self.problems))]

    def _stays(self, k):
        problem, beta = self.problems[k], self.starts[k].beta
        if self.recipe.encoder.weights_depend_on_others:
            return np.zeros(len(beta), dtype=bool)
        prices = problem.prices
        is_svm = prices.lambda_var == prices.lambda_mean == 0
        unmoved = (beta == 0) & is_svm
        given = self.machine.lambda_var, self.machine.lambda_mean
        per_row = all(price == 0 or isinstance(price, str) for price in given)
        held = prices.lambda_var > 0 or not problem.fit_intercept
        if len(self.problems) > 1 or not (per_row and held):
            return unmoved
        margins = problem.sign * self.scores[k]
        return unmoved | (np.abs(margins) > farthest_moves(problem, beta, margins) + SPARE)
