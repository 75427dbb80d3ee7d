"""Estimators: validate, pose the problem, keep the solution, predict."""

from largemargin.estimators.kernel import LDMClassifier
from largemargin.estimators.linear import LinearLDMClassifier
from largemargin.estimators.selection import LDMClassifierCV, LinearLDMClassifierCV

__all__ = [
    "LDMClassifier",
    "LDMClassifierCV",
    "LinearLDMClassifier",
    "LinearLDMClassifierCV",
]
