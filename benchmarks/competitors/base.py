"""What competitors share: an estimator with its settings, fitted without warnings."""

import warnings

from sklearn.exceptions import ConvergenceWarning


class Competitor:
    """An estimator ready to be fitted; subclasses are records of its settings."""

    name: str

    def machine(self, X):
        """Return the estimator, not yet fitted, for these rows."""
        raise NotImplementedError

    def fit(self, X, y):
        """Return the fitted estimator."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self.machine(X).fit(X, y)
