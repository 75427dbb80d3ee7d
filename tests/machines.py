"""Machines with a fixed loss, fixed prices and a fixed width, for tests of everything else.

They have the same parameters whatever the defaults of the library are.
"""

from largemargin import LDMClassifier, LinearLDMClassifier

LOSS_AND_LAMBDAS = {"loss": "hinge", "lambda_var": "scale", "lambda_mean": "scale"}


def fixed_ldm(C=1.0, *, gamma="scale", **options):
    """Return a machine with a kernel; ``options`` are parameters that differ."""
    return LDMClassifier(C, gamma=gamma, **{**LOSS_AND_LAMBDAS, **options})


def fixed_linear_ldm(C=1.0, **options):
    """Return a machine without a kernel; ``options`` are parameters that differ."""
    return LinearLDMClassifier(C, **{**LOSS_AND_LAMBDAS, **options})


def fixed_regressor(kind, C=1.0, **options):
    """Return a regressor; ``options`` are parameters that differ."""
    usual = {"epsilon": 0.1, "lambda_var": 0.5, "lambda_square": 0.3, "gamma": 0.3}
    known = kind().get_params()
    given = {key: value for key, value in usual.items() if key in known}
    return kind(C, **{**given, **options})
