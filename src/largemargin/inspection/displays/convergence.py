"""The duality gap in the course of a fit."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from largemargin.estimators.nesting import innermost
from largemargin.inspection.displays.axes import LEGEND, begin, style


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
        machine = innermost(estimator)
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
