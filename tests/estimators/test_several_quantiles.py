"""Several quantiles of one model: a column each, which do not cross."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from largemargin import LDMRegressor, LinearLDMRegressor

BOTH = pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, X[:, 0] + rng.normal(size=80)


@BOTH
def test_columns_stand_in_the_order_of_the_quantiles(make, rows):
    X, y = rows
    options = {"C": 10.0, "loss": "quantile"}
    mixed = make(quantile=[0.6, 0.4, 0.5], **options).fit(X, y).predict(3 * X)
    rising = make(quantile=[0.4, 0.5, 0.6], **options).fit(X, y).predict(3 * X)
    assert (np.diff(rising, axis=1) >= 0).all()
    assert_allclose(mixed, rising[:, [2, 0, 1]], rtol=1e-6)


@BOTH
def test_quantiles_mean_nothing_to_another_loss(make, rows):
    X, y = rows
    machine = make(C=1.0, quantile=[0.1, 0.9]).fit(X, y)
    assert_array_equal(machine.predict(X), make(C=1.0).fit(X, y).predict(X))
