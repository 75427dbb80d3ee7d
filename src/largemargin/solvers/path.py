"""Solutions of one problem at many prices; a solution may serve several of them.

Problems with the same prices of squared terms come one after another, because they share
the matrix of the equivalent SVM. Each starts from the solution at prices most like its own.
"""

from collections import Counter
from typing import NamedTuple, Self

import numpy as np

from largemargin.problem.certificate import Certificate
from largemargin.problem.checks import refuse_unbounded
from largemargin.problem.losses import Loss
from largemargin.problem.objective import Problem
from largemargin.problem.other_prices import OtherPrices
from largemargin.problem.terms import Prices
from largemargin.solvers import solve
from largemargin.solvers.solution import Memory, Solution, Start

# The tol of a solve is this much smaller if its solution can serve other prices.
SPARE = 0.3
# A solution serves other prices if it is certified there, and if no score of a row can
# differ by more than this fraction of the margin.
SAME_SCORES = 0.1
# No solution serves prices that differ by more than this, in units of C sum(s).
SIMILAR = 0.01


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

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the family of a problem."""
        return cls(problem.loss, problem.prices._replace(lambda_var=0.0, lambda_mean=0.0))


class Path:
    """The solutions of problems on the same rows and targets, and their problems."""

    def __init__(self, design, solver, *, tol, max_iter, seed, progress):
        self.solver, self.tol, self.seed, self.progress = solver, tol, seed, progress
        self.max_iter = max_iter
        self.radius = np.sqrt(design.squared_norms().max())
        self.solutions, self.problems, self.places = [], [], np.empty((0, 4))
        self.families: dict[Family, list[int]] = {}
        self.others: dict[int, OtherPrices] = {}
        self.memory = Memory()

    def answer(self, problem: Problem, solve=solve, n_alike=1) -> Answer:
        """Return a known solution that serves a problem, or solve it."""
        refuse_unbounded(problem)
        best = self._best_known(problem)
        if best is not None:
            return best
        tol = SPARE * self.tol if may_serve_others(problem) else self.tol
        options = {"tol": tol, "max_iter": self.max_iter, "progress": self.progress()}
        options |= {"start": self._start(problem), "memory": self.memory}
        if self.solver != "auto":  # which draws nothing
            options["rng"] = np.random.default_rng(self.seed)
        solution = solve(problem, self.solver, n_alike=n_alike, **options)
        number = len(self.solutions)
        self.solutions.append(solution)
        self.problems.append(problem)
        self.places = np.vstack([self.places, place_of(problem)])
        self.families.setdefault(Family.of(problem), []).append(number)
        return Answer(number, solution.certificate)

    def _best_known(self, problem):
        """Return the best known solution that serves a problem, if there is one."""
        prices = problem.prices
        if not may_serve_others(problem):
            return None
        reach = SIMILAR * prices.C * problem.total
        answers = [
            Answer(number, self._certificates_of(number).certify(prices))
            for number in self.families.get(Family.of(problem), [])
            if difference(self.problems[number].prices, prices) <= reach
        ]
        best = min(answers, key=lambda one: one.certificate.relative, default=None)
        if best is None or best.certificate.relative > self.tol:
            return None
        change = self.others[best.number].distance(prices)
        return best if change * self.radius <= SAME_SCORES else None

    def _certificates_of(self, number):
        if number not in self.others:
            found = self.problems[number], self.solutions[number]
            self.others[number] = OtherPrices(*found)
        return self.others[number]

    def _start(self, problem):
        """Return the solution at the prices most like these as a start."""
        C = problem.prices.C
        if not self.solutions or not 0 < C < np.inf:
            return None
        away = np.abs(self.places - place_of(problem)).sum(axis=1)
        nearest = int(np.argmin(away))
        if not np.isfinite(away[nearest]):
            return None
        solution, ratio = self.solutions[nearest], C / self.problems[nearest].prices.C
        is_expansion = problem.design.elements_are_expansions
        if ratio == 1.0 or (is_expansion and problem.origin.any()):
            # Kernels fit values so closely that dual variables hardly grow with C.
            return solution.as_start()
        # Dual variables and expansions grow with C; margins and so elements hardly do.
        w = solution.w * (ratio if is_expansion else 1.0)
        return Start(ratio * solution.beta, w, solution.offset)


def difference(prices, others) -> float:
    """Return the larger difference of the prices that may differ in a family."""
    by_var = abs(prices.lambda_var - others.lambda_var)
    return max(by_var, abs(prices.lambda_mean - others.lambda_mean))


def may_serve_others(problem) -> bool:
    """Return whether a solution may be certified at other prices, see ``OtherPrices``."""
    return problem.loss.is_one_sided and not problem.is_hard


def place_of(problem) -> tuple[float, float, float, float]:
    """Return numbers that are alike where solutions are, whatever the units of margins.

    They are the logarithms of C and of the price of squared terms, the price of the mean,
    both relative to C, and the lower kink of the loss.
    """
    C, lambda_var, lambda_mean, lambda_square, _ = problem.prices
    if not 0 < C < np.inf:
        return np.inf, np.inf, np.inf, np.inf
    whole, unit = C * problem.total, problem.margin_unit
    squares = (lambda_var + lambda_square) * unit / whole
    kink = problem.loss.kink / unit
    return np.log(C), np.log(squares + SIMILAR), lambda_mean / whole, kink


def order_of(problem) -> tuple:
    """Return what sorts problems so that those with the same squared terms are together."""
    loss, prices = problem.loss, problem.prices
    squares = problem.stiffness, prices.lambda_var
    return *squares, repr(loss), prices.C, prices.lambda_mean


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

    n_alike = Counter(one.stiffness for one in problems)
    path.memory.n_spreads = len(n_alike)
    order = sorted(range(len(problems)), key=lambda k: order_of(problems[k]))
    for k in order:
        try:
            if k != order[0] and path.progress().is_late:
                raise OutOfTime
            answers[k] = path.answer(problems[k], solves[k], n_alike[problems[k].stiffness])
        except Exception as error:
            answers[k] = error
        if on_answer is not None:
            on_answer()
    return Answers([answers[k] for k in range(len(problems))], path.solutions)
