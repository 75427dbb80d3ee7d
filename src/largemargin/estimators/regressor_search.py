"""What searches for the parameters of regressors have besides those of classifiers."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from largemargin.estimators.documentation import described_like
from largemargin.estimators.grids import QUANTILE_GRIDS, VALUE_GRIDS
from largemargin.estimators.keywords import INSTEAD_FOR_VALUES
from largemargin.estimators.regression import MarginRegressor
from largemargin.estimators.search import MachineSearch, has_best_estimator


class RegressorSearch(RegressorMixin, MachineSearch):
    """A search for the parameters of a regressor."""

    _instead = INSTEAD_FOR_VALUES
    _named_grids = VALUE_GRIDS
    _unseen = "unseen_predictions_"

    @available_if(has_best_estimator)
    @described_like(MarginRegressor.predict)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the value of each row.

        Parameters
        ----------
        X

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The values, by the best estimator.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @property
    def _is_quantile(self):
        return self.loss == "quantile"

    def _default_values(self, plural, X, sample_weight):
        if self._is_quantile and plural in QUANTILE_GRIDS:
            return QUANTILE_GRIDS[plural]
        return super()._default_values(plural, X, sample_weight)

    def _points(self, machine, X, sample_weight):
        if self._is_quantile and np.ndim(self.quantile) > 0:
            raise ValueError(
                f"{type(self).__name__} searches for one quantile at a time, because each "
                f"has a best point of its own; got quantile={self.quantile!r}. Fit one "
                "search per quantile."
            )
        return super()._points(machine, X, sample_weight)

    def _settle(self, y, best):
        if self._unseen in vars(self):
            vars(self)[self._unseen] = vars(self)[self._unseen].reshape(y.shape)
