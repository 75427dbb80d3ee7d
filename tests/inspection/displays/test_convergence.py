"""The convergence of a fit is drawn from its history."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from largemargin import ConvergenceDisplay, LinearLDMRegressor
from machines import fixed_linear_ldm, fixed_regressor


@pytest.mark.parametrize(
    ("multi_class", "last"), [("ovr", "class 2"), ("ovo", "classes 1 and 2")]
)
def test_convergence_is_drawn_for_every_machine(multi_class, last, iris):
    X, y = iris
    machine = fixed_linear_ldm(multi_class=multi_class)
    pipeline = make_pipeline(StandardScaler(), machine).fit(X, y)
    display = ConvergenceDisplay.from_estimator(pipeline, x="seconds")
    assert len(display.lines_) == 3
    assert display.lines_[-1].get_label() == f"LinearLDMClassifier, {last}"
    assert display.ax_.get_yscale() == "log"
    gaps = np.array(pipeline[-1].history_[-1]["duality_gap"])
    assert_allclose(display.lines_[-1].get_ydata(), gaps[gaps > 0])
    with pytest.raises(ValueError, match="'step' or 'seconds'"):
        display.plot(x="minutes")
    with pytest.raises(TypeError, match="got SVC"):
        ConvergenceDisplay.from_estimator(SVC().fit(X, y))


def test_gaps_of_zero_have_no_place_on_a_logarithmic_axis():
    history = {"duality_gap": [0.5, 0.0], "seconds": [0.1, 0.2]}
    (line,) = ConvergenceDisplay({"a fit": history}).plot().lines_
    assert_allclose(line.get_xydata(), [[1.0, 0.5]])


def test_outputs_and_quantiles_have_curves_of_their_names(values):
    X, y = values
    Y = np.column_stack([y, -y])
    outputs = fixed_regressor(LinearLDMRegressor).fit(X, Y)
    display = ConvergenceDisplay.from_estimator(outputs)
    assert display.lines_[1].get_label() == "LinearLDMRegressor, output 1"
    quantiles = LinearLDMRegressor(1.0, loss="quantile", quantile=[0.1, 0.9]).fit(X, y)
    display = ConvergenceDisplay.from_estimator(quantiles)
    assert display.lines_[1].get_label() == "LinearLDMRegressor, quantile 0.9"
    alone = fixed_regressor(LinearLDMRegressor).fit(X, y)
    assert len(ConvergenceDisplay.from_estimator(alone).lines_) == 1
