"""The convergence of a fit is drawn from its history."""

import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from largemargin import ConvergenceDisplay, LinearLDMClassifier


@pytest.mark.parametrize(
    ("multi_class", "last"), [("ovr", "class 2"), ("ovo", "classes 1 and 2")]
)
def test_convergence_is_drawn_for_every_machine(multi_class, last, iris):
    X, y = iris
    machine = LinearLDMClassifier(multi_class=multi_class)
    pipeline = make_pipeline(StandardScaler(), machine).fit(X, y)
    display = ConvergenceDisplay.from_estimator(pipeline, x="seconds")
    assert len(display.lines_) == 3
    assert display.lines_[-1].get_label() == f"LinearLDMClassifier, {last}"
    assert display.ax_.get_yscale() == "log"
    history = pipeline[-1].history_[0]
    assert_allclose(display.lines_[0].get_ydata(), history["duality_gap"])
    with pytest.raises(ValueError, match="'step' or 'seconds'"):
        display.plot(x="minutes")
    with pytest.raises(TypeError, match="got SVC"):
        ConvergenceDisplay.from_estimator(SVC().fit(X, y))
