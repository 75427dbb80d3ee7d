"""Pictures of margins, prices and convergence, in the form of scikit-learn's displays.

Lines differ in style and marks, not in colour alone.
"""

from collections.abc import Mapping
from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
)
from largemargin.layers import machine_of
from largemargin.margins import margin_distribution

STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
SHADES = ("black", "tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple")
MARKS = ("o", "s", "^", "D", "v", "x")
# On white, so that a legend can be read across a curve.
LEGEND = {"loc": "best", "framealpha": 0.9, "edgecolor": "none"}
SEARCHES = {LDMClassifier: LDMClassifierCV, LinearLDMClassifier: LinearLDMClassifierCV}


def begin(ax):
    """Return axes to draw on, and their figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Displays need matplotlib: pip install 'largemargin[plot]'."
        ) from None
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    return ax, ax.figure


def style(number, marked=False):
    """Return how the line of this number looks."""
    marks = {"marker": MARKS[number % len(MARKS)], "markersize": 5} if marked else {}
    return {
        "linestyle": STYLES[number % len(STYLES)],
        "color": SHADES[number % len(SHADES)],
        **marks,
    }


class MarginDistributionDisplay:
    """Cumulative margin distributions, the paper's Figure 1.

    Use ``from_estimator`` or ``from_estimators`` to make one.

    Parameters
    ----------
    distributions : dict of str to MarginDistribution
        What to draw, by name.

    normalise : bool, default=False
        Whether margins are divided by ``|w|``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curves.

    figure_ : matplotlib Figure
        Figure with the axes.

    lines_ : list of matplotlib Line2D
        The curves.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier, MarginDistributionDisplay
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> svm = LDMClassifier(lambda_var=0, lambda_mean=0).fit(X, y)
    >>> ldm = LDMClassifier().fit(X, y)
    >>> display = MarginDistributionDisplay.from_estimators({"SVM": svm, "LDM": ldm}, X, y)
    >>> len(display.lines_)
    2
    """

    def __init__(self, distributions, *, normalise=False):
        self.distributions = distributions
        self.normalise = normalise

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name=None, **options):
        """Draw the margins of one classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``decision_function``.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,)
            Their labels.

        name : str, default=None
            Name in the legend; None means the class of the estimator.

        **options : dict
            As in ``from_estimators``.

        Returns
        -------
        display : MarginDistributionDisplay
            What was drawn.
        """
        name = type(machine_of(estimator)).__name__ if name is None else name
        return cls.from_estimators({name: estimator}, X, y, **options)

    @classmethod
    def from_estimators(
        cls, estimators, X, y, *, sample_weight=None, normalise=False, ax=None, **kw
    ):
        """Draw the margins of several classifiers in one picture.

        Parameters
        ----------
        estimators : dict of str to classifier, or sequence of classifiers
            Fitted, with ``decision_function``.

        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        y : array-like of shape (n_samples,)
            Their labels.

        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.

        normalise : bool, default=False
            Whether to divide margins by ``|w|``, which makes machines comparable.

        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        **kw : dict
            For ``matplotlib.pyplot.step``.

        Returns
        -------
        display : MarginDistributionDisplay
            What was drawn.
        """
        if not isinstance(estimators, Mapping):
            estimators = {
                f"{number}: {type(machine_of(estimator)).__name__}": estimator
                for number, estimator in enumerate(estimators, start=1)
            }
        distributions = {
            name: margin_distribution(estimator, X, y, sample_weight)
            for name, estimator in estimators.items()
        }
        if normalise:
            for name, distribution in distributions.items():
                if distribution.lengths is None:
                    raise ValueError(
                        f"|w| is not known for {name!r}, so its margins cannot be "
                        "normalised: that needs an estimator of largemargin, or coef_."
                    )
        return cls(distributions, normalise=normalise).plot(ax=ax, **kw)

    def plot(self, ax=None, **kw):
        """Draw the cumulative distributions.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        **kw : dict
            For ``matplotlib.pyplot.step``.

        Returns
        -------
        display : MarginDistributionDisplay
            This display.
        """
        self.ax_, self.figure_ = begin(ax)
        self.ax_.axvline(0, color="0.7", linewidth=1, zorder=0)
        self.lines_ = []
        for number, (name, found) in enumerate(self.distributions.items()):
            shown = found.normalised_distribution() if self.normalise else found
            label = f"{name}: mean {shown.mean:.3g}, variance {shown.variance:.3g}"
            options = {**style(number), "label": label, "where": "post", **kw}
            self.lines_ += self.ax_.step(*shown.cumulative(), **options)
        self.ax_.set(
            xlabel="margin / |w|" if self.normalise else "margin",
            ylabel="share of rows with at most this margin",
            ylim=(-0.02, 1.02),
        )
        self.ax_.legend(**LEGEND)
        return self


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
        kind = SEARCHES.get(type(estimator))
        if kind is None:
            raise TypeError(
                "from_estimator takes an LDMClassifier or a LinearLDMClassifier; got "
                f"{type(estimator).__name__}. Use from_search with a GridSearchCV."
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


class ConvergenceDisplay:
    """The duality gap of a fit over its steps or seconds.

    Use ``from_estimator`` to make one.

    Parameters
    ----------
    histories : dict of str to dict
        ``duality_gap`` and ``seconds`` after each step, by name.

    tol : float or None, default=None
        The gap that was asked for.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curves.

    figure_ : matplotlib Figure
        Figure with the axes.

    lines_ : list of matplotlib Line2D
        The curves.
    """

    def __init__(self, histories, *, tol=None):
        self.histories = histories
        self.tol = tol

    @classmethod
    def from_estimator(cls, estimator, *, name=None, x="step", ax=None, **kw):
        """Draw the history of a fitted machine, a curve for each of its classes.

        Parameters
        ----------
        estimator : LDMClassifier or LinearLDMClassifier
            Fitted; also at the end of a pipeline or a search.

        name : str, default=None
            Name in the legend; None means the class of the estimator.

        x : {"step", "seconds"}, default="step"
            What the gap is drawn over.

        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        **kw : dict
            For ``matplotlib.pyplot.plot``.

        Returns
        -------
        display : ConvergenceDisplay
            What was drawn.
        """
        check_is_fitted(estimator)
        machine = machine_of(estimator)
        if not hasattr(machine, "history_"):
            raise TypeError(
                "ConvergenceDisplay needs an estimator with history_; got "
                f"{type(machine).__name__}."
            )
        name = type(machine).__name__ if name is None else name
        histories = {name: machine.history_}
        if isinstance(machine.history_, list):
            histories = {
                f"{name}, class {label}": history
                for label, history in zip(machine.classes_, machine.history_, strict=True)
            }
        return cls(histories, tol=machine.tol).plot(x=x, ax=ax, **kw)

    def plot(self, ax=None, *, x="step", **kw):
        """Draw the gaps on a logarithmic axis.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        x : {"step", "seconds"}, default="step"
            What the gap is drawn over.

        **kw : dict
            For ``matplotlib.pyplot.plot``.

        Returns
        -------
        display : ConvergenceDisplay
            This display.
        """
        if x not in ("step", "seconds"):
            raise ValueError(f"x must be 'step' or 'seconds'; got {x!r}.")
        self.ax_, self.figure_ = begin(ax)
        self.lines_ = []
        for number, (name, history) in enumerate(self.histories.items()):
            gaps = np.array(history["duality_gap"], dtype=float)
            steps = np.arange(1, len(gaps) + 1)
            places = steps if x == "step" else np.array(history["seconds"])
            shown = np.isfinite(gaps) & (gaps > 0)
            options = {**style(number, marked=True), "label": name, **kw}
            self.lines_ += self.ax_.plot(places[shown], gaps[shown], **options)
        if self.tol is not None:
            self.ax_.axhline(self.tol, color="0.6", linewidth=1, zorder=0, label="tol")
        self.ax_.set(xlabel=x, ylabel="relative duality gap", yscale="log")
        self.ax_.xaxis.get_major_locator().set_params(integer=x == "step")
        self.ax_.legend(**LEGEND)
        return self
