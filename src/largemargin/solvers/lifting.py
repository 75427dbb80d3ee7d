"""From the solution of an equivalent SVM to the problem with squared terms itself."""

import numpy as np

from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.intercept import as_intercept_sees_it, centre
from largemargin.problem.own_forces import SAME, certify_by_own_forces


def lift(problem, beta, offset: float, tangent) -> Certified:
    """Return dual variables and margins of the SVM, certified for the problem itself.

    The point is the one that the forces of ``beta`` produce, with the squared terms
    linearised at the margins of the SVM: its gradient is zero, and its gap consists of
    Fenchel gaps and of what the margins of both differ by. Forces that do not balance,
    because these margins do not belong to ``beta``, are balanced first.
    """
    forces = problem.forces(beta, tangent)
    if problem.is_hard or not _is_balanced(problem, forces):
        return problem.examine(forces, offset, beta)
    scores = problem.design.scores(forces)
    point = problem.point(forces, scores, offset)
    norm = problem.design.inner(forces, forces, scores)
    terms = problem.terms(point.margins, offset, beta, norm)
    gap = terms.gap + problem.squares(point.margins - tangent)
    certificate = Certificate(terms.primal, gap, terms.scale)
    return Certified(point, beta, certificate, tangent)


def lift_inexact(problem, beta, offset: float, tangent) -> Certified:
    """Return the same for an SVM whose matrix has the errors of float32.

    Its forces hardly balance. Once they do, they are a dual point of their own, whose gap
    is much smaller than that of ``beta``.
    """
    forces = problem.forces(beta, tangent)
    if problem.fit_intercept:
        lack = problem.prices.intercept - forces.sum()
        forces += problem.weight * (lack / problem.total)
    point = problem.point(forces, problem.design.scores(forces), offset)
    smoothing = problem.loss.exact(len(forces), problem.prices.C)
    point = centre(as_intercept_sees_it(problem), point, smoothing)
    return certify_by_own_forces(problem, point)


def _is_balanced(problem, forces):
    """Return whether the forces add up to the price of a free intercept."""
    price = problem.prices.intercept
    size = np.abs(forces).sum() + abs(price)
    return not problem.fit_intercept or abs(forces.sum() - price) <= SAME * size
