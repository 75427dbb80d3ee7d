"""Fits that compile all loops, so that compilation does not count for deadlines."""

from dataclasses import replace

import numpy as np

from fuzz.machines import fit
from fuzz.problems import STORAGES, draw, store

# Fewer rows would not be swept over, or not be solved in pairs.
MANY_ROWS, SOME_ROWS = 310, 110


def warm_up(machines):
    """Fit machines on dense and sparse rows and by each path through the solvers.

    All kernels make Gram matrices, on which the same loops run: one of them is enough.
    """
    for storage in STORAGES:
        for lambdas in 0.0, "scale":
            for machine in machines:
                if machine.kernel == "linear":
                    fit(machine, easy_problem(MANY_ROWS, storage, lambdas))
                elif machine.kernel == "rbf" and storage == "dense":
                    fit(machine, easy_problem(SOME_ROWS, storage, lambdas))


def easy_problem(n_rows, storage, lambdas):
    """Return a problem that every machine solves at once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)
    prices = {"C": 1.0, "fit_intercept": True, "class_weight": None, "multi_class": "ovo"}
    return replace(
        draw(0, 0),
        X=store(X, storage),
        y=y,
        sample_weight=np.ones(n_rows),
        values=X[:, 0] + 0.5 * rng.normal(size=n_rows),
        regression={
            "C": 1.0,
            "epsilon": 0.1,
            "lambda_var": lambdas,
            "lambda_square": lambdas,
            "quantile": 0.5,
            "fit_intercept": True,
        },
        one_class={"nu": 0.3, "lambda_var": lambdas, "lambda_mean": lambdas},
        prices=prices | {"lambda_var": lambdas, "lambda_mean": lambdas},
        common={"tol": 1e-2, "max_iter": None, "random_state": 0},
    )
