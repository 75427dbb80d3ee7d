"""Probabilities of classes from scores of pairs are those of a model that has them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar
from scipy.special import logit, softmax
from sklearn.calibration import _SigmoidCalibration
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss

from largemargin import calibrate
from largemargin.estimators import base
from largemargin.estimators.targets import pairs_of
from largemargin.production.pair_probabilities import (
    PairMap,
    coupled,
    fit_sharpness,
    fit_sigmoid,
)
from machines import fixed_ldm, fixed_linear_ldm


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def drawn(logs, rng):
    """Return classes drawn by probabilities with these logarithms."""
    return np.array([rng.choice(logs.shape[1], p=softmax(row)) for row in logs])


def pair_odds(logs):
    """Return the log-odds of the second class of each pair."""
    first, second = pairs_of(logs.shape[1])
    return logs[:, second] - logs[:, first]


def likelihood(sharpness, logs, numbers, weight):
    """Return the log-likelihood of rows, and of one more with a label drawn at random."""
    powers = np.log(softmax(sharpness * logs, axis=1))
    own = powers[np.arange(len(logs)), numbers]
    return weight @ own + weight @ powers.mean(axis=1) / weight.sum()


@pytest.mark.parametrize("n_classes", [3, 4, 11])
def test_odds_of_one_distribution_give_that_distribution(n_classes, rng):
    expected = rng.dirichlet(np.ones(n_classes), size=50)
    found = coupled(pair_odds(np.log(expected)), n_classes)
    assert_allclose(np.exp(found), expected, rtol=1e-10)


def test_the_sharpness_has_the_largest_likelihood(rng):
    logs, weight = np.log(rng.dirichlet(np.ones(4), size=200)), rng.uniform(size=200)
    numbers = drawn(1.5 * logs, rng)
    found = fit_sharpness(logs, numbers, weight)
    best = minimize_scalar(
        lambda value: -likelihood(value, logs, numbers, weight), bounds=(0, 9)
    )
    assert_allclose(found, best.x, rtol=1e-4)


def test_the_sharpness_of_the_model_is_found(rng):
    logs = np.log(rng.dirichlet(np.ones(5), size=20_000))
    found = fit_sharpness(logs, drawn(2.0 * logs, rng), np.ones(len(logs)))
    assert_allclose(found, 2.0, rtol=0.05)


def test_the_sharpness_is_finite_if_all_rows_are_right_and_zero_if_all_are_wrong(rng):
    logs, weight = np.log(rng.dirichlet(np.ones(3), size=100)), np.ones(100)
    assert 1.0 < fit_sharpness(logs, logs.argmax(axis=1), weight) < 1000.0
    assert fit_sharpness(logs, logs.argmin(axis=1), weight) == 0.0


@pytest.mark.parametrize("is_apart", [False, True])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_sigmoid_is_scikit_learns(is_apart, size, rng):
    scores, weight = rng.normal(size=80), rng.uniform(0.1, 2.0, size=80)
    is_second = scores + (0.0 if is_apart else rng.normal(size=80)) > 0.3
    slope, offset = fit_sigmoid(size * scores, is_second, weight)
    theirs = _SigmoidCalibration().fit(scores, is_second, weight)
    assert_allclose([size * slope, offset], [-theirs.a_, -theirs.b_], rtol=1e-3)


def test_a_weight_of_two_gives_the_sigmoid_of_the_row_twice(rng):
    scores, times = rng.normal(size=80), rng.integers(0, 3, size=80)
    is_second, twice = scores + rng.normal(size=80) > 0.3, np.repeat(np.arange(80), times)
    weighted = fit_sigmoid(scores, is_second, times.astype(float))
    repeated = fit_sigmoid(scores[twice], is_second[twice], np.ones(len(twice)))
    assert_allclose(weighted, repeated, rtol=1e-6)


def test_equal_scores_give_the_shares_of_the_classes():
    is_second = np.arange(40) < 30
    for score in 0.0, 5.0:
        slope, offset = fit_sigmoid(np.full(40, score), is_second, np.ones(40))
        low, high = 1 / 12, 31 / 32
        chance = (30 * high + 10 * low) / 40
        assert_allclose(slope * score + offset, logit(chance), rtol=1e-6)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_of_a_known_model_are_found(method, rng):
    centres, n_rows = 2.0 * rng.normal(size=(4, 3)), 6000
    X = rng.normal(size=(n_rows, 3))
    logs = X @ centres.T
    numbers, chances = drawn(logs, rng), softmax(logs, axis=1)
    # Scores are log-odds on another scale.
    pair_map = PairMap(method).fit(0.3 * pair_odds(logs) + 0.1, numbers, np.ones(n_rows))
    found = pair_map.predict_proba(0.3 * pair_odds(logs) + 0.1)
    assert np.abs(found - chances).mean() < 0.02
    assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_isotonic_maps_make_no_class_impossible(rng):
    logs = 50.0 * np.log(rng.dirichlet(np.ones(3), size=60))
    numbers = logs.argmax(axis=1)
    pair_map = PairMap("isotonic").fit(pair_odds(logs), numbers, np.ones(60))
    assert np.abs(pair_map.log_odds(pair_odds(logs))).max() <= logit(61 / 62)
    assert pair_map.predict_proba(pair_odds(logs)).min() > 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e3, 1e100, 1.7e308])
def test_scores_may_be_huge(size, rng):
    logs = np.log(rng.dirichlet(np.ones(3), size=60))
    pair_map = PairMap().fit(pair_odds(logs), drawn(logs, rng), np.ones(60))
    signs = np.array([[1, 1, 1], [-1, 1, 1], [1, -1, 1], [-1, -1, -1]])
    found = pair_map.predict_proba(size * signs)
    assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert found[0].argmax() == 2
    assert found[3].argmax() == 0


@pytest.mark.parametrize("machine", [fixed_ldm(), fixed_linear_ldm()], ids=str)
def test_pairs_have_better_probabilities_than_one_against_the_rest(machine):
    X, y = load_digits(return_X_y=True)
    X, y = X[:900] / 16, y[:900]
    losses = {}
    for ways in "ovo", "ovr":
        fitted = machine.set_params(multi_class=ways).fit(X[:600], y[:600])
        found = calibrate(fitted, X[:600], y[:600]).predict_proba(X[600:])
        losses[ways] = log_loss(y[600:], found)
    assert losses["ovo"] < losses["ovr"]


def test_probabilities_of_blocks_are_those_of_all_rows(iris, monkeypatch):
    X, y = iris
    calibrated = calibrate(fixed_ldm().fit(X, y), X, y)
    whole = calibrated.predict_proba(X)
    monkeypatch.setattr(base, "MAX_PAIR_SCORES", 40)
    assert_allclose(calibrated.predict_proba(X), whole, rtol=1e-12)
    assert_array_equal(whole.argmax(axis=1), calibrated.predict(X))
