"""Residuals are drawn as they are, with the tube around them."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.svm import SVR

from largemargin import (
    LDMRegressor,
    LinearLDMRegressor,
    ResidualDistributionDisplay,
    residual_distribution,
)
from machines import fixed_regressor


def test_residuals_are_drawn_as_cumulative_distributions(values):
    X, y = values
    machine = fixed_regressor(LDMRegressor).fit(X, y)
    display = ResidualDistributionDisplay.from_estimator(machine, X, y, name="ours")
    found = residual_distribution(machine, X, y)
    assert_allclose(display.lines_[0].get_xdata(), np.sort(found.residuals))
    assert_allclose(display.lines_[0].get_ydata()[-1], 1.0)
    assert display.lines_[0].get_label().startswith("ours: R2")
    assert display.ax_.get_xlabel() == "residual"
    (tube,) = display.ax_.patches
    assert_allclose([tube.get_x(), tube.get_width()], [-0.1, 0.2])


def test_different_tubes_are_not_drawn(values):
    X, y = values
    machines = [fixed_regressor(LDMRegressor).fit(X, y), SVR().fit(X, y)]
    display = ResidualDistributionDisplay.from_estimators(machines, X, y)
    assert [line.get_label()[:6] for line in display.lines_] == ["1: LDM", "2: SVR"]
    assert len({line.get_linestyle() for line in display.lines_}) == 2
    assert not display.ax_.patches


def test_every_output_and_every_quantile_has_a_curve(values):
    X, y = values
    machine = fixed_regressor(LinearLDMRegressor).fit(X, np.column_stack([y, -y]))
    display = ResidualDistributionDisplay.from_estimator(machine, X, np.c_[y, -y])
    assert "LinearLDMRegressor, output 1: R2" in display.lines_[1].get_label()
    machine = LinearLDMRegressor(1.0, loss="quantile", quantile=[0.1, 0.9]).fit(X, y)
    display = ResidualDistributionDisplay.from_estimator(machine, X, y)
    assert "quantile 0.9: " in display.lines_[1].get_label()
    dotted = [line for line in display.ax_.lines if line.get_linestyle() == ":"]
    assert [line.get_ydata()[0] for line in dotted] == [0.1, 0.9]
