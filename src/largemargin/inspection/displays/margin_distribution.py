"""Margin distributions of several classifiers in one picture."""

from typing import Self

from largemargin.inspection.displays.cumulative import (
    CumulativeDisplay,
    distributions_of,
    name_of,
)
from largemargin.inspection.margins import MarginDistribution, margin_distribution


class MarginDistributionDisplay(CumulativeDisplay):
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

    _noun = "margin"

    def __init__(self, distributions: dict[str, MarginDistribution], *, normalise=False):
        super().__init__(distributions)
        self.normalise = normalise

    @classmethod
    def from_estimator(
        cls, estimator, X, y=None, *, name: str | None = None, **options
    ) -> Self:
        """Draw the margins of one classifier or machine of one class.

        Parameters
        ----------
        estimator : classifier or outlier detector
            Fitted, with ``decision_function``; also a pipeline or a search.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Labels of the rows, which an outlier detector does not need.
        name : str, default=None
            Name in the legend; None means the class of the estimator.
        **options : dict
            Passed to ``from_estimators``.
        """
        return cls.from_estimators({name or name_of(estimator): estimator}, X, y, **options)

    @classmethod
    def from_estimators(
        cls, estimators, X, y=None, *, sample_weight=None, normalise=False, **options
    ) -> Self:
        """Draw the margins of several models in one picture.

        Parameters
        ----------
        estimators : dict of str to estimator, or sequence of estimators
            Fitted classifiers or outlier detectors; also pipelines or searches.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Labels of the rows, which outlier detectors do not need.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        normalise : bool, default=False
            Whether to divide margins by ``|w|``, which makes classifiers comparable.
        **options : dict
            Passed to ``plot``, such as ``ax``.
        """
        distributions = distributions_of(
            estimators, lambda one: margin_distribution(one, X, y, sample_weight)
        )
        for name, distribution in distributions.items():
            if normalise and distribution.lengths is None:
                raise ValueError(
                    f"|w| is not known for {name!r}, so its margins cannot be "
                    "normalised: that needs an estimator of largemargin, or coef_."
                )
        return cls(distributions, normalise=normalise).plot(**options)

    def _shown(self, distribution):
        return distribution.normalised_distribution() if self.normalise else distribution

    def _label(self, name, shown):
        return f"{name}: mean {shown.mean:.3g}, variance {shown.variance:.3g}"

    @property
    def _axis(self):
        return "margin / |w|" if self.normalise else "margin"
