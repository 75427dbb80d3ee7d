"""What a solver returns, and how it tells of its progress."""

import logging
import time
from dataclasses import dataclass, field, replace

import numpy as np

from largemargin.certificate import Certificate

logger = logging.getLogger("largemargin")


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

    def check(self):
        """Give whoever watches the run a chance to stop it."""
        if self.on_step is not None:
            self.on_step()


@dataclass
class Solution:
    """The best point found, its dual variables per unit of weight, its certificate."""

    w: np.ndarray
    offset: float
    scores: np.ndarray
    margins: np.ndarray
    beta: np.ndarray
    certificate: Certificate
    n_iter: int
    converged: bool

    @classmethod
    def of(cls, problem, point, beta, certificate, n_iter, tol):
        """Return a point as a solution, stretched to the margins that it must keep."""
        stretch = problem.stretch(point.margins)
        return cls(
            stretch * point.w,
            stretch * point.offset,
            stretch * point.scores,
            stretch * point.margins,
            beta,
            certificate,
            max(n_iter, 1),
            bool(certificate.relative <= tol),
        )
