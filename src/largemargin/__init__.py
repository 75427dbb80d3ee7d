"""Large margin distribution machines: exact, certified, scikit-learn compatible."""

from largemargin.estimators import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
)
from largemargin.leave_one_out import leave_one_out_bound, leave_one_out_error
from largemargin.margins import MarginDistribution, margin_distribution
from largemargin.plotting import (
    ConvergenceDisplay,
    MarginDistributionDisplay,
    PriceInfluenceDisplay,
)

__version__ = "0.1.0"

__all__ = [
    "ConvergenceDisplay",
    "LDMClassifier",
    "LDMClassifierCV",
    "LinearLDMClassifier",
    "LinearLDMClassifierCV",
    "MarginDistribution",
    "MarginDistributionDisplay",
    "PriceInfluenceDisplay",
    "leave_one_out_bound",
    "leave_one_out_error",
    "margin_distribution",
]
