"""Solutions of one problem at many prices; a solution may serve several of them.

Problems with the same price of the margin variance come one after another, because they
share the matrix of the equivalent SVM. Each starts from the best solution known at its C.
"""

from typing import NamedTuple

import numpy as np

from largemargin.problem.certificate import Certificate
from largemargin.problem.checks import refuse_unbounded
from largemargin.problem.losses import Loss
from largemargin.problem.objective import Prices, Problem
from largemargin.problem.other_prices import OtherPrices
from largemargin.solvers import solve
from largemargin.solvers.solution import Solution, Start

# The tol of a solve is this much smaller, so that its solution can serve other prices.
SPARE = 0.3
# A solution serves other prices if it is certified there, and if no score of a row can
# differ by more than this fraction of the margin.
SAME_SCORES = 0.1


class OutOfTime(Exception):
    """Stands for the answer of a problem that was skipped because time ran out."""


class Answer(NamedTuple):
    """The index of the solution that serves a problem, and its certificate there."""

    number: int
    certificate: Certificate


class Answers(NamedTuple):
    """For each problem its answer, or the error that was raised; and all solutions."""

    answers: list[Answer | Exception]
    solutions: list[Solution]


class Family(NamedTuple):
    """Problems that may share a solution: they differ in prices of mean and variance."""

    loss: Loss
    prices: Prices


class Path:
    """The solutions of problems on the same rows and targets, by family."""

    def __init__(self, design, solver, *, tol, max_iter, seed, progress):
        self.solver, self.tol, self.seed, self.progress = solver, tol, seed, progress
        self.options = {"tol": SPARE * tol, "max_iter": max_iter}
        self.radius = np.sqrt(design.squared_norms().max())
        self.solutions = []
        # For each family the indices of its solutions, with their OtherPrices or None.
        self.known = {}

    def answer(self, problem: Problem, solve=solve) -> Answer:
        """Return a known solution that serves a problem, or solve it."""
        refuse_unbounded(problem)
        prices = problem.prices
        shared = Family(problem.loss, prices._replace(lambda_var=0.0, lambda_mean=0.0))
        family = self.known.get(shared, {})
        answers = [Answer(k, one.certify(prices)) for k, one in family.items() if one]
        best = min(answers, key=lambda one: one.certificate.relative, default=None)
        if best is not None and best.certificate.relative <= self.tol:
            change = family[best.number].distance(prices)
            if change * self.radius <= SAME_SCORES:
                return best
        rng, start = np.random.default_rng(self.seed), self._start(problem, best)
        options = {"start": start, "progress": self.progress(), "rng": rng}
        solution = solve(problem, self.solver, **self.options, **options)
        self.solutions.append(solution)
        number = len(self.solutions) - 1
        if not problem.is_hard:
            others = OtherPrices(problem, solution) if problem.loss.is_one_sided else None
            self.known.setdefault(shared, {})[number] = others
        return Answer(number, solution.certificate)

    def _start(self, problem, best):
        """Return the best solution of the family, or else one at another C, as a start."""
        if best is not None:
            return self.solutions[best.number].as_start()
        C = problem.prices.C
        others = [family for family in self.known if family.prices.C > 0]
        if not others or not 0 < C < np.inf:
            return None

        def distance(family):
            return family.loss != problem.loss, abs(np.log(C / family.prices.C))

        nearest = min(others, key=distance)
        solution = self.solutions[max(self.known[nearest])]
        # Keep dual variables at their bounds.
        return Start(solution.beta * (C / nearest.prices.C), None, solution.offset)


def solve_path(problems, solver, *, solves=None, on_answer=None, **options) -> Answers:
    """Return an answer or the raised error for each problem, and all solutions.

    All problems are on the same design and have the same targets. ``solves`` are the
    functions that solve them, by default ``solve``. ``progress()`` returns the ``Progress``
    of each solve; ``on_answer()`` is called after each problem. When the time is over,
    problems except the first are skipped.
    """
    solves = [solve] * len(problems) if solves is None else solves
    path = Path(problems[0].design, solver, **options)
    answers: dict[int, Answer | Exception] = {}

    def place(k):
        prices = problems[k].prices
        return repr(problems[k].loss), prices.lambda_var, prices.C, prices.lambda_mean

    order = sorted(range(len(problems)), key=place)
    for k in order:
        try:
            if k != order[0] and path.progress().is_late:
                raise OutOfTime
            answers[k] = path.answer(problems[k], solves[k])
        except Exception as error:
            answers[k] = error
        if on_answer is not None:
            on_answer()
    return Answers([answers[k] for k in range(len(problems))], path.solutions)
