"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

from largemargin.estimators import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
)

__version__ = "0.1.0"

__all__ = [
    "LDMClassifier",
    "LDMClassifierCV",
    "LinearLDMClassifier",
    "LinearLDMClassifierCV",
]
