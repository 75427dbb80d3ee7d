"""Widths against scikit-learn's, weights as repetitions, and words for multiples."""

import numpy as np
import pytest
import scipy.sparse as sp

from largemargin.kernels import values
from largemargin.kernels.widths import multiple_of_scale, settle_gamma


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(3.0, 2.0, size=(40, 5)) * (rng.random((40, 5)) < 0.7)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("tile", [7, 512])
def test_scale_is_one_over_the_variance_and_a_weight_a_repetition(
    X, form, tile, monkeypatch
):
    monkeypatch.setattr(values, "TILE", tile)
    weight = np.random.default_rng(1).integers(0, 4, 40)
    repeated = np.repeat(X, weight, axis=0)
    wanted = 1.0 / (5 * repeated.var())
    assert settle_gamma("scale", form(X), weight) == pytest.approx(wanted)
    assert settle_gamma("scale", form(repeated), np.ones(len(repeated))) == (
        pytest.approx(wanted)
    )
    assert settle_gamma("0.5*scale", form(X), weight) == pytest.approx(wanted / 2)


def test_numbers_auto_and_constant_rows(X):
    ones = np.ones(40)
    assert settle_gamma(0.3, X, ones) == 0.3
    assert settle_gamma("auto", X, ones) == 1 / 5
    assert settle_gamma("2*scale", np.ones((40, 5)), ones) == 2.0
    with pytest.raises(ValueError, match=r"gamma must be above 0; got '0\*scale'"):
        settle_gamma("0*scale", X, ones)


@pytest.mark.parametrize(
    ("word", "factor"),
    [("scale", 1.0), ("0.3*scale", 0.3), (" 1e-3 * scale ", 1e-3), ("0*scale", 0.0)],
)
def test_a_word_has_a_factor(word, factor):
    assert multiple_of_scale(word, "C") == factor


def test_what_is_no_word_has_none():
    assert multiple_of_scale(3.0, "C") is None
    assert multiple_of_scale(None, "C") is None


@pytest.mark.parametrize("word", ["", "scales", "-1*scale", "inf*scale", "nan*scale", "x"])
def test_other_words_are_refused(word):
    with pytest.raises(ValueError, match="C must be a number, 'scale' or a multiple"):
        multiple_of_scale(word, "C")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_squares_of_float32_rows_may_leave_float32(X, form):
    X, ones = (1e25 * X).astype(np.float32), np.ones(40)
    wanted = settle_gamma("scale", X.astype(np.float64), ones)
    assert settle_gamma("scale", form(X), ones) == pytest.approx(wanted, rel=1e-12, abs=0.0)
