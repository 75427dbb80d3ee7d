"""The errors by which C and the width of a kernel were chosen."""

from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from largemargin.estimators.nesting import innermost
from largemargin.inspection.displays.axes import LEGEND, begin, style

QUANTITIES = {"error": "leave-one-out error", "squared_residual": "mean squared residual"}


class LeaveOneOutDisplay:
    """Leave-one-out errors over C, one curve for each width, and the choice among them.

    Create it with ``from_estimator``.

    Parameters
    ----------
    results : dict
        ``loo_results_`` of an estimator with ``C="loo"`` or ``gamma="loo"``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, matplotlib Figure
        The axes with the curves, and their figure.
    lines_ : list of matplotlib Line2D
        The curves.
    """

    def __init__(self, results: dict):
        self.results = results

    @classmethod
    def from_estimator(cls, estimator, **options) -> Self:
        """Draw the results of a fitted estimator.

        Parameters
        ----------
        estimator : LDMClassifier or LinearLDMClassifier
            Fitted with ``C="loo"`` or ``gamma="loo"``; also at the end of a pipeline.
        **options : dict
            Passed to ``plot``, such as ``ax``.
        """
        check_is_fitted(estimator)
        machine = innermost(estimator)
        if not hasattr(machine, "loo_results_"):
            raise TypeError(
                "LeaveOneOutDisplay needs an estimator that was fitted with C='loo' or "
                f"gamma='loo'; got {type(machine).__name__} without loo_results_."
            )
        return cls(machine.loo_results_).plot(**options)

    def plot(self, ax=None, *, y: str = "error", **kw) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        y : {"error", "squared_residual"}, default="error"
            The vertical axis.
        **kw : dict
            Passed to ``matplotlib.pyplot.plot``.
        """
        if y not in QUANTITIES:
            raise ValueError(f"y must be one of {', '.join(QUANTITIES)}; got {y!r}.")
        self.ax_, self.figure_ = begin(ax)
        Cs, gammas, values = (self.results[name] for name in ("C", "gamma", y))
        Cs = np.broadcast_to(Cs, np.shape(values))  # of regressors, each point has its own
        self.lines_ = []
        for number, (gamma, curve) in enumerate(zip(gammas, values, strict=True)):
            label = f"gamma = {gamma:.3g}" if len(gammas) > 1 else QUANTITIES[y]
            options = {**style(number, marked=True), "label": label, **kw}
            self.lines_ += self.ax_.plot(Cs[number], curve, **options)
        width, price = self.results["best"]
        chosen = f"chosen: C = {Cs[width, price]:.3g}"
        if len(gammas) > 1:
            chosen += f", gamma = {gammas[width]:.3g}"
        self.ax_.plot(
            Cs[width, price],
            np.asarray(values)[width, price],
            linestyle="none",
            marker="o",
            markersize=14,
            fillstyle="none",
            color="tab:red",
            label=chosen,
        )
        self.ax_.set(xlabel="C", ylabel=QUANTITIES[y], xscale="log")
        self.ax_.legend(**LEGEND)
        return self
