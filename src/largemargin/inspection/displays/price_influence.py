"""The cross-validated score of an estimator over one of its prices."""

from numbers import Real
from typing import Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from largemargin.estimators.table import search_for
from largemargin.inspection.displays.axes import LEGEND, begin, style


class PriceInfluenceDisplay:
    """Score over one price, with the others fixed, as in Figure 3 of the paper.

    Create it with ``from_estimator`` or ``from_search``.

    Parameters
    ----------
    price : str
        The parameter that varies.
    values : list
        Its values.
    means, deviations : ndarray of shape (n_values,)
        Mean and standard deviation of the score over the folds, for each value.
    score_name : str, default="accuracy"
        Name of the score.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, matplotlib Figure
        The axes with the curve, and their figure.
    line_ : matplotlib Line2D
        The curve of the means.
    """

    def __init__(self, price: str, values, means, deviations, *, score_name="accuracy"):
        self.price = price
        self.values = values
        self.means = means
        self.deviations = deviations
        self.score_name = score_name

    @classmethod
    def from_search(cls, search, price: str, **options) -> Self:
        """Draw the scores of a fitted search, all parameters but one at their best values.

        Parameters
        ----------
        search : search of this library or GridSearchCV
            Fitted, such as an LDMClassifierCV.
        price : str
            The parameter that varies, such as ``"lambda_var"``.
        **options : dict
            Passed to ``plot``, such as ``ax`` and ``name``.
        """
        check_is_fitted(search)
        best = search.best_params_
        if price not in best:
            raise ValueError(
                f"price must be one that was searched, {', '.join(sorted(best))}; got "
                f"{price!r}."
            )
        results = search.cv_results_
        chosen = [
            k
            for k, point in enumerate(results["params"])
            if price in point and point | {price: best[price]} == best
        ]
        scoring = search.scoring or ("R2" if is_regressor(search) else "accuracy")
        return cls(
            price,
            [results["params"][k][price] for k in chosen],
            results["mean_test_score"][chosen],
            results["std_test_score"][chosen],
            score_name=str(getattr(scoring, "__name__", scoring)).replace("_", " "),
        ).plot(**options)

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y,
        *,
        price: str,
        values,
        cv=None,
        scoring=None,
        sample_weight=None,
        n_jobs: int | None = None,
        **options,
    ) -> Self:
        """Cross-validate an estimator over one price and draw its scores.

        Parameters
        ----------
        estimator : classifier or regressor of this library
            One that has a search, such as an LDMClassifier. The other parameters stay as
            they are. It need not be fitted.
        X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
            Rows, and their labels or values; ``X`` may be a sparse matrix.
        price : str
            The parameter that varies.
        values : array-like
            Its values.
        cv, scoring, n_jobs : int or splitter, str or callable, int, default=None
            Folds, scorer and number of threads, as in :class:`LDMClassifierCV`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **options : dict
            Passed to ``plot``, such as ``ax`` and ``name``.
        """
        kind = search_for(estimator)
        if kind is None:
            raise TypeError(
                "from_estimator takes an estimator that this library can search, such as "
                f"an LDMClassifier; got {type(estimator).__name__}. Use from_search with "
                "a GridSearchCV."
            )
        search = kind.around(estimator, **{price: values})
        search.set_params(cv=cv, scoring=scoring, n_jobs=n_jobs, refit=False)
        search.fit(X, y, sample_weight)
        return cls.from_search(search, price, **options)

    def plot(self, ax=None, *, name: str | None = None, **kw) -> Self:
        """Draw the mean score over the values, with a band of one standard deviation.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure. A second display on the same axes
            gets another line style.
        name : str, default=None
            Name in the legend; None leaves the legend out.
        **kw : dict
            Passed to ``matplotlib.pyplot.plot``.
        """
        self.ax_, self.figure_ = begin(ax)
        options = {**style(len(self.ax_.lines), marked=True), "label": name, **kw}
        # Grids are geometric and may hold zero and words, so values are equally spaced.
        places = np.arange(len(self.values))
        (self.line_,) = self.ax_.plot(places, self.means, **options)
        low, high = self.means - self.deviations, self.means + self.deviations
        self.ax_.fill_between(
            places, low, high, color=self.line_.get_color(), alpha=0.12, linewidth=0
        )
        self.ax_.set_xticks(places, labels(self.values))
        self.ax_.set(xlabel=self.price, ylabel=f"{self.score_name}, mean over the folds")
        if name is not None:
            self.ax_.legend(**LEGEND)
        return self


def labels(values):
    """Return short labels for the values of a grid, powers of two as such."""
    numbers = [one for one in values if isinstance(one, Real) and np.isfinite(one)]
    powers = np.log2([one for one in numbers if one > 0])
    as_powers = len(powers) > 2 and np.all(powers == np.round(powers))
    shown = []
    for value in values:
        if value not in numbers:
            shown.append(str(value).replace("*", " "))
        elif as_powers and value > 0:
            shown.append(f"$2^{{{round(np.log2(value))}}}$")
        else:
            shown.append(f"{value:.3g}")
    return shown
