"""One problem at many prices: every solution serves all prices that it is good enough for.

Prices that share the weight of the margin variance come one after another, because they
share its metric; each solve starts from the best solution known at its C.
"""

from typing import NamedTuple

import numpy as np

from largemargin.nearby import Nearby
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
    """What answers each price, or the error that was met there, and all solutions."""

    answers: list
    solutions: list


class Answer(NamedTuple):
    """The solution that serves a price, by its number, and its certificate there."""

    number: int
    certificate: object


class Path:
    """Solutions of a problem found so far, looked up by price."""

    def __init__(self, problem, solver, *, tol, max_iter, seed, progress):
        self.problem, self.solver = problem, solver
        self.tol, self.max_iter, self.seed = tol, max_iter, seed
        self.progress = progress
        self.radius = np.sqrt(problem.design.squared_norms().max())
        self.solutions = []
        # For each C, what tells how good its solutions are at other prices.
        self.known = {}

    def answer(self, C, lambda_var, lambda_mean):
        """Return a solution that is good enough at these prices, a known one if any is."""
        problem = self.problem.at(C, lambda_var, lambda_mean)
        problem.refuse_unbounded()
        best = self._best_known(C, lambda_var, lambda_mean)
        if best is not None and best.certificate.relative <= self.tol:
            change = self.known[C][best.number].distance(lambda_var, lambda_mean)
            if change * self.radius <= SAME_SCORES:
                return best
        solution = solve(
            problem,
            self.solver,
            tol=SPARE * self.tol,
            max_iter=self.max_iter,
            start=self._start(C, best),
            progress=self.progress(),
            rng=np.random.default_rng(self.seed),
        )
        self.solutions.append(solution)
        number = len(self.solutions) - 1
        if np.isfinite(C):
            self.known.setdefault(C, {})[number] = Nearby(problem, solution)
        return Answer(number, solution.certificate)

    def _best_known(self, C, *prices):
        answers = [
            Answer(number, nearby.certify(*prices))
            for number, nearby in self.known.get(C, {}).items()
        ]
        return min(answers, key=lambda answer: answer.certificate.relative, default=None)

    def _start(self, C, best):
        """Return the best solution at this C, or one at another, as a start."""
        if best is not None:
            return as_start(self.solutions[best.number])
        others = [other for other in self.known if other > 0]
        if not others or not 0 < C < np.inf:
            return None
        nearest = min(others, key=lambda other: abs(np.log(C / other)))
        solution = self.solutions[max(self.known[nearest])]
        # Rows at their bounds stay there.
        return Start(solution.beta * (C / nearest), None, solution.offset)


def as_start(solution: Solution):
    """Return a solution as a start."""
    return Start(solution.beta, solution.w, solution.offset)


def solve_path(problem, prices, solver, *, on_answer=None, **options):
    """Return an answer, or the error that was met, for every price, and the solutions.

    ``prices`` are triples of C, lambda_var and lambda_mean; ``progress()`` gives what each
    solve reports to, ``on_answer()`` is called after each price. When the time for that
    is over, prices beyond the first are left out.
    """
    path = Path(problem, solver, **options)
    answers = [None] * len(prices)
    order = sorted(range(len(prices)), key=lambda k: along(prices[k]))
    for k in order:
        try:
            if k != order[0] and path.progress().is_late:
                raise OutOfTime
            answers[k] = path.answer(*prices[k])
        except Exception as error:
            answers[k] = error
        if on_answer is not None:
            on_answer()
    return Answers(answers, path.solutions)


def along(price):
    """Return where a price stands in the order of a path."""
    C, lambda_var, lambda_mean = price
    return lambda_var, C, lambda_mean
