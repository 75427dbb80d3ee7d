"""What a solver returns, and how it tells of its progress."""

import time
from dataclasses import dataclass, field, replace

import numpy as np

from largemargin.numerics.progress_log import logger
from largemargin.problem.certificate import Certificate, examine_kept

# A hard margin that rounding may have lost is restored in so many tries.
MAX_STRETCHES = 3


@dataclass
class Start:
    """Where a solver may begin: dual variables and, where known, the element itself."""

    beta: np.ndarray
    w: np.ndarray | None = None
    offset: float = 0.0

    def without_element(self):
        """Return the same start for a design whose elements are other vectors."""
        return replace(self, w=None)


@dataclass
class Progress:
    """Collects the certificates of a run and passes each on as it comes.

    ``on_step`` may raise to stop the run; a keyboard interrupt does so by itself.
    """

    on_step: callable = None
    log: bool = False
    deadline: float = np.inf
    history: dict = field(
        default_factory=lambda: {"objective": [], "duality_gap": [], "seconds": []}
    )
    _begin: float = field(default_factory=time.perf_counter)

    def __call__(self, certificate):
        """Take note of one more certificate."""
        self.history["objective"].append(certificate.primal)
        self.history["duality_gap"].append(certificate.relative)
        self.history["seconds"].append(time.perf_counter() - self._begin)
        if self.log:
            step = len(self.history["objective"])
            logger.info(
                "step %d: objective %.8g, relative gap %.2e",
                step,
                certificate.primal,
                certificate.relative,
                extra={"step": step, "gap": certificate.relative},
            )
        self.check()

    @property
    def seconds_left(self):
        """How much time is left for the run."""
        return self.deadline - time.perf_counter()

    @property
    def is_late(self):
        """Whether the time for the run is over."""
        return self.seconds_left <= 0

    def check(self):
        """Give whoever watches the run a chance to stop it."""
        if self.on_step is not None:
            self.on_step()


@dataclass
class Solution:
    """The best point found, its dual variables per unit of weight, its certificate.

    ``offset`` is the intercept that the rows of the design see, ``intercept`` the one for
    the rows as they came; ``tangent`` are the margins at which the certificate takes the
    tangent of the variance, if not its own; ``stretch`` is what the examination multiplied
    the element by; ``is_late`` says that time was too short for more.
    """

    w: np.ndarray
    offset: float
    scores: np.ndarray
    margins: np.ndarray
    beta: np.ndarray
    certificate: Certificate
    n_iter: int
    converged: bool
    intercept: float = np.nan
    tangent: np.ndarray | None = None
    stretch: float = 1.0
    is_late: bool = False

    @classmethod
    def of(cls, problem, point, beta, certificate, n_iter, tol):
        """Return a point as a solution, stretched to the margins that it must keep."""
        converged = bool(certificate.relative <= tol)
        return cls(*problem.stretched(point), beta, certificate, max(n_iter, 1), converged)

    @classmethod
    def at_start(cls, problem, start, tol):
        """Return where a run begins as its solution: nothing, unless there is a start."""
        design = problem.design
        if start is None:
            nothing = np.zeros(design.n_rows)
            point = problem.point(design.zeros(), nothing)
            return cls.of(problem, point, nothing, Certificate(0.0, np.inf, 1.0), 1, tol)
        beta = np.clip(start.beta, *problem.box)
        w = start.w
        if w is None:
            w = design.combine(problem.dual_forces(beta))
        return cls.of(problem, *problem.examine(w, start.offset, beta), 1, tol)

    def examined_if_finite(self, problem, tol):
        """Return the solution examined, or where all runs begin if it has overflowed."""
        parts = self.w, problem.weight * self.beta, self.offset
        if all(np.isfinite(one).all() for one in parts):
            examined = self.examined(problem, tol)
            if np.isfinite(examined.certificate.primal):
                return examined
        return self.at_start(problem, None, tol).examined(problem, tol)

    def examined(self, problem, tol, kept=None, offset_error=0.0):
        """Return the solution as it is kept, with a certificate that covers rounding.

        ``kept`` is the element that is kept in extended precision, if ``w`` is only its
        rounding; ``offset_error`` is what the rounding of ``kept`` does to the intercept.
        """
        w, offset, stretched = self.w, self.offset, 1.0
        kept = w if kept is None else kept
        for attempt in range(MAX_STRETCHES + 1):
            intercept = problem.design.offset_outside(kept, offset)
            offset, error = problem.design.offset_within(kept, intercept)
            error += offset_error
            result = examine_kept(
                problem, w, offset, self.beta, tol=tol, offset_error=error
            )
            low = problem.loss.kink
            least = result.least_margin / low if problem.is_hard else 1.0
            is_kept = not 0 < least < 1
            if is_kept or attempt == MAX_STRETCHES:
                break
            # Rounding anew may take from the margins again as much as it could have.
            stretch = 1.0 / max(least - result.margin_error / low, 0.5)
            w, kept, offset = stretch * w, stretch * kept, stretch * offset
            stretched *= stretch
        tangent = None
        if problem.is_curved and not result.certificate.relative <= tol:
            # What rounding did to the margins need not be done to the forces.
            tangent = self.margins if self.tangent is None else self.tangent
            other = examine_kept(
                problem, w, offset, self.beta, tol=tol, offset_error=error, tangent=tangent
            )
            if other.certificate.gap < result.certificate.gap:
                result = other
            else:
                tangent = None
        return replace(
            self,
            w=w,
            offset=offset,
            intercept=intercept,
            scores=result.point.scores,
            margins=result.point.margins,
            beta=result.beta,
            tangent=tangent,
            stretch=stretched,
            certificate=result.certificate,
            converged=bool(result.certificate.relative <= tol),
        )
