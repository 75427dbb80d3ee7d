"""Streams of values: what they learn, and which of them are refused."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from largemargin import LinearLDMRegressor
from largemargin.estimators.streaming import Stream

SQUARES = {"lambda_var": 5.0, "lambda_square": 3.0}
NO_SQUARES = {"lambda_var": 0.0, "lambda_square": 0.0}
QUANTILE = {"loss": "quantile", "quantile": 0.8}


def streaming(C=0.5, **options):
    return LinearLDMRegressor(C, **{"epsilon": 0.2, "random_state": 0, **options})


def drawn(n_rows=4000, far=100.0):
    """Return rows and values, which are far from zero compared with their spread."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    return X, X @ [1.0, -1.0, 2.0, 0.0, 0.5] + 0.3 * rng.normal(size=n_rows) + far


def streamed(machine, X, y, n_batches=30, weight=None):
    for batch in np.array_split(np.arange(len(y)), n_batches):
        machine.partial_fit(X[batch], y[batch], None if weight is None else weight[batch])
    return machine


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("options", [SQUARES, NO_SQUARES, {"C": 0, **SQUARES}, QUANTILE])
def test_a_stream_learns_what_a_fit_learns(options, make):
    X, y = drawn(12_000)
    stream = streamed(streaming(**options), make(X), y)
    fit = streaming(**options, tol=1e-8).fit(X, y)
    assert_allclose(stream.coef_, fit.coef_, atol=0.04)
    assert_allclose(stream.intercept_, fit.intercept_, atol=0.04)
    assert stream.score(X, y) == pytest.approx(fit.score(X, y), abs=1e-3)
    assert np.isnan(stream.duality_gap_)
    assert not hasattr(stream, "dual_beta_")


@pytest.mark.parametrize("options", [SQUARES, NO_SQUARES, QUANTILE])
def test_more_passes_come_closer_to_the_fit(options):
    X, y = drawn(600)
    distances = []
    for n_passes in 1, 10, 100:
        # So many passes are a stream of as many copies of the rows.
        prices = {name: n_passes * options.get(name, 0.0) for name in NO_SQUARES}
        machine = streaming(**{**options, **prices}, tol=1e-10)
        fit = clone(machine).fit(X, y, np.full(600, n_passes))
        for _ in range(n_passes):
            streamed(machine, X, y, 10)
        distances.append(np.linalg.norm(machine.coef_ - fit.coef_))
    assert distances[0] > 2 * distances[1] > 3 * distances[2]
    assert distances[2] < 0.02


def test_a_stream_of_weights_is_a_stream_of_repetitions():
    X, y = drawn(90)
    X[30:60] = X[:30]  # the same rows with other values
    times = np.random.default_rng(0).integers(0, 3, 90)
    weighted, repeated = streaming(**SQUARES), streaming(**SQUARES)
    for _ in range(3):
        weighted.partial_fit(X, y, sample_weight=times)
        repeated.partial_fit(X.repeat(times, axis=0), y.repeat(times))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_every_output_and_every_quantile_is_learned():
    X, y = drawn(12_000)
    Y = np.column_stack([y, 3.0 - y])
    outputs = streamed(streaming(**SQUARES), X, Y)
    assert_allclose(outputs.predict(X)[:, 1], 3.0 - outputs.predict(X)[:, 0], atol=0.1)
    alone = streamed(streaming(**SQUARES), X, Y[:, :1])
    assert_allclose(alone.coef_, outputs.coef_[:1], atol=0.02)
    assert alone.predict(X).shape == (12_000, 1)
    options = {"loss": "quantile", "quantile": [0.9, 0.2]}
    quantiles = streamed(streaming(**options), X, y)
    below = np.mean(y[:, None] <= quantiles.predict(X), axis=0)
    assert_allclose(below, [0.9, 0.2], atol=0.03)


def test_a_stream_knows_its_units_and_predicts_without_an_intercept():
    X, y = drawn(far=0.0)
    machine = streamed(streaming(fit_intercept=False, **NO_SQUARES), X, y)
    assert (machine.C_, machine.epsilon_) == (0.5, 0.2)
    assert machine.intercept_ == 0
    assert machine.score(X, y) > 0.95


def test_a_stream_goes_on_from_a_fit_and_a_fit_ends_a_stream():
    X, y = drawn(400)
    machine = streaming(**SQUARES).fit(X, y)
    before = machine.coef_.copy()
    machine.partial_fit(X, y)
    assert not np.array_equal(machine.coef_, before)
    assert machine.score(X, y) > 0.9
    assert Stream.of(machine).descents[0].weight_seen == 400
    assert_allclose(machine.fit(X, y).coef_, before)
    assert Stream.of(machine).descents[0].weight_seen == 0


def test_a_stream_survives_a_pickle():
    X, y = drawn(100)
    machine = streaming(**SQUARES).partial_fit(X, y)
    copy = pickle.loads(pickle.dumps(machine)).partial_fit(X, y)
    assert_array_equal(copy.coef_, machine.partial_fit(X, y).coef_)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"C": "scale"}, "C='scale'"),
        ({"epsilon": "0.1*scale"}, r"epsilon='0.1\*scale'"),
        ({"epsilon": None}, r"epsilon='0.1\*scale'"),
        ({"C": "loo", "epsilon": None}, "C='loo', epsilon='loo'"),
        ({"lambda_var": "scale"}, "lambda_var='scale'"),
        ({"lambda_square": "3*scale"}, r"lambda_square='3\*scale'"),
    ],
)
def test_words_that_need_all_rows_are_refused(options, words):
    X, y = drawn(100)
    machine = streaming(**{**NO_SQUARES, **options})
    assert not hasattr(machine, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        machine.partial_fit(X, y)
    cause = caught.value.__cause__
    assert isinstance(cause, ValueError)
    with pytest.raises(ValueError, match=f"numbers as prices.*got {words}. Set numbers"):
        raise cause


def test_the_defaults_of_quantiles_are_numbers_but_for_C():
    assert hasattr(LinearLDMRegressor(1.0, loss="quantile"), "partial_fit")
    assert not hasattr(LinearLDMRegressor(loss="quantile"), "partial_fit")


def test_batches_that_do_not_fit_the_stream():
    X, y = drawn(100)
    with pytest.raises(ValueError, match="finite C"):
        streaming(np.inf, **NO_SQUARES).partial_fit(X, y)
    with pytest.raises(ValueError, match="needs lambda_square=0"):
        streaming(**QUANTILE, lambda_square=1.0).partial_fit(X, y)
    machine = streaming(**SQUARES).partial_fit(X, y)
    coef = machine.coef_
    for other in np.c_[y, y], np.c_[y]:
        with pytest.raises(ValueError, match="as many columns"):
            machine.partial_fit(X, other)
    with pytest.raises(ValueError, match="features"):
        machine.partial_fit(X[:, 1:], y)
    with pytest.raises(ValueError, match="NaN"):
        machine.partial_fit(X, np.full(100, np.nan))
    assert machine.coef_ is coef
    assert Stream.of(machine).descents[0].weight_seen == 100
