"""The compared methods against closed forms, a QP solver, scikit-learn and each other."""

import warnings

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import check_grad
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestCentroid
from sklearn.svm import SVC, LinearSVC

from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LinearLDMClassifier,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
    margin_distribution,
)
from largemargin.compared.mdo import mean_cost, unit_rows, weighted_median
from largemargin.estimators import kernel_space
from largemargin.estimators.table import METHODS
from largemargin.problem import Targets
from oracle import solve_as_tightly_as_possible

EXACT = {"tol": 1e-10}


@pytest.fixture
def moons():
    """Return rows of two classes of unequal size, their labels and uneven weights."""
    X, y = make_moons(90, noise=0.3, random_state=0)
    kept = np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:25]]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(kept))
    return X[kept], np.where(y[kept] == 1, 1, -1), weight


def solve_qp(quadratic, linear, equalities=(), values=(), nonnegative=None):
    """Return the argument of the least ``x'Px / 2 + q'x`` by interior points."""
    n = len(linear)
    inequalities = np.eye(n) if nonnegative is None else nonnegative
    arguments = (
        sp.triu(sp.csc_matrix(quadratic), format="csc"),
        np.asarray(linear, dtype=float),
        sp.csc_matrix(np.vstack([*np.reshape(equalities, (-1, n)), -inequalities])),
        np.r_[np.asarray(values, dtype=float), np.zeros(len(inequalities))],
        [clarabel.ZeroConeT(len(values)), clarabel.NonnegativeConeT(len(inequalities))],
    )
    return np.array(solve_as_tightly_as_possible(arguments).x)


# ODM


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_odm_without_band_and_upper_price_is_the_squared_hinge_machine(blobs, C):
    X, y = blobs
    odm = ODMClassifier(
        C, mu=0, theta=0, kernel="linear", fit_intercept=False, **EXACT
    ).fit(X, y)
    svm = LinearSVC(C=C, fit_intercept=False, tol=1e-12, max_iter=1_000_000).fit(X, y)
    assert_allclose(odm.coef_, svm.coef_, atol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_odm_without_band_and_equal_prices_is_least_squares(moons, fit_intercept):
    X, y, weight = moons
    odm = ODMClassifier(
        3.0, mu=1, theta=0, kernel="linear", fit_intercept=fit_intercept, **EXACT
    ).fit(X, y, weight)
    ridge = Ridge(1 / 6.0, fit_intercept=fit_intercept).fit(X, y, weight)
    assert_allclose(odm.coef_[0], ridge.coef_, rtol=1e-9)
    assert_allclose(odm.intercept_, ridge.intercept_, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("C", "mu", "theta"), [(0.1, 0.5, 0.1), (10, 0.2, 0.6), (1, 1, 0.3)]
)
def test_odm_is_the_solution_of_its_dual(moons, kernel, fit_intercept, C, mu, theta):
    X, y, weight = moons
    gram = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=1.0)
    # Both dual variables a row, as in the paper, for lambda = C * sum(weight).
    signed = np.outer(y, y) * gram
    ridge = (1 - theta) ** 2 / (2 * C * weight)
    quadratic = np.block([[signed, -signed], [-signed, signed]]) + np.diag(
        np.r_[ridge, ridge / mu]
    )
    n = len(y)
    linear = np.r_[-(1 - theta) * np.ones(n), (1 + theta) * np.ones(n)]
    balanced = ([np.r_[y, -y]], [0.0]) if fit_intercept else ()
    dual = solve_qp(quadratic, linear, *balanced)
    force = y * (dual[:n] - dual[n:])
    odm = ODMClassifier(
        C,
        mu=mu,
        theta=theta,
        kernel=kernel,
        gamma=1.0,
        fit_intercept=fit_intercept,
        **EXACT,
    ).fit(X, y, weight)
    scores = odm.decision_function(X) - odm.intercept_
    assert_allclose(scores, gram @ force, atol=1e-6)
    assert_allclose(odm.dual_beta_ * y, force, atol=1e-5 * np.abs(force).max())


@pytest.mark.parametrize("mu", [0, 0.5])
def test_odm_reports_a_gap_within_its_tolerance_on_kernels_and_rows(iris, mu):
    X, y = iris
    for kernel in "linear", "rbf", "poly":
        odm = ODMClassifier(10.0, mu=mu, kernel=kernel).fit(X, y)
        assert np.all(odm.duality_gap_ <= odm.tol)


def test_odm_gap_bounds_the_distance_from_the_optimum(moons):
    X, y, _ = moons
    best = ODMClassifier(100.0, **EXACT).fit(X, y).objective_
    with pytest.warns(UserWarning, match="max_iter"):
        early = ODMClassifier(100.0, max_iter=2).fit(X, y)
    assert early.objective_ > best
    assert early.objective_ - best <= early.duality_gap_ * early.objective_


def test_linear_kernel_of_odm_equals_the_same_gram_matrix(moons):
    X, y, weight = moons
    rows = ODMClassifier(kernel="linear", **EXACT).fit(X, y, weight)
    gram = ODMClassifier(kernel="precomputed", **EXACT).fit(X @ X.T, y, weight)
    assert_allclose(rows.decision_function(X), gram.decision_function(X @ X.T), atol=1e-8)


def test_odm_goes_on_from_the_last_solution(moons):
    X, y, _ = moons
    odm = ODMClassifier(100.0, warm_start=True).fit(X, y)
    cold = odm.n_iter_
    assert odm.fit(X, y).n_iter_ < cold


# KM-OMD


def play(gram, y, weight, lam, scale):
    """Return the weights of the rows in the game of KM-OMD, by a QP solver."""
    signed = np.outer(y, y) * gram
    quadratic = 2 * ((1 - lam) * signed + lam * scale * np.diag(1 / weight))
    return solve_qp(quadratic, np.zeros(len(y)), [y > 0, y < 0], [1.0, 1.0])


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


# MAMC


def test_mamc_without_threshold_is_the_ldm_without_losses(moons):
    X, y, weight = moons
    for kernel in "linear", "rbf":
        mamc = MAMCClassifier(threshold="none", kernel=kernel).fit(X, y, weight)
        ldm = LDMClassifier(
            0.0, lambda_var=0.0, lambda_mean=1.0, kernel=kernel, fit_intercept=False
        ).fit(X, y, weight)
        scores = mamc.decision_function(X), ldm.decision_function(X)
        ratios = scores[0] / scores[1]
        assert_allclose(ratios, ratios[0], rtol=1e-8)
        assert ratios[0] > 0


def test_mamc_direction_has_length_one(moons):
    X, y, weight = moons
    for threshold in "none", "balanced":
        mamc = MAMCClassifier(threshold=threshold, kernel="linear").fit(X, y, weight)
        assert_allclose(np.linalg.norm(mamc.coef_), 1.0)
    bounded = MAMCClassifier(threshold="bounded", kernel="linear").fit(X, y, weight)
    assert_allclose(np.hypot(np.linalg.norm(bounded.coef_), bounded.intercept_), 1.0)


def test_balanced_mamc_is_the_nearest_centroid_rule(moons):
    X, y, _ = moons
    mamc = MAMCClassifier(kernel="linear").fit(X, y)
    grid = np.random.default_rng(1).normal(size=(500, 2))
    assert np.array_equal(mamc.predict(grid), NearestCentroid().fit(X, y).predict(grid))


def test_bounded_mamc_is_the_raw_form_with_a_constant_feature(moons):
    X, y, weight = moons
    bounded = MAMCClassifier(threshold="bounded", kernel="linear").fit(X, y, weight)
    X_one = np.column_stack([X, np.ones(len(X))])
    raw = MAMCClassifier(threshold="none", kernel="linear").fit(X_one, y, weight)
    assert_allclose(bounded.decision_function(X), raw.decision_function(X_one))


def test_no_direction_of_length_one_has_a_larger_mean_margin(moons):
    X, y, _ = moons
    mamc = MAMCClassifier(threshold="none", kernel="linear").fit(X, y)
    directions = np.random.default_rng(2).normal(size=(1000, 2))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    assert mamc.margin_mean_ >= (y @ X @ directions.T).max() / len(y)


@pytest.mark.parametrize("threshold", ["none", "balanced", "bounded"])
def test_mamc_takes_a_precomputed_kernel(moons, threshold):
    X, y, weight = moons
    rows = MAMCClassifier(threshold=threshold, gamma=1.0).fit(X, y, weight)
    gram = rbf_kernel(X, gamma=1.0)
    given = MAMCClassifier(threshold=threshold, kernel="precomputed").fit(gram, y, weight)
    assert_allclose(given.decision_function(gram), rows.decision_function(X), atol=1e-10)


def test_mamc_refuses_a_kernel_under_which_it_has_no_length(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="positive semi-definite"):
        MAMCClassifier(kernel="precomputed").fit(-rbf_kernel(X), y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("seed", range(6))
def test_mamc_of_classes_on_top_of_each_other_has_no_direction(kernel, seed):
    rows = np.random.default_rng(seed).normal(size=(20 + seed, 2))
    X, y = np.vstack([rows, rows]), np.repeat([0, 1], 20 + seed)
    scores = MAMCClassifier(kernel=kernel).fit(X, y).decision_function(X)
    assert np.abs(scores).max() < 1e-10


def test_mamc_refuses_what_overflows(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="overflows"):
        MAMCClassifier(kernel="linear").fit(X * 1e200, y)


def test_mamc_checks_the_values_of_a_callable(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="finite"):
        MAMCClassifier(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)


# MDO


def test_gradient_of_the_mean_cost_is_that_of_finite_differences(moons):
    X, y, weight = moons
    rows = unit_rows(X, constant=True)
    arguments = rows, y.astype(float), weight / weight.sum(), 4.0, 0.2
    for h in np.random.default_rng(0).normal(size=(5, 3)):
        error = check_grad(
            lambda h: mean_cost(h, *arguments)[0], lambda h: mean_cost(h, *arguments)[1], h
        )
        assert error < 1e-6


def test_mdo_keeps_the_best_of_its_starts_and_tells_of_all(moons):
    X, y, weight = moons
    mdo = MDOClassifier(random_state=0, beta=0.0).fit(X, y, weight)
    assert len(mdo.objectives_) == 5
    assert mdo.objective_ == mdo.objectives_.min()
    rows = unit_rows(X, constant=True)
    h = np.r_[mdo.coef_[0], mdo.intercept_]
    cost, slope = mean_cost(h, rows, y, weight / weight.sum(), mdo.alpha_, 0.0)
    assert_allclose(cost * weight.sum(), mdo.objective_)
    assert np.abs(slope).max() < 1e-6


def test_every_descent_of_mdo_ends_where_it_is_as_flat_as_asked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 300)), np.repeat([-1.0, 1.0], 50)
    mdo = MDOClassifier(random_state=0, tol=1e-4)
    rows, share = unit_rows(X, constant=True), np.full(100, 0.01)
    descents = mdo._descend(
        rows, Targets.of_classes(y), np.ones(100), np.random.RandomState(0)
    )
    for end in descents.ends:
        h = end.x / np.linalg.norm(end.x)
        slope = mean_cost(h, rows, y, share, descents.alpha, descents.beta)[1]
        assert np.abs(slope).max() < 2e-4


def test_mdo_says_when_it_ran_out_of_steps(iris):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        mdo = MDOClassifier(max_iter=1, random_state=0).fit(*iris)
    assert mdo.objectives_.shape == (3, 5)


def test_mdo_finds_the_global_minimum_on_the_circle(moons):
    X, y, _ = moons
    mdo = MDOClassifier(fit_intercept=False, random_state=0).fit(X, y)
    angles = np.linspace(0, 2 * np.pi, 2000)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    rows = unit_rows(X, constant=False)
    share = np.full(len(y), 1 / len(y))
    costs = [mean_cost(h, rows, y, share, mdo.alpha_, mdo.beta_)[0] for h in directions]
    assert mdo.objective_ / len(y) <= min(costs) + 1e-9


def test_mdo_hardly_moves_for_gross_outliers_where_the_svm_turns():
    X, y = make_blobs([60, 60], centers=[[-2, 0], [2, 0]], random_state=0)
    X_far = np.vstack([X, np.tile([60.0, 0.0], (6, 1))])
    y_far = np.r_[y, np.zeros(6)]
    mdo = MDOClassifier(random_state=0).fit(X_far, y_far)
    svm = LinearLDMClassifier(lambda_var=0, lambda_mean=0).fit(X_far, y_far)
    assert mdo.score(X, y) > 0.95 > svm.score(X, y)


def test_mdo_does_not_care_how_long_rows_are(moons):
    X, y, weight = moons
    lengths = np.random.default_rng(0).uniform(0.1, 10.0, len(X))
    ours = [
        MDOClassifier(fit_intercept=False, random_state=0).fit(rows, y, weight)
        for rows in (X, X * lengths[:, None])
    ]
    assert_allclose(ours[0].coef_, ours[1].coef_, atol=1e-6)


def test_the_median_of_weighted_values_is_that_of_repeated_ones():
    values, weight = np.array([3.0, 1.0, 2.0, 5.0]), np.array([1, 2, 3, 1])
    assert weighted_median(values, weight) == np.median(np.repeat(values, weight))


# All of them


@pytest.mark.parametrize("machine", [ODMClassifier, KOMDClassifier, MAMCClassifier])
def test_a_refit_with_a_linear_kernel_forgets_the_rows_of_the_last_fit(moons, machine):
    X, y, _ = moons
    refitted = machine().fit(X, y).set_params(kernel="linear").fit(X, y)
    length = margin_distribution(refitted, X, y).lengths[0]
    assert_allclose(length, np.linalg.norm(refitted.coef_))
    assert not hasattr(refitted, "dual_coef_")


def test_class_weights_that_leave_nothing_are_refused(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="leaves no row"):
        ODMClassifier(class_weight={-1: 0, 1: 0}).fit(X, y)


ALL = [
    method.machine(kernel)
    for name, method in METHODS.items()
    if name not in ("ldm", "svm")
    for kernel in method.machines
]


@pytest.mark.parametrize("method", ALL, ids=str)
def test_sparse_rows_give_what_dense_rows_give(iris, method):
    X, y = iris
    X = np.where(X > 3, X, 0.0)
    sparse = sp.csr_matrix(X)
    sparse.indices = sparse.indices.astype(np.int64)
    sparse.indptr = sparse.indptr.astype(np.int64)
    dense_scores = method.fit(X, y).decision_function(X)
    assert_allclose(
        method.fit(sparse, y).decision_function(sparse), dense_scores, atol=1e-6
    )


@pytest.mark.parametrize("method", ALL, ids=str)
def test_labels_may_be_words_and_classes_many(iris, method):
    X, y = iris
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    assert method.fit(X, words).score(X, words) > 0.6
    assert method.decision_function(X).shape == (150, 3)


@pytest.mark.parametrize("method", ALL, ids=str)
def test_a_fit_that_fails_leaves_the_last_one_as_it_was(iris, method):
    X, y = iris
    before = method.fit(X, y).decision_function(X)
    with pytest.raises(ValueError, match="one class"):
        method.fit(X[:10], np.zeros(10))
    assert_allclose(method.decision_function(X), before)


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


def test_odm_goes_on_from_a_warm_start_on_offset_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) + np.array([1e4, 0.0])
    y = np.where(X[:, 1] + rng.standard_normal(60) > 0, 1, -1)
    machine = ODMClassifier(kernel="linear", warm_start=True).fit(X, y)
    first = machine.objective_
    assert machine.fit(X, y).objective_ == pytest.approx(first, rel=1e-3)
