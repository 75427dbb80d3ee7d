"""Estimators: validate, pose the problem, keep the solution, predict."""

from largemargin.estimators.kernel import LDMClassifier
from largemargin.estimators.linear import LinearLDMClassifier

__all__ = ["LDMClassifier", "LinearLDMClassifier"]
