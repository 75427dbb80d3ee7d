"""Margins are drawn as they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from largemargin import (
    MarginDistributionDisplay,
    margin_distribution,
)
from machines import fixed_ldm, fixed_linear_ldm


def test_margins_are_drawn_as_cumulative_distributions(blobs):
    X, y = blobs
    machine = fixed_linear_ldm().fit(X, y)
    display = MarginDistributionDisplay.from_estimator(machine, X, y, name="ours")
    found = margin_distribution(machine, X, y)
    assert_allclose(display.lines_[0].get_xdata(), np.sort(found.margins))
    assert_allclose(display.lines_[0].get_ydata()[-1], 1.0)
    assert display.lines_[0].get_label().startswith("ours: mean")
    assert display.figure_ is display.ax_.figure


def test_machines_differ_by_more_than_colour(blobs):
    X, y = blobs
    machines = [fixed_ldm(C).fit(X, y) for C in (0.1, 1, 10)]
    display = MarginDistributionDisplay.from_estimators(machines, X, y, normalise=True)
    assert len({line.get_linestyle() for line in display.lines_}) == 3
    assert len({line.get_label() for line in display.lines_}) == 3
    assert display.ax_.get_xlabel() == "margin / |w|"
    with pytest.raises(ValueError, match="not known for 'svc'"):
        MarginDistributionDisplay.from_estimators(
            {"svc": SVC().fit(X, y)}, X, y, normalise=True
        )
