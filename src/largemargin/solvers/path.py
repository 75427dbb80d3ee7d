"""One machine at many prices: every solution serves all prices that it is good enough for.

Prices that share the weight of the margin variance come one after another, because they
share its metric; each solve starts from the best solution known at its C.
"""

from typing import NamedTuple

import numpy as np

from largemargin.problem.other_prices import Nearby
from largemargin.problem.refusals import refuse_unbounded
from largemargin.solvers import solve
from largemargin.solvers.solution import Solution, Start

# Solutions are this much better than asked for, so that they can serve other prices.
SPARE = 0.3
# A solution serves other prices if it is certified there, and if no score of a row can
# change by more than this part of the margin on the way.
SAME_SCORES = 0.1


class OutOfTime(Exception):
    """Stands for the answer to a price that the time did not suffice for."""


class Answers(NamedTuple):
    """What answers each problem, or the error that was met there, and all solutions."""

    answers: list
    solutions: list


class Answer(NamedTuple):
    """The solution that serves a problem, by its number, and its certificate there."""

    number: int
    certificate: object


class Family(NamedTuple):
    """What problems have in common if a solution of one may serve the others."""

    loss: object
    prices: object

    @classmethod
    def of(cls, problem):
        """Return the family of a problem: all but its prices of mean and variance."""
        return cls(problem.loss, problem.prices._replace(lambda_var=0.0, lambda_mean=0.0))


class Path:
    """Solutions of problems on the same rows and targets, looked up by price."""

    def __init__(self, design, solver, *, tol, max_iter, seed, progress):
        self.solver = solver
        self.tol, self.max_iter, self.seed = tol, max_iter, seed
        self.progress = progress
        self.radius = np.sqrt(design.squared_norms().max())
        self.solutions = []
        # For each family the numbers of its solutions, and what judges them elsewhere.
        self.known = {}

    def answer(self, problem, solve=solve):
        """Return a solution that is good enough for a problem, a known one if any is."""
        refuse_unbounded(problem)
        prices, family = problem.prices, self.known.get(Family.of(problem), {})
        best = self._best_known(family, prices)
        if best is not None and best.certificate.relative <= self.tol:
            change = family[best.number].distance(prices)
            if change * self.radius <= SAME_SCORES:
                return best
        solution = solve(
            problem,
            self.solver,
            tol=SPARE * self.tol,
            max_iter=self.max_iter,
            start=self._start(problem, best),
            progress=self.progress(),
            rng=np.random.default_rng(self.seed),
        )
        self.solutions.append(solution)
        number = len(self.solutions) - 1
        if not problem.is_hard:
            nearby = Nearby(problem, solution) if problem.loss.is_one_sided else None
            self.known.setdefault(Family.of(problem), {})[number] = nearby
        return Answer(number, solution.certificate)

    def _best_known(self, family, prices):
        answers = [
            Answer(number, nearby.certify(prices))
            for number, nearby in family.items()
            if nearby is not None
        ]
        return min(answers, key=lambda answer: answer.certificate.relative, default=None)

    def _start(self, problem, best):
        """Return the best solution of its family, or one at another C, as a start."""
        if best is not None:
            return as_start(self.solutions[best.number])
        C = problem.prices.C
        others = [family for family in self.known if family.prices.C > 0]
        if not others or not 0 < C < np.inf:
            return None

        def distance(family):
            return family.loss != problem.loss, abs(np.log(C / family.prices.C))

        nearest = min(others, key=distance)
        solution = self.solutions[max(self.known[nearest])]
        # Rows at their bounds stay there.
        return Start(solution.beta * (C / nearest.prices.C), None, solution.offset)


def as_start(solution: Solution):
    """Return a solution as a start."""
    return Start(solution.beta, solution.w, solution.offset)


def solve_path(problems, solver, *, solves=None, on_answer=None, **options):
    """Return an answer, or the error that was met, for every problem, and the solutions.

    ``problems`` are on the same design and have the same targets; ``solves`` are the
    functions to solve each with, if not ``solve``; ``progress()`` gives what each solve
    reports to, ``on_answer()`` is called after each problem. When the time for that is
    over, problems beyond the first are left out.
    """
    solves = [solve] * len(problems) if solves is None else solves
    path = Path(problems[0].design, solver, **options)
    answers = [None] * len(problems)
    order = sorted(range(len(problems)), key=lambda k: along(problems[k]))
    for k in order:
        try:
            if k != order[0] and path.progress().is_late:
                raise OutOfTime
            answers[k] = path.answer(problems[k], solves[k])
        except Exception as error:
            answers[k] = error
        if on_answer is not None:
            on_answer()
    return Answers(answers, path.solutions)


def along(problem):
    """Return where a problem stands in the order of a path."""
    prices = problem.prices
    return repr(problem.loss), prices.lambda_var, prices.C, prices.lambda_mean
