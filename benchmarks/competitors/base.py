"""What competitors share: an estimator with its settings, fitted without warnings."""

import inspect
import warnings
from importlib import import_module

from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import Missing

# What estimators did before they had these parameters.
IMPLIED = {"loss": "hinge", "multi_class": "ovr"}


def accepted(estimator, **options):
    """Return the options for an estimator that may not have all of them.

    ``Missing`` is raised if it has no such parameter and does something else.
    """
    known = inspect.signature(estimator).parameters
    for name, value in options.items():
        if name not in known and value != IMPLIED[name]:
            raise Missing(f"{estimator.__name__} has no {name}={value!r}")
    return {name: value for name, value in options.items() if name in known}


def imported(module, package):
    """Return a module of an optional package; ``Missing`` is raised if it is not there."""
    try:
        return import_module(module)
    except ImportError:
        raise Missing(f"{package} is not installed") from None


class Competitor:
    """An estimator ready to be fitted; subclasses are records of its settings."""

    name: str

    def machine(self, X):
        """Return the estimator, not yet fitted, for these rows."""
        raise NotImplementedError

    def fit(self, X, y=None):
        """Return the fitted estimator; machines of one class have no ``y``."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self.machine(X).fit(X, y)
