"""Machines with a hinge, a fixed price and a fixed width, for tests of everything else.

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
