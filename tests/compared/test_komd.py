"""KM-OMD against a QP solver, closed forms and the hard margin."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from largemargin import KOMDClassifier
from largemargin.estimators import kernel_space
from oracle import solve_least_qp

EXACT = {"tol": 1e-10}


def play(gram, y, weight, lam, scale):
    """Return the weights of the rows in the game of KM-OMD, by a QP solver."""
    signed = np.outer(y, y) * gram
    quadratic = 2 * ((1 - lam) * signed + lam * scale * np.diag(1 / weight))
    return solve_least_qp(quadratic, np.zeros(len(y)), [y > 0, y < 0], [1.0, 1.0])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("ridge", ["unit", "classes"])
@pytest.mark.parametrize("lam", [0.01, 0.3, 0.9])
def test_komd_weights_solve_the_quadratic_programme(moons, kernel, ridge, lam):
    X, y, weight = moons
    gram = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=1.0)
    sizes = weight[y > 0].sum(), weight[y < 0].sum()
    scale = 1.0 if ridge == "unit" else np.prod(sizes) / np.sum(sizes)
    expected = play(gram, y, weight, lam, scale)
    komd = KOMDClassifier(lam, ridge=ridge, kernel=kernel, gamma=1.0, **EXACT)
    komd.fit(X, y, weight)
    assert_allclose(komd.dual_beta_, expected, atol=1e-7)
    middle = 0.5 * expected @ gram @ (y * expected)
    assert_allclose(komd.decision_function(X), gram @ (y * expected) - middle, atol=1e-7)


def test_komd_threshold_lies_halfway_between_the_weighted_mean_scores(moons):
    X, y, weight = moons
    komd = KOMDClassifier().fit(X, y, weight)
    means = [komd.dual_beta_[y == s] @ komd.decision_function(X[y == s]) for s in (-1, 1)]
    assert_allclose(sum(means), 0.0, atol=1e-12)


def test_even_weights_are_the_difference_of_the_class_means(moons):
    X, y, weight = moons
    komd = KOMDClassifier(1.0, kernel="linear").fit(X, y, weight)
    centres = [weight[y == s] @ X[y == s] / weight[y == s].sum() for s in (-1, 1)]
    assert_allclose(komd.coef_[0], centres[1] - centres[0], rtol=1e-12)
    assert_allclose(komd.decision_function([np.mean(centres, axis=0)]), 0.0, atol=1e-12)


@pytest.mark.parametrize("lam", [0.0, 1e-8])
def test_komd_without_a_price_is_the_hard_margin(separable, lam):
    X, y = separable
    komd = KOMDClassifier(lam, kernel="linear", tol=1e-8).fit(X, y)
    svm = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
    # Twice the margin is the distance of the hulls, which is the length of w.
    width = 2 / np.linalg.norm(svm.coef_)
    assert_allclose(np.linalg.norm(komd.coef_), width, rtol=1e-6)
    assert_allclose(komd.coef_ / width**2 * 2, svm.coef_, rtol=1e-5)


def test_komd_without_a_price_refuses_classes_that_meet(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="lam"):
        KOMDClassifier(0.0, kernel="linear").fit(X, y)


def test_the_two_ridges_are_one_family(moons):
    X, y, weight = moons
    sizes = weight[y > 0].sum(), weight[y < 0].sum()
    scale = np.prod(sizes) / np.sum(sizes)
    lam = 0.05
    classes = KOMDClassifier(lam, ridge="classes", **EXACT).fit(X, y, weight)
    lam_paper = lam * scale / (1 - lam + lam * scale)
    unit = KOMDClassifier(lam_paper, ridge="unit", **EXACT).fit(X, y, weight)
    assert_allclose(classes.dual_beta_, unit.dual_beta_, atol=1e-9)


@pytest.mark.parametrize("lam", [1e-4, 0.1, 0.5, 0.99])
def test_komd_gap_is_within_its_tolerance(iris, lam):
    X, y = iris
    komd = KOMDClassifier(lam).fit(X, y)
    assert np.all(komd.duality_gap_ <= komd.tol)
    assert_allclose(komd.dual_beta_.sum(axis=1), 2.0)


def test_komd_takes_no_more_steps_than_allowed(moons):
    X, y, _ = moons
    with pytest.warns(ConvergenceWarning) as caught:
        komd = KOMDClassifier(1e-4, max_iter=3).fit(X, y)
    assert komd.n_iter_ <= 3
    assert "warm_start" not in str(caught[0].message)


def test_komd_at_a_vanishing_price_is_the_hard_margin(separable):
    X, y = separable
    tiny = KOMDClassifier(1e-310, kernel="linear").fit(X, y)
    assert_allclose(tiny.coef_, KOMDClassifier(0.0, kernel="linear").fit(X, y).coef_)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kernel", ["linear", "cosine", "precomputed"])
def test_komd_without_a_price_refuses_rows_that_are_nothing(kernel):
    with pytest.raises(ValueError, match="lam=0"):
        KOMDClassifier(0.0, kernel=kernel).fit(np.zeros((6, 6)), [0, 1] * 3)


@pytest.mark.parametrize(
    "kernel", [{"kernel": "sigmoid", "gamma": 1, "coef0": 0.5}, {"kernel": "rbf"}], ids=str
)
def test_komd_keeps_what_it_solved(kernel, moons, monkeypatch):
    X, y, _ = moons
    if kernel["kernel"] == "rbf":
        monkeypatch.setattr(kernel_space, "MAX_GRAM_BYTES", 1000)  # a machine of low rank
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        machine = KOMDClassifier(**kernel).fit(X, y)
    real = np.mean(np.where(y > 0, 1, -1) * machine.decision_function(X))
    assert machine.margin_mean_ == pytest.approx(real, rel=1e-3)


def test_komd_of_equal_weights_leans_on_few_rows():
    X, y = make_moons(600, noise=0.2, random_state=0)
    machine = KOMDClassifier(1.0, kernel="poly").fit(X, y)
    assert len(machine.support_) < 20


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_weights_near_overflow_are_refused_in_plain_words(moons):
    X, y, _ = moons
    machine = KOMDClassifier(kernel="linear", ridge="classes", lam=1.0)
    with pytest.raises(ValueError, match=r"add up to \S+; expected their sum .* Scale"):
        machine.fit(X, y, np.full(len(y), 1e200))
