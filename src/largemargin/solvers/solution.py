"""What a solver is given, what it returns, and how it reports its progress."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from largemargin.numerics.progress_log import logger
from largemargin.problem.certificate import Certificate, Certified, examine_kept
from largemargin.problem.intercept import settle
from largemargin.problem.objective import Problem

# A gap that descent on the rows reaches fast; smaller ones are left to Newton's method.
EASY = 1e-5
# A gap of this may be reached with few digits, in float32.
FEW_DIGITS = 1e-4
# Scores of the fitted model may differ from the measured ones by twice their errors.
ROOM_FOR_ERRORS = 2.0
# How often a point is stretched to restore a hard margin that rounding may have lost.
MAX_STRETCHES = 3


@dataclass
class Start:
    """Where a solver may begin: dual variables and, if known, the element itself."""

    beta: np.ndarray
    w: np.ndarray | None = None
    offset: float = 0.0

    def place(self, problem) -> tuple[np.ndarray, np.ndarray]:
        """Return the element and the dual variables, clipped to the box, of the start."""
        beta = np.clip(self.beta, *problem.box)
        w = problem.design.combine(problem.forces(beta)) if self.w is None else self.w
        return w, beta


@dataclass
class Progress:
    """Collects the certificates of a run, and reports each of them."""

    on_step: Callable[[], None] | None = None  # may raise an exception to stop the run
    log: bool = False
    deadline: float = np.inf  # by time.perf_counter()
    history: dict[str, list[float]] = field(
        default_factory=lambda: {"objective": [], "duality_gap": [], "seconds": []}
    )
    _begin: float = field(default_factory=time.perf_counter)

    def __call__(self, certificate: Certificate) -> None:
        """Record one more certificate."""
        self.history["objective"].append(certificate.primal)
        self.history["duality_gap"].append(certificate.relative)
        self.history["seconds"].append(time.perf_counter() - self._begin)
        if self.log:
            step = len(self.history["objective"])
            values = step, certificate.primal, certificate.relative
            extra = {"step": step, "gap": certificate.relative}
            logger.info("step %d: objective %.8g, relative gap %.2e", *values, extra=extra)
        self.check()

    @property
    def seconds_left(self) -> float:
        """The time that is left for the run."""
        return self.deadline - time.perf_counter()

    @property
    def is_late(self) -> bool:
        """Whether the time for the run is over."""
        return self.seconds_left <= 0

    def check(self) -> None:
        """Call ``on_step``, which may stop the run."""
        if self.on_step is not None:
            self.on_step()


@dataclass
class Memory:
    """What the solvers of a path of prices, one after another, know and have learned."""

    # How many different prices of squared terms the path has.
    n_spreads: int = 1
    # Sweeps over a Gram matrix were too slow at this curvature of the variance.
    slow_spread: float = np.inf


@dataclass(frozen=True)
class Run:
    """The settings of one run of a solver: it ends at a relative gap of ``tol``."""

    tol: float
    max_iter: int
    start: Start | None = None
    progress: Progress = field(default_factory=Progress)
    rng: np.random.Generator | None = None  # by default, one of seed zero
    # How many problems on these rows have the same squared terms, and can share a factor.
    n_alike: int = 1
    # What is known along a path of prices.
    memory: Memory = field(default_factory=Memory)

    def on_other_features(self) -> Self:
        """Return the run for a design whose elements are other vectors."""
        return replace(self, start=self.start and replace(self.start, w=None))


@dataclass
class Solution:
    """The best point found, its dual variables per unit of weight, its certificate."""

    w: np.ndarray
    offset: float  # the intercept for the rows of the design
    scores: np.ndarray
    margins: np.ndarray
    beta: np.ndarray
    certificate: Certificate
    n_iter: int
    converged: bool
    intercept: float = np.nan  # the intercept for the rows as they were given
    # The margins at which the certificate linearises the squared terms, if not its own.
    tangent: np.ndarray | None = None
    stretch: float = 1.0  # the factor that the examination applied to the element
    is_late: bool = False  # whether a time limit ended the run
    pass_seconds: float = 0.0  # what a product takes, if it is long

    @classmethod
    def of(cls, problem: Problem, found: Certified, n_iter: int, tol: float) -> Self:
        """Return what a solver found as a solution, stretched to keep a hard margin."""
        point, beta, certificate, tangent = found
        converged = bool(certificate.relative <= tol)
        stretched = problem.stretched(point)
        n_iter = max(n_iter, 1)
        return cls(*stretched, beta, certificate, n_iter, converged, tangent=tangent)

    @classmethod
    def at_start(cls, problem: Problem, start: Start | None, tol: float) -> Self:
        """Return the start of a run as its solution; without a start, zero."""
        if start is not None:
            w, beta = start.place(problem)
            return cls.of(problem, problem.examine(w, start.offset, beta), 1, tol)
        zeros = np.zeros(problem.design.n_rows)
        point = problem.point(problem.design.zeros(), zeros)
        found = Certified(point, zeros, Certificate(0.0, np.inf, 1.0))
        return cls.of(problem, found, 1, tol)

    def settled(self, problem: Problem, errors=0.0) -> Self:
        """Return the solution with the best intercept, see ``intercept.settle``."""
        point = problem.point(self.w, self.scores, self.offset)
        settled, tangent = settle(problem, point, errors), self.tangent
        if settled is point:
            return self
        if tangent is not None:
            tangent = tangent + (settled.margins - point.margins)
        moved = {"offset": settled.offset, "margins": settled.margins}
        return replace(self, tangent=tangent, **moved)

    def _settled_as_kept(self, problem) -> Self:
        """Return the solution settled by its measured scores.

        So many rows are below that those at the kink of one class count as above it,
        whatever the rounding.
        """
        measured = problem.design.measure(self.w)
        errors = ROOM_FOR_ERRORS * measured.errors if problem.loss.is_threshold else 0.0
        return replace(self, scores=measured.scores).settled(problem, errors)

    def as_start(self) -> Start:
        """Return the solution as a start."""
        return Start(self.beta, self.w, self.offset)

    def examined_if_finite(self, problem, tol: float) -> Self:
        """Return the solution examined, or zero examined if the solution overflowed."""
        parts = self.w, problem.weight * self.beta, self.offset
        if all(np.isfinite(one).all() for one in parts):
            examined = self.examined(problem, tol)
            if np.isfinite(examined.certificate.primal):
                return examined
        return self.at_start(problem, None, tol).examined(problem, tol)

    def examined(self, problem, tol: float, kept=None, offset_error: float = 0.0) -> Self:
        """Return the solution as it is kept, with a certificate that includes rounding.

        ``kept`` is the element in extended precision, if ``w`` is only its rounding, which
        changes the intercept by no more than ``offset_error``.
        """
        if problem.loss.counts_shares:
            self = self._settled_as_kept(problem)
        w, offset, stretched = self.w, self.offset, 1.0
        kept = w if kept is None else kept
        for attempt in range(MAX_STRETCHES + 1):
            intercept = problem.design.offset_outside(kept, offset)
            offset, error = problem.design.offset_within(kept, intercept)
            options = {"tol": tol, "offset_error": error + offset_error}
            options["tangent"] = tangent = self.tangent
            result = examine_kept(problem, w, offset, self.beta, **options)
            low = problem.loss.kink
            least = result.least_margin / low if problem.has_hard_margin else 1.0
            is_kept = not 0 < least < 1
            if is_kept or attempt == MAX_STRETCHES:
                break
            # Rounding again may reduce the margins by as much again.
            stretch = 1.0 / max(least - result.margin_error / low, 0.5)
            w, kept, offset = stretch * w, stretch * kept, stretch * offset
            stretched *= stretch
        if problem.is_curved and not result.certificate.relative <= tol:
            # The rounding of the margins need not enter the forces.
            options["tangent"] = self.margins if tangent is None else None
            other = examine_kept(problem, w, offset, self.beta, **options)
            if other.certificate.gap < result.certificate.gap:
                result, tangent = other, options["tangent"]
        return replace(
            self,
            **result.point._asdict(),
            beta=result.beta,
            certificate=result.certificate,
            converged=bool(result.certificate.relative <= tol),
            intercept=intercept,
            tangent=tangent,
            stretch=stretched,
        )
