"""A fit that lasts until it is interrupted; run by test_interrupt.py as a process."""

import sys
import time

import numpy as np

from largemargin import LDMClassifier, LDMClassifierCV, LinearLDMClassifier
from largemargin.kernels import gram

rng = np.random.default_rng(0)
FOREVER = {"C": 100, "tol": 1e-300, "max_iter": 10**6, "random_state": 0}
MACHINES = {
    "products": LDMClassifier(**FOREVER),
    "newton": LinearLDMClassifier(**FOREVER),
    "sweeps": LinearLDMClassifier(solver="dual_cd", **FOREVER),
    "threads": LinearLDMClassifier(solver="dual_cd", n_jobs=2, **FOREVER),
    "classes": LDMClassifier(multi_class="ovr", **FOREVER),
    "classes in threads": LDMClassifier(multi_class="ovr", n_jobs=2, **FOREVER),
    "search": LDMClassifierCV("wide", cv=3),
    "search in threads": LDMClassifierCV("wide", cv=3, n_jobs=2),
}
N_ROWS = {
    "products": 15_000,
    "newton": 800_000,
    "sweeps": 300_000,
    "threads": 20_000,
    "classes": 10_000,
    "classes in threads": 10_000,
    "search": 5000,
    "search in threads": 5000,
}


BINARY = "products", "newton", "sweeps", "search", "search in threads"


def main(name):
    """Warm up, say so, fit, and tell how an interrupt was taken."""
    # The few rows of the warm-up must compile the loops over float32 too: a compiler at
    # work is not to be interrupted.
    gram.MAX_WIDE_ROWS = 500
    machine = MACHINES[name]
    X = rng.normal(size=(N_ROWS[name], 40))
    y = rng.integers(2 if name in BINARY else 4, size=len(X))
    machine.set_params(max_iter=2).fit(X[:600], y[:600])
    machine.set_params(max_iter=10**6)
    before = dict(vars(machine))
    print("ready", flush=True)
    try:
        machine.fit(X, y)
    except KeyboardInterrupt as interrupt:
        print(time.time(), vars(machine) == before, interrupt, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
