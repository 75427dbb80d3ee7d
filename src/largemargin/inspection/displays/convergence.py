"""The duality gap in the course of a fit."""

from itertools import combinations
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from largemargin.estimators.nesting import innermost, is_pairwise
from largemargin.inspection.displays.axes import LEGEND, begin, style


class ConvergenceDisplay:
    """Duality gap of a fit over its steps or over time.

    Create it with ``from_estimator``.

    Parameters
    ----------
    histories : dict of str to dict
        ``duality_gap`` and ``seconds`` after each step, by the name of the curve.
    tol : float or None, default=None
        The tolerance of the fit, drawn as a horizontal line.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, matplotlib Figure
        The axes with the curves, and their figure.
    lines_ : list of matplotlib Line2D
        The curves.
    """

    def __init__(self, histories: dict[str, dict], *, tol: float | None = None):
        self.histories = histories
        self.tol = tol

    @classmethod
    def from_estimator(cls, estimator, *, name: str | None = None, **options) -> Self:
        """Draw the history of a fitted estimator, one curve for each of its machines.

        Parameters
        ----------
        estimator : estimator with ``history_``
            Such as an LDMClassifier or LDMRegressor, fitted; also at the end of a pipeline
            or a search.
        name : str, default=None
            Name in the legend; None means the class of the estimator.
        **options : dict
            Passed to ``plot``, such as ``ax``.
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
            labels = labels_of(machine)
            names = [f"{name}, {label}" for label in labels]
            histories = dict(zip(names, machine.history_, strict=True))
        return cls(histories, tol=machine.tol).plot(**options)

    def plot(self, ax=None, *, x: str = "step", **kw) -> Self:
        """Draw the duality gaps on a logarithmic axis.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        x : {"step", "seconds"}, default="step"
            The horizontal axis.
        **kw : dict
            Passed to ``matplotlib.pyplot.plot``.
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


def labels_of(machine) -> list[str]:
    """Return what each of several machines is for, such as a class or an output."""
    if hasattr(machine, "classes_"):
        if is_pairwise(machine):
            pairs = combinations(machine.classes_, 2)
            return [f"classes {first} and {second}" for first, second in pairs]
        return [f"class {label}" for label in machine.classes_]
    if machine.loss == "quantile" and np.ndim(machine.quantile):
        return [f"quantile {level:g}" for level in machine.quantile]
    return [f"output {number}" for number in range(len(machine.history_))]
