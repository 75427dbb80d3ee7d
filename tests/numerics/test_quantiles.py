"""Weighted quantiles and scales against their definitions and repetition."""

import numpy as np
import pytest

from largemargin.numerics.quantiles import NORMAL_RANGE, robust_scale, weighted_quantile

SHARES = 0.001, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("n_values", [1, 2, 4, 39, 40])
def test_without_weights_it_is_the_inverted_distribution_function(n_values, share):
    values = np.random.default_rng(n_values).normal(size=n_values)
    found = weighted_quantile(values, np.ones(n_values), share)
    assert found == np.quantile(values, share, method="inverted_cdf")


@pytest.mark.parametrize("share", SHARES)
def test_it_is_the_smallest_value_with_so_much_weight_at_or_below_it(share):
    rng = np.random.default_rng(0)
    values, weight = rng.integers(0, 9, 30).astype(float), rng.uniform(0.1, 3.0, 30)
    below = [weight @ (values <= value) / weight.sum() >= share for value in values]
    assert weighted_quantile(values, weight, share) == values[below].min()


@pytest.mark.parametrize("seed", range(20))
def test_weights_are_repetitions_whatever_their_unit(seed):
    rng = np.random.default_rng(seed)
    values, weight = rng.normal(size=40), rng.integers(1, 5, 40)
    repeated = np.repeat(values, weight)
    for share in SHARES:
        wanted = weighted_quantile(repeated, np.ones(len(repeated)), share)
        for unit in 1.0, 0.1, 1e-9, 3e7:
            assert weighted_quantile(values, unit * weight, share) == wanted


def test_the_order_of_the_values_does_not_matter():
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=40), np.full(40, 0.1)
    for _ in range(20):
        order = rng.permutation(40)
        found = weighted_quantile(values[order], weight[order], 0.25)
        assert found == np.sort(values)[9]


def test_the_scale_of_a_normal_sample_is_its_deviation():
    values = np.random.default_rng(0).normal(5.0, 3.0, 100_000)
    assert robust_scale(values, np.ones(100_000)) == pytest.approx(3.0, rel=0.01)


def test_the_scale_is_the_interquartile_range_over_that_of_a_normal():
    values = np.arange(1.0, 9.0)  # quartiles 2 and 6
    assert robust_scale(values, np.ones(8)) == pytest.approx(4.0 / NORMAL_RANGE)


def test_outliers_hardly_move_the_scale():
    values = np.random.default_rng(0).normal(size=1000)
    scale = robust_scale(values, np.ones(1000))
    values[:100] = 1e9
    assert robust_scale(values, np.ones(1000)) == pytest.approx(scale, rel=0.2)


def test_the_scale_has_the_unit_of_the_values_and_no_origin():
    values, weight = np.random.default_rng(0).normal(size=(2, 50))
    weight = np.abs(weight)
    scale = robust_scale(values, weight)
    assert robust_scale(1000.0 * values + 8.0, weight) == pytest.approx(1000.0 * scale)


def test_where_most_values_are_equal_the_scale_is_the_deviation():
    values, weight = np.zeros(10), np.ones(10)
    values[0], weight[0] = 4.0, 2.0
    mean = 8.0 / 11.0
    variance = (2.0 * (4.0 - mean) ** 2 + 9.0 * mean**2) / 11.0
    assert robust_scale(values, weight) == pytest.approx(np.sqrt(variance))


@pytest.mark.parametrize("value", [0.0, 0.1, -3e9, 1e-85, 1e85])
def test_constant_values_have_the_scale_one(value):
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 30)
    assert robust_scale(np.full(30, value), weight) == 1.0
