"""Regressors refuse what they cannot fit in a sentence, and are left as they were."""

import numpy as np
import pytest

from largemargin import LDMRegressor, LinearLDMRegressor
from refusals import assert_refused

BOTH = pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])
X = np.random.default_rng(0).normal(size=(20, 2))
Y = X[:, 0] + 0.1 * X[:, 1] ** 2
QUANTILE = {"loss": "quantile"}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"C": -1.0}, "C"),
        ({"C": np.nan}, "C"),
        ({"C": "large"}, "C must be a number, 'scale' or a multiple"),
        ({"C": "-1*scale"}, "C must be a number"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"epsilon": np.inf}, "epsilon"),
        ({"epsilon": np.nan}, "epsilon"),
        ({"epsilon": "narrow"}, "epsilon must be a number"),
        ({"lambda_var": -1.0}, "lambda_var"),
        ({"lambda_var": np.inf}, "lambda_var"),
        ({"lambda_square": np.nan}, "lambda_square"),
        ({"lambda_square": "more"}, "lambda_square must be a number"),
        ({"loss": "hinge"}, "loss"),
        ({"tol": 0.0}, "tol"),
        ({"solver": "magic"}, "solver"),
        ({**QUANTILE, "quantile": 0.0}, "quantile"),
        ({**QUANTILE, "quantile": 1.0}, "quantile"),
        ({**QUANTILE, "quantile": -0.5}, "quantile"),
        ({**QUANTILE, "quantile": np.nan}, "quantile"),
        ({**QUANTILE, "quantile": "0.5"}, "quantile"),
        ({**QUANTILE, "quantile": [0.1, 1.0]}, "quantile.*between 0 and 1"),
        ({**QUANTILE, "quantile": [0.1, np.nan]}, "quantile.*between 0 and 1"),
        ({**QUANTILE, "quantile": [0.1, "a"]}, "quantile.*between 0 and 1"),
        ({**QUANTILE, "quantile": []}, "quantile.*at least one"),
        ({**QUANTILE, "quantile": [[0.1, 0.5]]}, "quantile.*one-dimensional"),
        ({**QUANTILE, "lambda_square": 1.0}, "lambda_square=0"),
        ({**QUANTILE, "lambda_square": "scale"}, "lambda_square=0"),
        ({**QUANTILE, "C": np.inf}, "C=inf"),
        ({"C": np.inf, "epsilon": 0.0}, "C=inf.*positive epsilon"),
        ({"C": np.inf, "epsilon": 1e-3}, "C=inf.*finite C"),
    ],
)
@BOTH
def test_parameters_out_of_range(make, options, match):
    kernel = {"kernel": "linear"} if make is LDMRegressor else {}
    assert_refused(make(**kernel, **options), X, Y, match)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@BOTH
def test_values_that_are_not_finite(make, bad):
    y = Y.copy()
    y[3] = bad
    assert_refused(make(), X, y, "Input y contains (NaN|infinity)")


@pytest.mark.parametrize("size", [1e-300, 1e95, 1e160, 1e300])
@BOTH
def test_values_whose_squares_overflow_or_vanish(make, size):
    for prices in {}, {"C": 1.0, "epsilon": 0.1}:
        assert_refused(make(**prices), X, size * Y, "largest absolute value in y.*Divide")


@pytest.mark.parametrize("size", [1e-85, 1e85])
@BOTH
def test_very_large_or_small_values_are_fitted(make, size):
    model, unit = make().fit(X, size * Y), make().fit(X, Y)
    assert np.allclose(model.predict(X) / size, unit.predict(X), atol=1e-2)


@BOTH
def test_values_that_are_words_or_of_the_wrong_shape(make):
    assert_refused(make(), X, ["a"] * 20, "could not convert string to float")
    assert_refused(make(), X, Y[:10], "inconsistent numbers of samples")
    assert_refused(make(), X, np.empty((20, 0)), "0 feature")
    assert_refused(make(), X, np.zeros((20, 2, 2)), "dim")
    several = make(loss="quantile", quantile=[0.1, 0.9])
    assert_refused(several, X, np.column_stack([Y, Y]), "one-dimensional y")


@BOTH
def test_rows_that_are_empty_or_do_not_count(make):
    with pytest.raises(ValueError, match="0 sample"):
        make().fit(np.empty((0, 2)), [])
    assert_refused(make(), X, Y, "at least one non-zero", sample_weight=np.zeros(20))
    assert_refused(make(), X, Y, "not be negative", sample_weight=-np.ones(20))


@BOTH
def test_rows_of_weight_zero_may_have_any_finite_value(make):
    weight, y = np.ones(20), Y.copy()
    weight[:3], y[:3] = 0.0, 1e300
    model = make().fit(X, y, weight)
    assert np.allclose(model.predict(X), make().fit(X[3:], Y[3:]).predict(X), atol=1e-2)


def test_a_quantile_that_is_not_used_is_not_looked_at():
    assert LDMRegressor(quantile=[0.1, 0.5]).fit(X, Y).predict(X).ndim == 1
