"""The leave-one-out error: a bound from the dual solution, and the error itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import check_sample_weight
from largemargin.designs.base import Capability
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import last_solutions
from largemargin.estimators.nesting import machine_and_rows
from largemargin.estimators.recipe import Recipe, recipe_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.targets import winners_of
from largemargin.inspection.margin_moves import farthest_moves, metric_products
from largemargin.problem import NoMinimum, Problem, Targets
from largemargin.solvers import SOLVERS, Start

# Margins are as accurate as the fit, so a sign is certain only with this much to spare.
SPARE = 0.05
# Dual variables this near to C, as a fraction of it, are at their bound.
AT_BOUND = 1e-6
KINDS = "paper", "stable"


def leave_one_out_bound(
    estimator, X, y, sample_weight=None, *, kind: str = "paper"
) -> float:
    """Bound the leave-one-out error of an estimator from its dual solution.

    ``kind="paper"`` is Theorem 3 of the paper: the error of m rows is at most
    ``(h * sum(beta_free) + n_bound) / m``, where ``beta_free`` are the dual variables
    between 0 and C, ``n_bound`` counts those at C, and ``h`` is the largest diagonal
    element of H, the matrix of the dual problem. The proof removes a row from the losses,
    but not from the mean and the variance of the margins. This is harmless if the prices
    are small compared with C, as in the paper. If they are large, the error may exceed
    this bound.

    ``kind="stable"`` removes a row from the mean and the variance as well, with the prices
    per unit of weight unchanged, and holds at all prices. It counts the rows whose margin
    may fall to zero when they are left out. At small prices it is the larger bound.

    With an intercept, both kinds need ``lambda_var > 0``, because nothing else limits how
    far the intercept may move.

    Parameters
    ----------
    estimator : LDMClassifier or LinearLDMClassifier
        Fitted; also at the end of a pipeline or a search.
    X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
        The training rows and their labels; ``X`` may be a sparse matrix.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights used in training, which weight the error, too. A row is left out with
        all its weight.
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
        beta, margins = start.beta, problem.sign * scores
        if kind == "stable":
            doubt = margins <= farthest_moves(problem, beta, margins)
        else:
            at_bound = beta >= (1.0 - AT_BOUND) * problem.prices.C
            own, _ = metric_products(problem)
            doubt = np.where(at_bound, 1.0, own.max() * problem.weight * beta)
        bound += np.average(doubt, weights=case.sample_weight)
    return float(bound)


@described_like(leave_one_out_bound)
def leave_one_out_error(estimator, X, y, sample_weight=None) -> float:
    """Return the leave-one-out error of an estimator, with one fit for each row left out.

    Each fit starts from the solution on all rows and shares its Gram matrix and, if the
    variance price is large, its metric. Rows that are no support vectors of an SVM need no
    fit, nor do rows whose margin cannot fall to zero, see ``leave_one_out_bound``. The
    width of the kernel stays that of the estimator.

    Parameters
    ----------
    estimator, X, y, sample_weight

    Returns
    -------
    error : float
        The share of rows that are misclassified when left out.

    See Also
    --------
    leave_one_out_bound : A bound that needs no fit.
    """
    case = Case.of(estimator, X, y, sample_weight)
    scores = np.array(case.scores)
    for k in range(len(scores)):
        for i in np.flatnonzero(case.needs_fit(k)):
            scores[k, i] = case.score_without(i, k)
    wrong = case.classes[winners_of(scores.T)] != case.y
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

    def score_without(self, i, k):
        """Return the score of row i by a fit of problem k on all other rows."""
        problem, start, solver = self.problems[k], self.starts[k], self.recipe.solver
        kept = np.arange(problem.design.n_rows) != i
        encoder = self.recipe.encoder
        weight = encoder.weighted(self.y[kept], self.sample_weight[kept])
        targets = Targets(*(values[kept] for values in problem.targets))
        shared = None if encoder.weights_depend_on_others else problem.weight
        rest = self.recipe.pose(targets, weight).on(problem.design.without(i, shared))
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
        except NoMinimum:  # the intercept goes to infinity, towards the larger class
            return np.copysign(np.inf, rest.sign @ rest.weight)
        return problem.design.score_of(i, solution.w, kept) + solution.offset

    def needs_fit(self, k):
        """Return the rows whose score in problem k may change its sign without them."""
        problem, beta = self.problems[k], self.starts[k].beta
        prices, moved = problem.prices, np.ones(len(beta), dtype=bool)
        if self.recipe.encoder.weights_depend_on_others:
            return moved
        if prices.lambda_var == prices.lambda_mean == 0:  # an SVM
            moved = beta != 0
        given = self.machine.lambda_var, self.machine.lambda_mean
        per_row = all(price == 0 or isinstance(price, str) for price in given)
        held = prices.lambda_var > 0 or not problem.fit_intercept
        if len(self.problems) > 1 or not (per_row and held):
            return moved
        margins = problem.sign * self.scores[k]
        return moved & (np.abs(margins) <= farthest_moves(problem, beta, margins) + SPARE)
