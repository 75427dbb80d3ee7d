"""The leave-one-out error: a bound from the dual solution, and the error itself."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import check_sample_weight
from largemargin.designs.base import Capability
from largemargin.designs.features import MAX_FACTORED
from largemargin.designs.kernel import gram_product
from largemargin.estimators.fitting import last_solutions
from largemargin.estimators.nesting import machine_and_rows
from largemargin.estimators.recipe import Recipe, recipe_of
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.targets import winners_of
from largemargin.problem import NoMinimum, Targets
from largemargin.solvers import SOLVERS, Start
from largemargin.solvers.equivalent_svm import equivalent_kernel

# Margins are known to the accuracy of a fit: so much more is asked for a sign.
SPARE = 0.05
# Dual variables this near to C, as a part of it, are at their bound.
AT_BOUND = 1e-6


def leave_one_out_bound(estimator, X, y, sample_weight=None, *, kind="paper"):
    """Bound the leave-one-out error of a machine by its dual solution.

    Theorem 3 of the paper, ``kind="paper"``: at most ``(h sum_free beta + n_bound) / m``,
    where ``free`` are the rows with a dual variable between 0 and C, ``n_bound`` those at
    C, and ``h`` is the largest element of the diagonal of H, the kernel in the metric of
    the prices. Its proof leaves the row out of the losses, but in the mean and the
    variance of the margins. That makes no difference at the paper's prices, which are
    small against C; at prices such as ``"scale"`` it does, and the error may be larger.

    ``kind="stable"`` leaves the row out of everything: without it the gradient changes by
    all that the row pulls, which bounds how far its margin may fall. Counted are the rows
    whose margin does not exceed that. It holds at any prices, those for one unit of
    weight staying as they are, and counts more rows at small ones.

    Both need ``lambda_var > 0`` where there is an intercept: else nothing holds that.

    Parameters
    ----------
    estimator : LDMClassifier or LinearLDMClassifier
        Fitted; also at the end of a pipeline or a search.

    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows it was fitted on: a machine keeps only those that it predicts from.

    y : array-like of shape (n_samples,)
        Their labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Their weights, by which rows count, too. A row is left out with all its weight.

    kind : {"paper", "stable"}, default="paper"
        Which bound.

    Returns
    -------
    bound : float
        Of the share of rows that are misclassified when left out; more than 1 says
        nothing. With more than two classes, the sum of the bounds of all machines.

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
    for problem, beta, scores in zip(case.problems, case.beta, case.scores, strict=True):
        if problem.fit_intercept and problem.prices.lambda_var == 0:
            raise ValueError(
                "The bound does not hold for a machine with an intercept and "
                "lambda_var=0. Use leave_one_out_error, or fit with fit_intercept=False "
                "or lambda_var > 0."
            )
        doubtful = KINDS[kind](problem, beta, problem.sign * scores)
        bound += np.average(doubtful, weights=case.sample_weight)
    return float(bound)


def doubtful_by_the_paper(problem, beta, margins):
    """Return how far each row may be wrong by Theorem 3."""
    at_bound = beta >= (1.0 - AT_BOUND) * problem.prices.C
    pulls = problem.weight * beta
    return np.where(at_bound, 1.0, metric_products(problem).own.max() * pulls)


def doubtful_by_stability(problem, beta, margins):
    """Return for each row whether its margin may fall to zero without it."""
    return margins <= farthest_moves(problem, beta, margins)


def farthest_moves(problem, beta, margins):
    """Return how far the margin of each row may move if the row is left out.

    Row i is gone from the gradient, which changes by ``v = a z - e d`` with
    ``a = s (beta + reward)``, ``d = z - zbar`` and ``e = k (g - Mean(g))``, and from the
    metric Q, which loses ``k d d'``, where ``k = spread s S / (S - s)``. The margin falls
    by ``|v| |z|`` at the most, in the metric without the row.
    """
    own, to_mean, mean = metric_products(problem)
    weight, total = problem.weight, problem.total
    loss = problem.spread * weight * total / np.maximum(total - weight, 1e-300)
    pull = weight * (beta + problem.reward)
    scatter = loss * problem.centred(margins)
    # Inner products, in the metric of all rows, of z and d.
    z_d, d_d = own - to_mean, own - 2.0 * to_mean + mean
    v_d = pull * z_d - scatter * d_d
    v_v = pull**2 * own - 2.0 * pull * scatter * z_d + scatter**2 * d_d
    # What the metric loses with the row makes all lengths grow.
    growth = loss / np.maximum(1.0 - loss * d_d, 1e-12)
    v_length = np.sqrt(np.maximum(v_v + growth * v_d**2, 0.0))
    z_length = np.sqrt(np.maximum(own + growth * z_d**2, 0.0))
    return v_length * z_length


KINDS = {"paper": doubtful_by_the_paper, "stable": doubtful_by_stability}


def leave_one_out_error(estimator, X, y, sample_weight=None):
    """Return the leave-one-out error of a machine, by a fit for each row left out.

    Each fit starts from the dual solution of the machine and shares its Gram matrix and,
    where the margin variance is dear, its metric. Rows need none that an SVM does not lean
    on, or whose margin is larger than it can change, see ``leave_one_out_bound``. The width
    of the kernel stays that of the machine.

    Parameters
    ----------
    estimator : LDMClassifier or LinearLDMClassifier
        Fitted; also at the end of a pipeline or a search.

    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows it was fitted on.

    y : array-like of shape (n_samples,)
        Their labels.

    sample_weight : array-like of shape (n_samples,), default=None
        Their weights, by which rows count, too. A row is left out with all its weight.

    Returns
    -------
    error : float
        The share of rows that are misclassified when left out.

    See Also
    --------
    leave_one_out_bound : A bound that costs no fit.
    """
    case = Case.of(estimator, X, y, sample_weight)
    wrong = [case.predict_without(i) != case.y[i] for i in range(len(case.y))]
    return float(np.average(wrong, weights=case.sample_weight))


@dataclass
class Case:
    """A machine on the rows that it was fitted on, those without weight left out."""

    machine: object
    recipe: Recipe
    classes: np.ndarray
    y: np.ndarray
    sample_weight: np.ndarray
    problems: list
    starts: list
    scores: list

    @classmethod
    def of(cls, estimator, X, y, sample_weight):
        """Return the case, or raise if this is not a machine or these are not its rows."""
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
                f"X must hold the {n_rows} rows that the machine was fitted on; got "
                f"{len(rows.y)}."
            )
        classes, problems = recipe.posed(rows, type(machine).__name__)
        design = recipe.space.design(rows)
        design.require("The leave-one-out error", Capability.REMOVAL)
        problems = [problem.on(design) for problem in problems]
        weight = check_sample_weight(sample_weight, rows.X, dtype=np.float64)
        starts = last_solutions(fitted, recipe, problems[0], rows)
        # Of a machine of low rank there are expansions, which are no elements here.
        if not starts or len(starts[0].w) != len(design.zeros()):
            raise ValueError(
                "The leave-one-out error needs explicit features, or a Gram matrix that "
                f"fits in memory; that of {design.n_rows} rows does not. Use fewer rows."
            )
        scores = [design.scores(start.w) + start.offset for start in starts]
        counting = weight[rows.counted]
        return cls(
            machine, recipe, classes, rows.labels, counting, problems, starts, scores
        )

    @property
    def beta(self):
        """The dual variables of each machine, per unit of weight."""
        return [start.beta for start in self.starts]

    def predict_without(self, i):
        """Return the class of a row by machines fitted on all others."""
        scores = [self._score_without(i, k) for k in range(len(self.problems))]
        return self.classes[winners_of(np.array([scores]))[0]]

    def _score_without(self, i, k):
        problem, start, machine = self.problems[k], self.starts[k], self.machine
        if self._keeps_its_side[k][i]:
            return self.scores[k][i]
        kept = np.arange(problem.design.n_rows) != i
        rest = self._problem_without(i, problem, kept)
        if (rest.sign == rest.sign[0]).all():  # nothing is left of the class of this row
            return rest.sign[0] * np.inf
        solver = self.recipe.solver
        try:
            solution = self.recipe.solve(
                rest,
                "auto" if SOLVERS[solver].without_goal else solver,
                tol=machine.tol,
                max_iter=machine.max_iter,
                start=Start(start.beta[kept], None, start.offset),
                rng=np.random.default_rng(0),
            )
        except NoMinimum:  # the larger class draws the intercept to itself
            return np.copysign(np.inf, rest.sign @ rest.weight)
        return problem.design.score_of(i, solution.w, kept) + solution.offset

    @cached_property
    def _keeps_its_side(self):
        """For each machine, which rows need no fit: their score, or its sign, stays."""
        return [self._known_without_fit(k) for k in range(len(self.problems))]

    def _known_without_fit(self, k):
        problem, beta, machine = self.problems[k], self.beta[k], self.machine
        if self.recipe.encoder.weights_depend_on_others:
            return np.zeros(len(beta), dtype=bool)
        prices = problem.prices
        is_svm = prices.lambda_var == prices.lambda_mean == 0
        unmoved = (beta == 0) & is_svm
        given = machine.lambda_var, machine.lambda_mean
        per_row = all(price == 0 or isinstance(price, str) for price in given)
        held = prices.lambda_var > 0 or not problem.fit_intercept
        if len(self.problems) > 1 or not (per_row and held):
            return unmoved
        margins = problem.sign * self.scores[k]
        moves = farthest_moves(problem, beta, margins)
        return unmoved | (np.abs(margins) > moves + SPARE)

    def _problem_without(self, i, problem, kept):
        encoder = self.recipe.encoder
        weight = encoder.weighted(self.y[kept], self.sample_weight[kept])
        targets = Targets(*(values[kept] for values in problem.targets))
        shared = None if encoder.weights_depend_on_others else problem.weight
        return self.recipe.pose(targets, weight).on(problem.design.without(i, shared))


class Products(NamedTuple):
    """Inner products of the rows z and of their mean, in the metric of the prices."""

    own: np.ndarray
    to_mean: np.ndarray
    mean: float


def metric_products(problem):
    """Return the diagonal of H, and what it says of the mean of the rows."""
    design = problem.design
    if design.has_any(Capability.INNER_PRODUCTS) and design.n_features > MAX_FACTORED:
        problem = problem.on(design.as_kernel())
    if not problem.design.has_any(Capability.GRAM):
        return row_products(problem)
    matrix = problem.design.gram_matrix
    if problem.prices.lambda_var > 0:
        matrix = equivalent_kernel(problem).matrix
    share = problem.sign * problem.weight / problem.total
    to_mean = problem.sign * gram_product(matrix, share)
    own = np.diagonal(matrix).astype(np.float64)
    return Products(own, to_mean, float(problem.mean(to_mean)))


def row_products(problem):
    """Return the same for rows, from the metric of the features.

    The intercept is one more feature, a constant, whose norm is free.
    """
    design, weight = problem.design, problem.weight
    moment = design.second_moment(weight)
    moment = np.tril(moment) + np.tril(moment, -1).T
    mean = design.combine(problem.sign * weight)
    free = np.ones(design.n_features)
    if problem.fit_intercept:
        ones = design.combine(weight)
        moment = np.block([[moment, ones[:, None]], [ones, problem.total]])
        mean = np.append(mean, problem.sign @ weight)
        free = np.append(free, 0.0)
    covariance = moment - np.outer(mean, mean) / problem.total
    metric = np.diag(free) + problem.spread * covariance
    root = solve_triangular(cholesky(metric, lower=True), np.eye(len(metric)), lower=True)
    own, to_mean = np.zeros(design.n_rows), np.zeros(design.n_rows)
    for line in root:
        constant = line[-1] if problem.fit_intercept else 0.0
        values = problem.sign * (design.scores(line[: design.n_features]) + constant)
        own += values**2
        to_mean += values * problem.mean(values)
    return Products(own, to_mean, float(problem.mean(to_mean)))
