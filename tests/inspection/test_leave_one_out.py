"""The leave-one-out error against a fit for each row, and the bound above it."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, minmax_scale
from sklearn.svm import SVC

from largemargin import (
    LDMClassifierCV,
    leave_one_out_bound,
    leave_one_out_error,
)
from largemargin.inspection.margin_moves import metric_products
from largemargin.inspection.refits import Case
from machines import fixed_ldm, fixed_linear_ldm

PRICES = [(0.0, 0.0), (2**-4, 2**-4), ("scale", "scale")]


@cache
def moons():
    return make_moons(70, noise=0.3, random_state=0)


@cache
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return minmax_scale(X)[::8], y[::8]


@cache
def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X)[:130:2], y[:130:2]


@pytest.mark.parametrize(("lambda_var", "lambda_mean"), PRICES)
@pytest.mark.parametrize(
    "machine",
    [
        fixed_ldm(5, gamma=2.0, tol=1e-7),
        fixed_ldm(5, gamma=2.0, tol=1e-7, fit_intercept=False),
        fixed_linear_ldm(5, tol=1e-7),
        fixed_ldm(5, gamma=2.0, tol=1e-7, loss="squared_hinge"),
        fixed_linear_ldm(5, tol=1e-7, loss="squared_hinge"),
    ],
    ids=["rbf", "no intercept", "linear", "squared, rbf", "squared, linear"],
)
def test_the_error_is_that_of_a_fit_for_each_row(machine, lambda_var, lambda_mean):
    X, y = make_moons(36, noise=0.3, random_state=0)
    machine = clone(machine).set_params(lambda_var=lambda_var, lambda_mean=lambda_mean)
    wanted = 1 - cross_val_score(machine, X, y, cv=LeaveOneOut()).mean()
    assert_allclose(leave_one_out_error(machine.fit(X, y), X, y), wanted)


@cache
def many():
    """Three classes that overlap, and a fourth one of a single row."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::5] + np.random.default_rng(0).normal(size=(30, 4)), y[::5]
    return np.vstack([X, X[:1] + 0.5]), np.append(y, 3)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize(
    "machine",
    [
        fixed_linear_ldm(tol=1e-7),
        fixed_linear_ldm(tol=1e-7, class_weight="balanced"),
        fixed_ldm(gamma=0.3, tol=1e-7),
        fixed_ldm(gamma=0.3, tol=1e-7, class_weight="balanced"),
        fixed_ldm(gamma=0.3, tol=1e-7, lambda_var=0, lambda_mean=0),
    ],
    ids=str,
)
def test_the_error_of_several_classes_is_that_of_their_prediction(machine, multi_class):
    X, y = many()
    machine = clone(machine).set_params(multi_class=multi_class).fit(X, y)
    wanted = 1 - cross_val_score(machine, X, y, cv=LeaveOneOut()).mean()
    assert wanted > 0.05
    assert_allclose(leave_one_out_error(machine, X, y), wanted)


def test_the_error_of_pairs_counts_weights_and_reads_gram_matrices():
    X, y = many()
    X, y = X[:-1], y[:-1]
    weight, gram = np.arange(30) % 3.0, rbf_kernel(X, gamma=0.3)
    machine = fixed_ldm(kernel="precomputed", tol=1e-7, class_weight="balanced")
    wrong = []
    for i in range(30):
        kept = np.arange(30) != i
        rest = clone(machine).fit(gram[np.ix_(kept, kept)], y[kept], weight[kept])
        wrong.append(rest.predict(gram[[i]][:, kept])[0] != y[i])
    error = leave_one_out_error(machine.fit(gram, y, weight), gram, y, weight)
    assert_allclose(error, np.average(wrong, weights=weight))


@pytest.mark.parametrize("kind", ["paper", "stable"])
@pytest.mark.parametrize("machine", [fixed_ldm(10), fixed_linear_ldm(10)], ids=str)
def test_the_bound_of_pairs_is_the_sum_over_the_pairs(machine, kind):
    X, y = many()
    X, y = X[:-1], y[:-1]
    machine = clone(machine).set_params(lambda_var=0.1, lambda_mean=0.1, tol=1e-7)
    if "gamma" in machine.get_params():
        machine.set_params(gamma=0.3)
    total = 0.0
    for pair in (0, 1), (0, 2), (1, 2):
        own = np.isin(y, pair)
        two = clone(machine).fit(X[own], y[own])
        total += leave_one_out_bound(two, X[own], y[own], kind=kind) * own.mean()
    bound = leave_one_out_bound(machine.fit(X, y), X, y, kind=kind)
    assert_allclose(bound, total, rtol=1e-3)
    assert leave_one_out_error(machine, X, y) <= bound


@pytest.mark.parametrize("rows", [moons, cancer, wine])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("kind", [fixed_ldm, fixed_linear_ldm])
@pytest.mark.parametrize(("lambda_var", "lambda_mean"), PRICES)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_bound_lies_above_the_error(rows, C, kind, lambda_var, lambda_mean, loss):
    X, y = rows()
    machine = kind(C, lambda_var=lambda_var, lambda_mean=lambda_mean, loss=loss)
    machine.set_params(fit_intercept=lambda_var != 0).fit(X, y)
    error = leave_one_out_error(machine, X, y)
    assert error <= leave_one_out_bound(machine, X, y, kind="stable")
    if lambda_var != "scale":
        assert error <= leave_one_out_bound(machine, X, y)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_and_kernels_measure_lengths_alike(blobs, fit_intercept):
    X, y = blobs
    options = {"lambda_var": 3.0, "fit_intercept": fit_intercept}
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    lengths = [
        metric_products(
            next(Case.of(machine.fit(X, y, weight), X, y, weight).machines()).problem
        )
        for machine in (
            fixed_linear_ldm(**options),
            fixed_ldm(kernel="linear", **options),
        )
    ]
    for one, other in zip(*lengths, strict=True):
        assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_without_prices_the_bound_is_that_of_the_support_vector_machine():
    X, y = moons()
    gram = rbf_kernel(X, gamma=2.0)
    machine = fixed_ldm(
        1, kernel="precomputed", lambda_var=0, lambda_mean=0, fit_intercept=False, tol=1e-9
    ).fit(gram, y)
    beta = machine.dual_beta_
    free, bound = beta[(beta > 1e-9) & (beta < 1 - 1e-6)], beta[beta >= 1 - 1e-6]
    wanted = (free.sum() + len(bound)) / len(y)
    assert_allclose(leave_one_out_bound(machine, gram, y), wanted, rtol=1e-6)


def test_the_bound_of_the_squared_hinge_is_that_of_a_hard_margin_with_a_ridge():
    X, y = moons()
    gram, SVM = rbf_kernel(X, gamma=2.0), {"lambda_var": 0, "lambda_mean": 0}
    options = {"kernel": "precomputed", "fit_intercept": False, "tol": 1e-10, **SVM}
    soft = fixed_ldm(3, loss="squared_hinge", **options).fit(gram, y)
    # A kernel whose matrix has a larger diagonal turns one machine into the other.
    raised = gram + np.eye(len(y)) / (2 * 3)
    hard = fixed_ldm(np.inf, **options).fit(raised, y)
    found = leave_one_out_bound(soft, gram, y)
    assert_allclose(found, leave_one_out_bound(hard, raised, y), rtol=1e-4)
    assert leave_one_out_error(soft, gram, y) <= found


def test_rows_without_weight_do_not_count():
    X, y = moons()
    weight = np.ones(len(y))
    weight[::5] = 0
    machine = fixed_ldm().fit(X, y, weight)
    alone = fixed_ldm(gamma=machine._kernel.gamma).fit(X[weight > 0], y[weight > 0])
    for function in leave_one_out_bound, leave_one_out_error:
        assert_allclose(
            function(machine, X, y, weight), function(alone, X[weight > 0], y[weight > 0])
        )


def test_a_search_is_judged_by_its_best_machine():
    X, y = moons()
    search = LDMClassifierCV(Cs=[1.0], lambda_vars=["scale"], cv=3).fit(X, y)
    found = leave_one_out_error(search, X, y)
    assert_allclose(found, leave_one_out_error(search.best_estimator_, X, y))


def test_what_cannot_be_bounded_is_refused():
    X, y = moons()
    machine = fixed_ldm(lambda_var=0, lambda_mean=0).fit(X, y)
    with pytest.raises(ValueError, match="with an intercept and lambda_var=0"):
        leave_one_out_bound(machine, X, y)
    with pytest.raises(ValueError, match="the 70 rows that the estimator was fitted on"):
        leave_one_out_error(machine, X[:10], y[:10])
    with pytest.raises(ValueError, match="kind must be one of paper, stable; got 'new'"):
        leave_one_out_bound(machine, X, y, kind="new")
    with pytest.raises(TypeError, match="got SVC"):
        leave_one_out_error(SVC().fit(X, y), X, y)


def test_the_paper_s_bound_does_not_hold_at_large_prices_and_the_stable_one_does():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(rng.random(60) < 0.5, 1, -1)  # nothing can be learned
    prices = {"lambda_var": "500*scale", "lambda_mean": "500*scale"}
    machine = fixed_ldm(1, gamma=1.0, **prices).fit(X, y)
    error = leave_one_out_error(machine, X, y)
    assert leave_one_out_bound(machine, X, y) < error
    assert error <= leave_one_out_bound(machine, X, y, kind="stable")


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}])
def test_class_weights_follow_the_rows_that_are_left(class_weight):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] + rng.normal(size=30) > 1).astype(int)
    for price in (0.0, "scale"):
        machine = fixed_linear_ldm(
            class_weight=class_weight, lambda_var=price, lambda_mean=price, tol=1e-9
        )
        wanted = 1 - cross_val_score(machine, X, y, cv=LeaveOneOut()).mean()
        assert_allclose(leave_one_out_error(machine.fit(X, y), X, y), wanted)


def test_a_pipeline_transforms_its_rows_first():
    X, y = moons()
    X = X * [100, 0.01]
    machine = fixed_ldm(lambda_var=0.1, lambda_mean=0.1)
    pipeline = make_pipeline(StandardScaler(), machine).fit(X, y)
    inside = pipeline[-1], pipeline[0].transform(X), y
    for function in leave_one_out_bound, leave_one_out_error:
        assert_allclose(function(pipeline, X, y), function(*inside))


def test_the_last_row_of_a_class_is_wrong_without_itself():
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    machine = fixed_linear_ldm().fit(X, [0, 0, 0, 1])
    assert_allclose(leave_one_out_error(machine, X, [0, 0, 0, 1]), 0.25)


def test_offsets_of_the_columns_do_not_change_what_is_left_out():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(40) > 0, 1, -1)
    errors = [
        leave_one_out_error(fixed_linear_ldm(tol=1e-8).fit(rows, y), rows, y)
        for rows in (X, X + 2.0**20)
    ]
    assert errors[0] == errors[1]


def test_float32_rows_of_nearly_dependent_features_have_a_bound():
    X = np.random.default_rng(0).normal(size=(400, 100)).astype(np.float32)
    X[:, 70:] = X[:, :30] + np.float32(1e-3) * X[:, 70:]
    y = X[:, 0] > 0
    X += np.float32(20)
    machine = fixed_linear_ldm(lambda_var=1e4).fit(X, y)
    assert 0 <= leave_one_out_bound(machine, X, y) <= 1
