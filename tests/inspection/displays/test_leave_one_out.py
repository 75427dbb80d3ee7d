"""The leave-one-out curves are drawn from the results of a self-tuned fit."""

import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from largemargin import (
    LDMClassifier,
    LDMRegressor,
    LeaveOneOutDisplay,
    LinearLDMClassifier,
)


@pytest.mark.parametrize("y", ["error", "squared_residual"])
def test_there_is_one_curve_for_each_width_and_the_choice_is_marked(y, iris):
    machine = LDMClassifier(C="loo", gamma="loo")
    pipeline = make_pipeline(StandardScaler(), machine).fit(*iris)
    display = LeaveOneOutDisplay.from_estimator(pipeline, y=y)
    results = machine.loo_results_
    assert len(display.lines_) == len(results["gamma"])
    assert_array_equal(display.lines_[1].get_ydata(), results[y][1])
    mark = display.ax_.lines[-1]
    assert mark.get_xdata() == [machine.C_]
    assert mark.get_ydata() == [results[y][results["best"]]]


def test_other_estimators_and_axes_are_refused(iris):
    with pytest.raises(TypeError, match="fitted with C='loo'"):
        LeaveOneOutDisplay.from_estimator(LinearLDMClassifier(C=1.0).fit(*iris))
    tuned = LinearLDMClassifier(C="loo").fit(*iris)
    with pytest.raises(ValueError, match="y must be one of"):
        LeaveOneOutDisplay.from_estimator(tuned, y="loss")


def test_each_curve_of_a_regressor_is_drawn_over_its_own_prices(iris):
    X, _ = iris
    machine = LDMRegressor(C="loo", gamma="loo").fit(X[:, :3], X[:, 3])
    display = LeaveOneOutDisplay.from_estimator(machine)
    for line, Cs in zip(display.lines_, machine.loo_results_["C"], strict=True):
        assert_array_equal(line.get_xdata(), Cs)
    assert display.ax_.lines[-1].get_xdata() == [machine.C_]
