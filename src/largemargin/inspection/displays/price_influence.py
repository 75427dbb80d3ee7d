"""The score of a machine over one of its prices."""

from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from largemargin.estimators.table import search_for
from largemargin.inspection.displays.axes import LEGEND, begin, style


class PriceInfluenceDisplay:
    """Score over one price, the others fixed, the paper's Figure 3.

    Use ``from_estimator`` or ``from_search`` to make one.

    Parameters
    ----------
    price : str
        Which parameter varies.

    values : list
        Its values.

    means, deviations : ndarray of shape (n_values,)
        Of the scores over the folds.

    score_name : str, default="accuracy"
        What was scored.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.

    figure_ : matplotlib Figure
        Figure with the axes.

    line_ : matplotlib Line2D
        The curve of the means.
    """

    def __init__(self, price, values, means, deviations, *, score_name="accuracy"):
        self.price = price
        self.values = values
        self.means = means
        self.deviations = deviations
        self.score_name = score_name

    @classmethod
    def from_search(cls, search, price, *, name=None, ax=None, **kw):
        """Draw a fitted search: all parameters but one at their best values.

        Parameters
        ----------
        search : LDMClassifierCV, LinearLDMClassifierCV or GridSearchCV
            Fitted.

        price : str
            The parameter to vary, such as ``"lambda_var"``.

        name : str, default=None
            Name in the legend.

        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        **kw : dict
            For ``matplotlib.pyplot.plot``.

        Returns
        -------
        display : PriceInfluenceDisplay
            What was drawn.
        """
        check_is_fitted(search)
        best = search.best_params_
        if price not in best:
            raise ValueError(
                f"price must be one that was searched, {', '.join(sorted(best))}; got "
                f"{price!r}."
            )
        results = search.cv_results_
        others = {key: value for key, value in best.items() if key != price}
        chosen = [
            k
            for k, point in enumerate(results["params"])
            if all(point[key] == value for key, value in others.items())
        ]
        scoring = search.scoring or "accuracy"
        score_name = str(getattr(scoring, "__name__", scoring)).replace("_", " ")
        return cls(
            price,
            [results["params"][k][price] for k in chosen],
            results["mean_test_score"][chosen],
            results["std_test_score"][chosen],
            score_name=score_name,
        ).plot(name=name, ax=ax, **kw)

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y,
        *,
        price,
        values,
        cv=None,
        scoring=None,
        sample_weight=None,
        n_jobs=None,
        name=None,
        ax=None,
        **kw,
    ):
        """Cross-validate a machine over one price, the others its own, and draw that.

        Parameters
        ----------
        estimator : LDMClassifier or LinearLDMClassifier
            The machine; it is not fitted.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,)
            Their labels.

        price : {"C", "lambda_var", "lambda_mean", "gamma"}
            Which parameter to vary.

        values : array-like
            Its values.

        cv : int, splitter or iterable of splits, default=None
            As in scikit-learn.

        scoring : str or callable, default=None
            A scorer; None means accuracy.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        n_jobs : int, default=None
            Threads over the folds.

        name : str, default=None
            Name in the legend.

        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        **kw : dict
            For ``matplotlib.pyplot.plot``.

        Returns
        -------
        display : PriceInfluenceDisplay
            What was drawn.
        """
        kind = search_for(estimator)
        if kind is None:
            raise TypeError(
                "from_estimator takes a machine with a search of its own, such as an "
                f"LDMClassifier; got {type(estimator).__name__}. Use from_search with a "
                "GridSearchCV."
            )
        search = kind.around(estimator, **{price: values})
        search.set_params(cv=cv, scoring=scoring, n_jobs=n_jobs, refit=False)
        search.fit(X, y, sample_weight)
        return cls.from_search(search, price, name=name, ax=ax, **kw)

    def plot(self, ax=None, *, name=None, **kw):
        """Draw the mean score over the values, with a band of one standard deviation.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure. A second display on the same axes gets
            another line style.

        name : str, default=None
            Name in the legend.

        **kw : dict
            For ``matplotlib.pyplot.plot``.

        Returns
        -------
        display : PriceInfluenceDisplay
            This display.
        """
        self.ax_, self.figure_ = begin(ax)
        options = {**style(len(self.ax_.lines), marked=True), "label": name, **kw}
        # Grids are geometric, may hold zero and words: each value gets the same room.
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
    """Return the values of a grid as labels of a few letters."""
    numbers = [value for value in values if is_number(value) and value > 0]
    powers = np.log2(numbers)
    as_powers = len(numbers) > 2 and np.all(powers == np.round(powers))
    return [label(value, as_powers) for value in values]


def is_number(value):
    """Return whether a value of a grid is a finite number."""
    return isinstance(value, Real) and np.isfinite(value)


def label(value, as_power):
    """Return one value as a label, written as a power of two if that is asked for."""
    if not is_number(value):
        return str(value).replace("*", " ")
    if as_power and value > 0:
        return f"$2^{{{round(np.log2(value))}}}$"
    return f"{value:.3g}"
