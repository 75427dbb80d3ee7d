"""Fits that must be refused and change nothing."""

import numpy as np
import pytest


def assert_refused(machine, X, y, match, method="fit", **metadata):
    """Check the message, and that a fitted machine is left exactly as it was."""
    good = np.array([[0.0], [1.0], [2.0], [3.0]])
    prices = machine.get_params()
    machine.set_params(**type(machine)().get_params())
    machine.fit(good, [0, 0, 1, 1])
    machine.set_params(**prices)
    before = {name: id(value) for name, value in vars(machine).items()}
    with pytest.raises(ValueError, match=match):
        getattr(machine, method)(X, y, **metadata)
    assert {name: id(value) for name, value in vars(machine).items()} == before
