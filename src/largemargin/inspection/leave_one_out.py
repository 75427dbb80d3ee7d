"""The leave-one-out error: a bound from the dual solution, and the error itself."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import check_sample_weight
from largemargin.designs.base import Capability
from largemargin.estimators.documentation import described_like
from largemargin.estimators.nesting import machine_and_rows
from largemargin.estimators.recipe import PosedPart, Recipe, Space, recipe_of
from largemargin.estimators.rows import Rows, validated_rows
from largemargin.estimators.solving import last_solutions
from largemargin.estimators.targets import class_scores, winners_of
from largemargin.inspection.margin_moves import farthest_moves, metric_products
from largemargin.problem import NoMinimum, Problem, Targets
from largemargin.solvers import SOLVERS, Start

# Margins are as accurate as the fit, so a sign is certain only with this much to spare.
SPARE = 0.05
# Dual variables this near to their bound, as a fraction of it, are there.
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
    this bound. With ``loss="squared_hinge"`` no dual variable is at a bound, and
    ``1 / (2 C)`` is added to h, as to the diagonal of the dual problem.

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
        nothing. With more than two classes, the sum of the bounds of all machines: a row
        that every machine of its class classifies correctly is classified correctly.

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
    for machine in case.machines():
        problem, beta = machine.problem, machine.start.beta
        if problem.fit_intercept and problem.prices.lambda_var == 0:
            raise ValueError(
                "The bound does not hold for an estimator with an intercept and "
                "lambda_var=0. Use leave_one_out_error, or fit with fit_intercept=False "
                "or lambda_var > 0."
            )
        margins = problem.sign * machine.scores
        if kind == "stable":
            doubt = margins <= farthest_moves(problem, beta, margins)
        else:
            at_bound = beta >= (1.0 - AT_BOUND) * problem.box[1]
            own, _ = metric_products(problem)
            # With a ridge, the margin is below one by ridge times beta.
            lengths = own.max() * problem.weight + problem.ridge
            doubt = np.where(at_bound, 1.0, lengths * beta)
        weight = case.sample_weight
        bound += weight[machine.members] @ doubt / weight.sum()
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
    scores = case.first_scores()
    for k, machine in enumerate(case.machines()):
        scores[machine.members, k] = machine.scores
        for i in np.flatnonzero(case.needs_fit(machine)):
            scores[i, k] = case.score_without(i, machine)
    if case.is_pairwise:
        scores = class_scores(scores, len(case.classes))
    wrong = case.classes[winners_of(scores)] != case.rows.labels
    return float(np.average(wrong, weights=case.sample_weight))


class FittedMachine(NamedTuple):
    """One machine of an estimator: its space, rows, problem, solution and scores there.

    ``members`` are the indices of its rows among those that count.
    """

    space: Space
    members: np.ndarray
    problem: Problem
    start: Start
    scores: np.ndarray


@dataclass
class Case:
    """A fitted estimator and its training rows, of which those of positive weight count."""

    fitted: Any
    machine: Any
    recipe: Recipe
    rows: Rows
    sample_weight: np.ndarray
    classes: np.ndarray
    parts: list[PosedPart]

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
        machine = clone(fitted).set_params(**recipe.settled(fitted))
        machine.multi_class = "ovo" if fitted._one_vs_one else "ovr"
        recipe = recipe_of(machine)
        rows = validated_rows(machine, recipe.encoder, X, y, sample_weight)
        n_rows = np.atleast_2d(fitted.dual_beta_).shape[1]
        if n_rows != len(rows.y):
            raise ValueError(
                f"X must hold the {n_rows} rows that the estimator was fitted on; got "
                f"{len(rows.y)}."
            )
        classes, parts = recipe.posed(rows, type(machine).__name__)
        weight = check_sample_weight(sample_weight, rows.X, dtype=np.float64)
        return cls(fitted, machine, recipe, rows, weight[rows.counted], classes, parts)

    @property
    def is_pairwise(self) -> bool:
        """Whether each machine has the rows of two classes only."""
        return len(self.parts) > 1

    def machines(self) -> Iterator[FittedMachine]:
        """Yield the machines, each pair of classes with a design of its own."""
        shared = self.recipe.space.share(self.rows) if self.is_pairwise else None
        number = 0
        for members, problems in self.parts:
            space, own = copy(shared or self.recipe.space), self.rows.only(members)
            design = space.design(own)
            design.require("The leave-one-out error", Capability.REMOVAL)
            numbers = slice(number, number + len(problems))
            problems = [problem.on(design) for problem in problems]
            starts = last_solutions(self.fitted, space, own, problems[0], numbers)
            # An estimator of low rank has expansions, which are no elements of this design.
            if not starts or len(starts[0].w) != len(design.zeros()):
                raise ValueError(
                    "The leave-one-out error needs explicit features, or a Gram matrix "
                    f"that fits in memory; that of {design.n_rows} rows does not. Use "
                    "fewer rows."
                )
            places = np.arange(len(self.rows.weight))[members]
            for problem, start in zip(problems, starts, strict=True):
                scores = design.scores(start.w) + start.offset
                yield FittedMachine(space, places, problem, start, scores)
            number = numbers.stop

    def first_scores(self):
        """Return the scores of all rows by all machines, as far as they stay."""
        n_problems = sum(len(part.problems) for part in self.parts)
        if not self.is_pairwise:
            return np.zeros((len(self.rows.weight), n_problems))
        return self.fitted._finite_scores(self.rows.X[self.rows.counted])

    def score_without(self, i, machine):
        """Return the score of row i by a fit of a machine on its rows without row i."""
        problem, start, solver = machine.problem, machine.start, self.recipe.solver
        encoder, others = self.recipe.encoder, np.arange(len(self.sample_weight)) != i
        weight = np.zeros(len(others))
        weight[others] = encoder.weighted(
            self.rows.labels[others], self.sample_weight[others]
        )
        kept = machine.members != i
        targets = Targets(*(values[kept] for values in problem.targets))
        rest = self.recipe.pose(targets, weight[machine.members[kept]], 0)
        place = np.flatnonzero(~kept)
        if len(place) == 0:  # the weights of its rows have changed
            rest = rest.on(problem.design)
        else:
            shared = None if encoder.weights_depend_on_others else problem.weight
            rest = rest.on(problem.design.without(place[0], shared))
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
        if len(place) > 0:
            return problem.design.score_of(place[0], solution.w, kept) + solution.offset
        row = self.rows.X[np.flatnonzero(self.rows.counted)[[i]]]
        part = machine.members, machine.space.expand([solution])
        scores = machine.space.score(row, self.rows, [part])
        return scores[0, 0] + solution.intercept

    def needs_fit(self, machine):
        """Return the rows whose score by a machine may change its sign without them."""
        problem, beta = machine.problem, machine.start.beta
        prices, everyone = problem.prices, np.ones(len(self.rows.weight), dtype=bool)
        if self.recipe.encoder.weights_depend_on_others:
            return everyone
        moved = np.zeros_like(everyone)
        moved[machine.members] = True
        if prices.lambda_var == prices.lambda_mean == 0:  # an SVM
            moved[machine.members] = beta != 0
        given = self.machine.lambda_var, self.machine.lambda_mean
        per_row = all(price == 0 or isinstance(price, str) for price in given)
        held = prices.lambda_var > 0 or not problem.fit_intercept
        if len(self.classes) > 2 or not (per_row and held):
            return moved
        margins = problem.sign * machine.scores
        return moved & (np.abs(margins) <= farthest_moves(problem, beta, margins) + SPARE)
