"""Distributions of the residuals of several regressors in one picture."""

from typing import Self

from largemargin.inspection.displays.axes import LEGEND
from largemargin.inspection.displays.cumulative import (
    CumulativeDisplay,
    distributions_of,
    name_of,
)
from largemargin.inspection.residuals import ResidualDistribution, residual_distribution


class ResidualDistributionDisplay(CumulativeDisplay):
    """Cumulative distributions of residuals.

    The tube is drawn if it is the same for all curves. Dotted lines are at the shares of
    rows that should be below predicted quantiles.

    Create it with ``from_estimator`` or ``from_estimators``.

    Parameters
    ----------
    distributions : dict of str to ResidualDistribution
        The distributions to draw, by their names in the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, matplotlib Figure
        The axes with the curves, and their figure.
    lines_ : list of matplotlib Line2D
        The curves.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> from largemargin import LDMRegressor, ResidualDistributionDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LDMRegressor(C=50, epsilon=20).fit(scale(X), y)
    >>> display = ResidualDistributionDisplay.from_estimator(model, scale(X), y)
    >>> len(display.lines_)
    1
    """

    _noun = "residual"
    distributions: dict[str, ResidualDistribution]

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name: str | None = None, **options) -> Self:
        """Draw the residuals of one regressor, a curve for each output or quantile.

        Parameters
        ----------
        estimator : regressor
            Fitted; also a pipeline or a search.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Values of the rows.
        name : str, default=None
            Name in the legend; None means the class of the estimator.
        **options : dict
            Passed to ``from_estimators``.
        """
        return cls.from_estimators({name or name_of(estimator): estimator}, X, y, **options)

    @classmethod
    def from_estimators(cls, estimators, X, y, *, sample_weight=None, **options) -> Self:
        """Draw the residuals of several regressors in one picture.

        Parameters
        ----------
        estimators : dict of str to regressor, or sequence of regressors
            Fitted; also pipelines or searches.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Values of the rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **options : dict
            Passed to ``plot``, such as ``ax``.
        """
        found = distributions_of(
            estimators, lambda one: residual_distribution(one, X, y, sample_weight)
        )
        return cls(one_by_one(found)).plot(**options)

    def plot(self, ax=None, **kw) -> Self:
        """Draw the cumulative distributions.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kw : dict
            Passed to ``matplotlib.pyplot.step``.
        """
        super().plot(ax, **kw)
        for one in self.distributions.values():
            if one.quantile is not None:
                self.ax_.axhline(
                    one.quantile, color="0.7", linewidth=1, linestyle=":", zorder=0
                )
        tubes = {one.epsilon for one in self.distributions.values()}
        epsilon = tubes.pop() if len(tubes) == 1 else None
        if epsilon is not None:
            self.ax_.axvspan(-epsilon, epsilon, color="0.9", zorder=-1, label="tube")
            self.ax_.legend(**LEGEND)
        return self

    def _label(self, name, shown):
        if shown.quantile is not None:
            return f"{name}: {100 * shown.below:.3g} % below"
        return f"{name}: R2 {shown.r2:.3g}, MAE {shown.mean_absolute_error:.3g}"


def one_by_one(distributions):
    """Return distributions by name, those of several outputs or quantiles one by one."""
    named = {}
    for name, found in distributions.items():
        if isinstance(found, ResidualDistribution):
            named[name] = found
            continue
        for number, one in enumerate(found):
            is_quantile = one.quantile is not None
            what = f"quantile {one.quantile:g}" if is_quantile else f"output {number}"
            named[f"{name}, {what}"] = one
    return named
