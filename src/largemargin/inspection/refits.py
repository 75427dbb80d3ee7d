"""Fits without single rows, which start from the fit on all rows and share its design."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted

from largemargin._compat import check_sample_weight
from largemargin.designs.base import Capability
from largemargin.estimators.nesting import machine_and_rows
from largemargin.estimators.recipe import PosedPart, Recipe, Space, recipe_of
from largemargin.estimators.rows import Rows, validated_rows
from largemargin.estimators.solving import last_solutions
from largemargin.problem import NoMinimum, Problem, Targets
from largemargin.solvers import SOLVERS, Start

# Dual variables this near to their bound, as a fraction of it, are there.
AT_BOUND = 1e-6


class FittedMachine(NamedTuple):
    """One machine of an estimator: its space, rows, problem, solution and scores there.

    ``members`` are the indices of its rows among those that count, and ``number`` is its
    own among the machines on these rows.
    """

    space: Space
    members: np.ndarray
    number: int
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
    def of(cls, estimator, X, y, sample_weight, *, of_values=False) -> "Case":
        """Return the case; raise for other estimators and for other rows."""
        check_is_fitted(estimator)
        fitted, X = machine_and_rows(estimator, X)
        refuse_unsuited(fitted, of_values)
        machine = clone(fitted).set_params(**recipe_of(fitted).settled(fitted))
        if not of_values:
            machine.multi_class = "ovo" if fitted._one_vs_one else "ovr"
        recipe = recipe_of(machine)
        rows = validated_rows(machine, recipe.encoder, X, y, sample_weight)
        n_problems, n_rows = np.atleast_2d(fitted.dual_beta_).shape
        if n_rows != len(rows.y):
            raise ValueError(
                f"X must hold the {n_rows} rows that the estimator was fitted on; got "
                f"{len(rows.y)}."
            )
        classes, parts = recipe.posed(rows, type(machine).__name__)
        if sum(len(part.problems) for part in parts) != n_problems:
            raise ValueError(
                "y must hold the labels or values that the estimator was fitted on; these "
                "have another number of classes or columns."
            )
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
            for k, (problem, start) in enumerate(zip(problems, starts, strict=True)):
                scores = design.scores(start.w) + start.offset
                yield FittedMachine(space, places, k, problem, start, scores)
            number = numbers.stop

    def problem_without(self, i, machine):
        """Return the problem of a machine on its rows without row i, which has no design.

        Prices and widths that are numbers stay, and words such as "scale" are numbers that
        follow from the other rows, except the width of the kernel.
        """
        encoder, others = self.recipe.encoder, np.arange(len(self.sample_weight)) != i
        weight = np.zeros(len(others))
        weight[others] = encoder.weighted(
            self.rows.labels[others], self.sample_weight[others]
        )
        kept = machine.members != i
        targets = Targets(*(values[kept] for values in machine.problem.targets))
        return self.recipe.pose(targets, weight[machine.members[kept]], machine.number)

    def changed_without(self, machine):
        """Return which rows may change the scores of a machine when they are left out."""
        problem, beta = machine.problem, machine.start.beta
        moved = np.zeros(len(self.rows.weight), dtype=bool)
        moved[machine.members] = True
        if self.recipe.encoder.weights_depend_on_others:
            return np.ones_like(moved)
        if problem.is_curved or problem.reward != 0 or not holds_intercept(problem, beta):
            return moved
        # The other rows of an SVM are in balance without a row that does not pull.
        for i in machine.members[beta == 0]:
            rest = self.problem_without(i, machine)
            moved[i] = (rest.prices, rest.loss) != (problem.prices, problem.loss)
        return moved

    def score_without(self, i, machine):
        """Return the score of row i by a fit of a machine on its rows without row i."""
        problem, start, solver = machine.problem, machine.start, self.recipe.solver
        rest, kept = self.problem_without(i, machine), machine.members != i
        place = np.flatnonzero(~kept)
        if len(place) == 0:  # the weights of its rows have changed
            rest = rest.on(problem.design)
        else:
            depends = self.recipe.encoder.weights_depend_on_others
            shared = None if depends else problem.weight
            rest = rest.on(problem.design.without(place[0], shared))
        sign = rest.sign[0]
        if (rest.sign == sign).all() and (
            problem.sign != sign
        ).any():  # a class without rows
            return sign * np.inf
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


def refuse_unsuited(fitted, of_values):
    """Raise unless rows can be left out of the fit of an estimator."""
    name = type(fitted).__name__
    if is_outlier_detector(fitted):
        raise TypeError(
            f"{name} has no leave-one-out error, because rows of one class have neither "
            "labels nor values to compare a prediction with. Use margin_distribution."
        )
    if is_regressor(fitted) != of_values:
        wanted, other = (
            ("regressor", "leave_one_out_error")
            if of_values
            else ("classifier", "leave_one_out_residuals")
        )
        raise TypeError(f"Expected a {wanted}; got {name}. For others use {other}.")
    has_prices = bool({"lambda_mean", "lambda_square"} & set(fitted.get_params()))
    if recipe_of(fitted) is None or not has_prices or not hasattr(fitted, "dual_beta_"):
        kind = "Regressor" if of_values else "Classifier"
        raise TypeError(
            f"Leaving rows out needs a fitted LDM{kind} or LinearLDM{kind} with a dual "
            f"solution, alone or at the end of a pipeline or a search; got {name}."
        )


def holds_intercept(problem, beta):
    """Return whether a row at a kink determines the intercept, if there is one.

    Otherwise the intercept is the middle of its possible values, and a row that does not
    pull may still bound them.
    """
    if not problem.fit_intercept:
        return True
    pull = problem.loss.pull(problem.prices.C)
    is_free = beta != 0
    for edge in pull.floor, pull.rest, pull.cap:
        if np.isfinite(edge):
            is_free &= np.abs(beta - edge) > AT_BOUND * np.abs(beta).max()
    return is_free.any()
