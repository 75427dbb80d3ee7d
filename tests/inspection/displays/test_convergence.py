"""The convergence of a fit is drawn from its history."""

import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from largemargin import ConvergenceDisplay, LinearLDMClassifier


def test_convergence_is_drawn_for_every_class(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), LinearLDMClassifier()).fit(X, y)
    display = ConvergenceDisplay.from_estimator(pipeline, x="seconds")
    assert len(display.lines_) == 3
    assert display.ax_.get_yscale() == "log"
    history = pipeline[-1].history_[0]
    assert_allclose(display.lines_[0].get_ydata(), history["duality_gap"])
    with pytest.raises(ValueError, match="'step' or 'seconds'"):
        display.plot(x="minutes")
    with pytest.raises(TypeError, match="got SVC"):
        ConvergenceDisplay.from_estimator(SVC().fit(X, y))
