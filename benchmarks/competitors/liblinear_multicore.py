"""The parallel version of LIBLINEAR, by its authors."""

import os
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from benchmarks.competitors.base import Competitor, imported


def library():
    """Return the module, which wants rows in a form of its own."""
    return imported("liblinear.liblinearutil", "liblinear-multicore")


def converted(X, y):
    """Return rows in LIBLINEAR's form: loading, which is not measured."""
    return library().problem(y, X)


@dataclass(frozen=True)
class MulticoreSVM(Competitor):
    """Dual coordinate descent on all cores until a tolerance of ``1 / effort``."""

    C: float
    effort: int
    problem: object
    name = "liblinear-multicore"

    def fit(self, X, y):
        """Return the fitted weights; their sign is that of the first label seen."""
        options = f"-s 3 -c {self.C} -e {1 / self.effort} -B -1 -m {os.cpu_count()} -q"
        model = library().train(self.problem, options)
        weights = np.array(model.get_decfun(label_idx=0)[0])
        return SimpleNamespace(coef_=weights[None] * model.get_labels()[0])
