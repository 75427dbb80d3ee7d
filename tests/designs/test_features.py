"""Newton systems over features against NumPy's solution, factorised or iterated."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs import features
from largemargin.designs.base import Curvature
from largemargin.designs.dense import DenseDesign


@pytest.mark.parametrize("max_factored", [0, 2000])
@pytest.mark.parametrize("spread", [0.0, 0.3])
@pytest.mark.parametrize("parts", ["", "mean", "mean border"])
def test_a_newton_step_solves_the_system(max_factored, spread, parts, monkeypatch):
    monkeypatch.setattr(features, "MAX_FACTORED", max_factored)
    rng = np.random.default_rng(0)
    X, weight, extra = (
        rng.normal(size=(40, 6)),
        rng.uniform(1, 2, 40),
        rng.uniform(0, 1, 40),
    )
    mean = 0.02 * weight if "mean" in parts else None
    border = 0.05 * extra if "border" in parts else None
    curvature = Curvature(weight, spread, extra, mean, border)
    matrix = np.diag(weight * spread + extra)
    for downdate in curvature.downdates:
        matrix -= np.outer(downdate, downdate)
    slope = rng.normal(size=6)
    wanted = np.linalg.solve(np.eye(6) + X.T @ matrix @ X, slope)
    found = DenseDesign(X).newton_system(curvature)(slope, 1e-12)
    assert_allclose(found, wanted, rtol=1e-9)


def test_the_second_moment_is_formed_once_for_the_same_weights():
    X, weight = np.random.default_rng(0).normal(size=(20, 3)), np.ones(20)
    design = DenseDesign(X)
    assert design.second_moment(weight) is design.second_moment(weight)
    assert_allclose(design.moment_product(weight, np.ones(3)), X.T @ X @ np.ones(3))
