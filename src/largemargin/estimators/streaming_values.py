"""Learning values from a stream of batches, with numbers as prices."""

from typing import Any, Self

import numpy as np

from largemargin._compat import available_if, fit_context
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import all_or_nothing
from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.regression import MarginRegressor
from largemargin.estimators.rows import validated_rows
from largemargin.estimators.streaming import Stream
from largemargin.estimators.value_tuning import epsilon_given
from largemargin.numerics.memory import check_width
from largemargin.numerics.quantiles import weighted_quantile


def has_numbers_as_prices(machine) -> bool:
    """Return True if all prices are numbers; raise if one is a word."""
    prices = {name: getattr(machine, name) for name in ("C", "lambda_var", "lambda_square")}
    if machine.loss != "quantile":
        prices["epsilon"] = epsilon_given(machine)
    words = [f"{name}={one!r}" for name, one in prices.items() if isinstance(one, str)]
    if words:
        raise ValueError(
            "partial_fit needs numbers as prices, because words refer to all rows, which a "
            f"stream has not seen; got {', '.join(words)}. Set numbers, such as "
            "the C_ and epsilon_ of a fit to some of the rows."
        )
    return True


class StreamingRegressor(MarginRegressor):
    """A linear regressor that can learn from one batch of rows after the other."""

    @available_if(has_numbers_as_prices)
    @fit_context(prefer_skip_nested_validation=True)
    @described_like(MarginRegressor.fit)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make one pass of averaged stochastic gradient descent over a batch.

        It exists if ``C``, ``epsilon`` and both lambdas are numbers. They refer to all
        rows seen so far, as in a fit. The variance of the residuals is estimated from pairs
        of rows in the same batch, so a batch should have at least a few tens of rows.
        Averaging begins with the second batch. The first batch determines the number of
        outputs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the batch.
        y, sample_weight

        Returns
        -------
        self : object
            The estimator.
        """
        with all_or_nothing(self):
            if np.isinf(self.C):
                raise ValueError("partial_fit needs a finite C; got C=inf. Use fit.")
            recipe = recipe_of(self)
            first = not hasattr(self, "coef_")
            rows = validated_rows(self, recipe.encoder, X, y, sample_weight, reset=first)
            check_width(rows.X.shape[1])
            has_columns, parts = recipe.encoder.encode(rows.labels, type(self).__name__)
            ((_, targets),) = parts
            if first:
                self._has_columns = has_columns
            elif (self._has_columns, len(self.coef_)) != (has_columns, len(targets)):
                raise ValueError(
                    "y must have as many columns, and quantile as many levels, as in the "
                    f"first batch, {len(self.coef_)}; got {len(targets)}."
                )
            problems = [recipe.pose(one, rows.weight, k) for k, one in enumerate(targets)]
            stream = Stream.of(self)
            if stream is None:
                stream = Stream.at(map(first_intercept, problems), rows.X.shape[1])
            stream.learn(self, rows, parts, lambda *one: recipe.pose(*one[:3]))
            stream.keep(self)
            recipe.keep(self, problems)
        return self


def first_intercept(problem) -> float:
    """Return the best intercept of a zero element, up to the price of squares.

    Values may be far from zero, and the descent would need many steps to get there.
    """
    if not problem.fit_intercept:
        return 0.0
    quantile = getattr(problem.loss, "quantile", 0.5)
    return weighted_quantile(problem.origin, problem.weight, quantile)
