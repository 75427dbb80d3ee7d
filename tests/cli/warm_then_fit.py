"""Warm up, fit larger models, print what was compiled; run by test_process.py."""

import sys

import numpy as np
import scipy.sparse as sp
from numba import types

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LDMRegressor,
    LinearLDMClassifier,
    LinearLDMRegressor,
    OneClassLDM,
)
from largemargin.cli import warm_up
from largemargin.kernels import gram
from largemargin.numerics.jit import Loop

SVM = {"C": 1.0, "loss": "hinge", "lambda_var": 0.0, "lambda_mean": 0.0}
HINGE = {**SVM, "lambda_var": "scale", "lambda_mean": "scale"}
KINDS = (
    {},
    SVM,
    HINGE,
    {**HINGE, "lambda_var": 0.1},
    {**SVM, "loss": "squared_hinge"},
    {**HINGE, "loss": "squared_hinge"},
)
VALUE_KINDS = (
    {},
    {"lambda_var": 0.0, "lambda_square": 0.0},
    {"C": 1.0, "lambda_square": 0.1},
    {"loss": "quantile", "quantile": [0.1, 0.9]},
)


def signatures():
    """Return every compiled function of the library with the types it is compiled for."""
    modules = [module for name, module in sys.modules.items() if "largemargin" in name]
    values = {id(value): value for module in modules for value in vars(module).values()}
    loops = [value for value in values.values() if isinstance(value, Loop)]
    return {
        (loop.__qualname__, signature)
        for loop in loops
        if loop.compiled is not None
        for signature in loop.compiled.nopython_signatures
    }


def is_simple(kind):
    """Return whether a type is a number, None or a tuple of these."""
    if isinstance(kind, types.UniTuple | types.Tuple):
        return all(map(is_simple, kind))
    return isinstance(kind, types.Number | types.Boolean | types.NoneType)


def main():
    """Warm up and fit."""
    warm_up.read_some_text()
    warm_up.multiply_some_vectors()
    for machine, X, y in warm_up.warming_fits():
        machine.fit(X, y).predict(X)
    before = signatures()
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    narrow = rng.normal(size=(500, 6))
    wide = sp.random(500, 2500, 0.01, format="csr", random_state=0)
    for dtype in (np.float64, np.float32):
        for X in (
            narrow.astype(dtype),
            sp.csr_matrix(narrow, dtype=dtype),
            wide.astype(dtype),
        ):
            for options in KINDS:
                LinearLDMClassifier(max_iter=5, **options).fit(X, y)
                LDMClassifier(max_iter=5, **options).fit(X, y)
            values = y + rng.normal(size=500)
            for options in VALUE_KINDS:
                LinearLDMRegressor(max_iter=5, **options).fit(X, values)
                LDMRegressor(max_iter=5, **options).fit(X, values)
            for kernel in "rbf", "linear":
                OneClassLDM(kernel=kernel, max_iter=5).fit(X)
    LDMClassifierCV(Cs=[1.0], cv=2).fit(narrow, y)
    gram.MAX_WIDE_ROWS = 100  # as if there were many
    LDMClassifier(max_iter=5, **SVM).fit(narrow, y)
    after = signatures()
    odd = {name for name, signature in after if not is_simple(signature.return_type)}
    print("compiled since:", sorted({name for name, _ in after - before}))
    print("returning arrays:", sorted(odd))


if __name__ == "__main__":
    main()
