"""Margin distributions of several classifiers in one picture."""

from collections.abc import Mapping
from typing import Self

from largemargin.estimators.nesting import innermost
from largemargin.inspection.displays.axes import LEGEND, begin, style
from largemargin.inspection.margins import MarginDistribution, margin_distribution


class MarginDistributionDisplay:
    """Cumulative margin distributions, as in Figure 1 of the paper.

    Create it with ``from_estimator`` or ``from_estimators``.

    Parameters
    ----------
    distributions : dict of str to MarginDistribution
        The distributions to draw, by their names in the legend.
    normalise : bool, default=False
        Whether to divide margins by ``|w|``, which makes classifiers comparable.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, matplotlib Figure
        The axes with the curves, and their figure.
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

    def __init__(self, distributions: dict[str, MarginDistribution], *, normalise=False):
        self.distributions = distributions
        self.normalise = normalise

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name: str | None = None, **options) -> Self:
        """Draw the margins of one classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``decision_function``; also a pipeline or a search.
        X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
            Rows and their labels; ``X`` may be a sparse matrix.
        name : str, default=None
            Name in the legend; None means the class of the estimator.
        **options : dict
            Passed to ``from_estimators``.
        """
        name = type(innermost(estimator)).__name__ if name is None else name
        return cls.from_estimators({name: estimator}, X, y, **options)

    @classmethod
    def from_estimators(
        cls, estimators, X, y, *, sample_weight=None, normalise: bool = False, **options
    ) -> Self:
        """Draw the margins of several classifiers in one picture.

        Parameters
        ----------
        estimators : dict of str to classifier, or sequence of classifiers
            Fitted, with ``decision_function``; also pipelines or searches.
        X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
            Rows and their labels; ``X`` may be a sparse matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        normalise : bool, default=False
            Whether to divide margins by ``|w|``, which makes classifiers comparable.
        **options : dict
            Passed to ``plot``, such as ``ax``.
        """
        if not isinstance(estimators, Mapping):
            estimators = {
                f"{number}: {type(innermost(estimator)).__name__}": estimator
                for number, estimator in enumerate(estimators, start=1)
            }
        distributions = {
            name: margin_distribution(estimator, X, y, sample_weight)
            for name, estimator in estimators.items()
        }
        for name, distribution in distributions.items():
            if normalise and distribution.lengths is None:
                raise ValueError(
                    f"|w| is not known for {name!r}, so its margins cannot be "
                    "normalised: that needs an estimator of largemargin, or coef_."
                )
        return cls(distributions, normalise=normalise).plot(**options)

    def plot(self, ax=None, **kw) -> Self:
        """Draw the cumulative distributions.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kw : dict
            Passed to ``matplotlib.pyplot.step``.
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
