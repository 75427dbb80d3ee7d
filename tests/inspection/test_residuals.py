"""Residuals by hand, with weights, of several outputs, and of other people's regressors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import (
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    r2_score,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from largemargin import (
    LDMClassifier,
    LDMRegressor,
    LinearLDMRegressor,
    ResidualDistribution,
    residual_distribution,
)
from machines import fixed_regressor


def test_statistics_are_those_of_the_fit(values):
    X, y = values
    machine = fixed_regressor(LDMRegressor).fit(X, y)
    found = residual_distribution(machine, X, y)
    assert_allclose(found.residuals, y - machine.predict(X))
    assert_allclose(found.mean, machine.residual_mean_, atol=1e-9)
    assert_allclose(found.variance, machine.residual_variance_)
    assert_allclose(found.deviation, np.std(found.residuals))
    assert found.inside == np.mean(np.abs(found.residuals) <= 0.1)


def test_errors_are_those_of_scikit_learn(values):
    X, y = values
    weight = np.arange(60) % 3.0
    machine = fixed_regressor(LDMRegressor, loss="quantile", quantile=0.8, lambda_square=0)
    machine.fit(X, y)
    found = residual_distribution(machine, X, y, weight)
    given = y, machine.predict(X)
    assert_allclose(found.r2, r2_score(*given, sample_weight=weight))
    for name, function in (
        ("mean_absolute_error", mean_absolute_error),
        ("mean_squared_error", mean_squared_error),
    ):
        assert_allclose(getattr(found, name), function(*given, sample_weight=weight))
    wanted = mean_pinball_loss(*given, sample_weight=weight, alpha=0.8)
    assert_allclose(found.pinball_loss, wanted)
    assert_allclose(found.below, np.average(given[0] <= given[1], weights=weight))


def test_a_weight_of_two_is_the_row_twice(values):
    X, y = values
    weight = np.arange(60) % 3
    machine = fixed_regressor(LinearLDMRegressor).fit(X, y)
    weighted = residual_distribution(machine, X, y, weight)
    repeated = residual_distribution(machine, X.repeat(weight, 0), y.repeat(weight))
    for name in "mean", "deviation", "mean_absolute_error", "r2", "inside", "below":
        assert_allclose(getattr(weighted, name), getattr(repeated, name))
    assert_allclose(weighted.quantiles(), repeated.quantiles())


def test_every_output_has_its_own_residuals_and_tube(values):
    X, y = values
    Y = np.column_stack([y, 100 * y])
    machine = LinearLDMRegressor(C="scale", epsilon="0.5*scale").fit(X, Y)
    small, large = residual_distribution(machine, X, Y)
    assert_allclose(large.residuals, 100 * small.residuals, atol=0.1)
    assert_allclose(large.epsilon, 100 * small.epsilon)
    assert large.inside == small.inside > 0
    with pytest.raises(ValueError, match=r"of shape \(60, 2\); got shape \(60, 3\)"):
        residual_distribution(machine, X, np.c_[Y, y])


def test_every_quantile_has_residuals_of_the_same_values(values):
    X, y = values
    machine = LDMRegressor(C=10.0, loss="quantile", quantile=[0.9, 0.2], gamma=0.3)
    upper, lower = residual_distribution(machine.fit(X, y), X, y)
    assert (upper.quantile, lower.quantile) == (0.9, 0.2)
    assert (upper.residuals <= lower.residuals).all()
    assert upper.epsilon is None
    assert upper.inside is None
    assert lower.below == np.mean(y <= machine.predict(X)[:, 1])


def test_regressors_of_scikit_learn_pipelines_and_searches_have_residuals_too(values):
    X, y = values
    pipeline = make_pipeline(StandardScaler(), SVR()).fit(X, y)
    found = residual_distribution(pipeline, X, y)
    assert_allclose(found.residuals, y - pipeline.predict(X))
    assert (found.inside, found.pinball_loss) == (None, None)
    other = QuantileRegressor(quantile=0.3, alpha=0).fit(X, y)
    assert residual_distribution(other, X, y).quantile == 0.3
    grid = {"C": [0.1, 10.0]}
    search = GridSearchCV(fixed_regressor(LinearLDMRegressor), grid, cv=3).fit(X, y)
    assert residual_distribution(search, X, y).epsilon == 0.1


def test_what_has_no_residuals_is_refused(values):
    X, y = values
    with pytest.raises(TypeError, match=r"got LDMClassifier.*margin_distribution"):
        residual_distribution(LDMClassifier().fit(X, y > 3), X, y)
    machine = fixed_regressor(LinearLDMRegressor).fit(X, y)
    with pytest.raises(ValueError, match=r"shape \(3,\); got shape \(2,\)"):
        residual_distribution(machine, X[:3], y[:2])
    with pytest.raises(ValueError, match="not be negative"):
        residual_distribution(machine, X[:2], y[:2], [1, -1])


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_constant_values_are_explained_by_exact_predictions_alone(shift):
    constant = np.full(3, 2.0)
    found = ResidualDistribution(np.full(3, shift), constant, np.ones(3))
    assert found.r2 == r2_score(constant, constant - shift)


def test_a_prompt_has_a_line_and_a_notebook_a_table():
    parts = np.array([1.0, -1.0, 0.0]), np.array([4.0, 0.0, 2.0]), np.ones(3)
    line = repr(ResidualDistribution(*parts, epsilon=0.5))
    assert line == (
        "ResidualDistribution(n=3, mean=0, deviation=0.8165, mean_absolute_error=0.6667, "
        "r2=0.75, epsilon=0.5, inside=0.3333)"
    )
    table = ResidualDistribution(*parts, quantile=0.5)._repr_html_()
    assert "<th>share at or below the quantile</th><td>0.6667</td>" in table
    assert "<th>95 % quantile</th><td>1</td>" in table
    nothing = ResidualDistribution(*parts[:2], np.zeros(3))
    assert repr(nothing) == "ResidualDistribution(n=3)"
    assert "<td>3</td>" in nothing._repr_html_()
