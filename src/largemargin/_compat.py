"""The only file that imports private names of scikit-learn."""

from collections.abc import Callable
from typing import TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import _safe_split as safe_split
from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "Interval",
    "StrOptions",
    "available_if",
    "check_sample_weight",
    "fit_context",
    "safe_split",
]

FitMethod = TypeVar("FitMethod", bound=Callable)


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[FitMethod], FitMethod]:
    """Return scikit-learn's decorator of fits, which does not change their types."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def available_if(check: Callable) -> Callable[[FitMethod], FitMethod]:
    """Return scikit-learn's decorator of methods that exist if a check says so."""
    return _available_if(check)
