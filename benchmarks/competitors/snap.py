"""Snap ML's linear SVM."""

import os
from dataclasses import dataclass

from benchmarks.competitors.base import Competitor, imported


@dataclass(frozen=True)
class SnapSVM(Competitor):
    """``snapml.SupportVectorMachine`` on all cores, for a number of epochs."""

    C: float
    epochs: int
    name = "snapml"

    def machine(self, X):
        """Return the estimator."""
        return imported("snapml", "snapml").SupportVectorMachine(
            loss="hinge",
            regularizer=1.0 / self.C,
            max_iter=self.epochs,
            tol=1e-12,
            fit_intercept=False,
            n_jobs=os.cpu_count(),
            random_state=0,
        )
