"""Cumulative distributions of several models in one picture."""

from collections.abc import Callable, Mapping
from typing import Any, Self

from largemargin.estimators.nesting import innermost
from largemargin.inspection.displays.axes import LEGEND, begin, style


class CumulativeDisplay:
    """Cumulative distributions, one curve for each.

    Subclasses say what is drawn: ``_shown`` returns a distribution as it is drawn, and
    ``_label`` its label.
    """

    _noun: str

    def __init__(self, distributions: dict[str, Any]):
        self.distributions = distributions

    def _shown(self, distribution):
        return distribution

    def _label(self, name, shown) -> str:
        raise NotImplementedError

    @property
    def _axis(self) -> str:
        """The name of the horizontal axis."""
        return self._noun

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
            shown = self._shown(found)
            label = self._label(name, shown)
            options = {**style(number), "label": label, "where": "post", **kw}
            self.lines_ += self.ax_.step(*shown.cumulative(), **options)
        self.ax_.set(
            xlabel=self._axis,
            ylabel=f"share of rows with at most this {self._noun}",
            ylim=(-0.02, 1.02),
        )
        self.ax_.legend(**LEGEND)
        return self


def name_of(estimator) -> str:
    """Return the name of an estimator in a legend: that of its class."""
    return type(innermost(estimator)).__name__


def distributions_of(estimators, distribution_of: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the distribution of each estimator by its name, by default a number."""
    if not isinstance(estimators, Mapping):
        estimators = {
            f"{number}: {name_of(estimator)}": estimator
            for number, estimator in enumerate(estimators, start=1)
        }
    return {name: distribution_of(estimator) for name, estimator in estimators.items()}
