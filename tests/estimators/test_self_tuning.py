"""The word "loo" against refits of ridge regressions; what must not change the choice."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler

from largemargin import (
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    leave_one_out_error,
    model_files,
)
from largemargin.estimators import self_tuning

TUNED = {"C": "loo", "gamma": "loo", "loss": "squared_hinge", "lambda_mean": 0.0}


@pytest.fixture
def moons():
    return make_moons(80, noise=0.3, random_state=0)


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_errors_of_two_classes_are_those_of_refitted_ridge_regressions(moons):
    X, y = moons
    results = LinearLDMClassifier("loo", lambda_var=0).fit(X, y).loo_results_
    sign = np.where(y == 1, 1.0, -1.0)
    for k, C in enumerate(results["C"]):
        ridge = Ridge(alpha=2.0 / C)
        unseen = cross_val_predict(ridge, X, sign, cv=LeaveOneOut())
        assert results["error"][0, k] == pytest.approx(np.mean((unseen > 0) != (sign > 0)))
        assert_allclose(results["squared_residual"][0, k], np.mean((unseen - sign) ** 2))


def test_errors_of_pairs_are_those_of_votes_that_have_not_seen_the_row():
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    machine = LinearLDMClassifier("loo", lambda_var=0).fit(X, y)
    k = machine.loo_results_["best"][1]
    wrong = 0
    for i in range(len(y)):
        rest, votes = np.arange(len(y)) != i, np.zeros(3)
        sums = np.zeros(3)
        for a, b in (0, 1), (0, 2), (1, 2):
            rows = rest & np.isin(y, [a, b])
            ridge = Ridge(alpha=2.0 / machine.C_)
            score = ridge.fit(X[rows], np.where(y[rows] == b, 1.0, -1.0)).predict(X[[i]])[0]
            votes[b if score > 0 else a] += 1
            sums += score * (np.arange(3) == b) - score * (np.arange(3) == a)
        wrong += np.argmax(votes + sums / (np.abs(sums) + 1) / 3) != y[i]
    assert machine.loo_results_["error"][0, k] == pytest.approx(wrong / len(y))


def test_the_choice_has_the_least_residuals_within_a_standard_error_of_the_least(moons):
    results = LDMClassifier(**TUNED).fit(*moons).loo_results_
    errors, residuals = results["error"], results["squared_residual"]
    least = errors.min()
    good = errors <= least + np.sqrt(least * (1 - least) / len(moons[1]))
    assert good[results["best"]]
    assert residuals[results["best"]] == residuals[good].min()


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_the_machine_is_the_one_with_the_chosen_numbers(wine, multi_class):
    tuned = LDMClassifier(**TUNED, multi_class=multi_class).fit(*wine)
    numbers = {**TUNED, "C": tuned.C_, "gamma": tuned.gamma_}
    plain = LDMClassifier(**numbers, multi_class=multi_class).fit(*wine)
    assert_array_equal(tuned.dual_coef_, plain.dual_coef_)
    assert (tuned.C, tuned.gamma) == ("loo", "loo")
    assert not hasattr(plain, "loo_results_")
    assert plain.C_ == plain.C


def test_a_weight_of_two_is_the_row_twice(moons):
    X, y = moons
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    machine = LDMClassifier(**TUNED, tol=1e-10)
    weighted = clone(machine).fit(X, y, counts)
    repeated = machine.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    for name in "error", "squared_residual":
        assert_allclose(weighted.loo_results_[name], repeated.loo_results_[name], rtol=1e-6)
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-4)


def test_a_class_of_weight_three_has_its_rows_left_out_as_a_whole(moons):
    X, y = moons
    machine = LinearLDMClassifier("loo", lambda_var=0, class_weight={1: 3.0}).fit(X, y)
    results, sign = machine.loo_results_, np.where(y == 1, 1.0, -1.0)
    weight = np.where(y == 1, 3.0, 1.0)
    for k, C in enumerate(results["C"][::5]):
        unseen = np.empty(len(y))
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            ridge = Ridge(alpha=2.0 / C).fit(X[rest], sign[rest], weight[rest])
            unseen[i] = ridge.predict(X[[i]])[0]
        wrong = (unseen > 0) != (sign > 0)
        assert results["error"][0, 5 * k] == pytest.approx(
            np.average(wrong, weights=weight)
        )


def test_sparse_and_precomputed_rows_give_the_same_choice(moons):
    X, y = moons
    dense = LDMClassifier("loo", gamma=0.7).fit(X, y)
    sparse = LDMClassifier("loo", gamma=0.7).fit(sp.csr_matrix(X), y)
    given = LDMClassifier("loo", kernel="precomputed").fit(rbf_kernel(X, gamma=0.7), y)
    assert dense.C_ == sparse.C_ == given.C_
    linear = LinearLDMClassifier("loo").fit(X, y)
    assert linear.C_ == LinearLDMClassifier("loo").fit(sp.csr_matrix(X), y).C_


def test_gamma_alone_is_chosen_at_the_given_price(moons):
    machine = LDMClassifier(3.0, gamma="loo").fit(*moons)
    assert machine.C_ == 3.0
    assert machine.loo_results_["error"].shape == (4, 1)


def test_many_rows_are_judged_by_a_sample_with_all_classes(monkeypatch, wine):
    monkeypatch.setattr(self_tuning, "MAX_ROWS", 20)
    X, y = wine
    first, second = (LDMClassifier(**TUNED).fit(X, y) for _ in range(2))
    assert first.C_ == second.C_
    sizes = []
    monkeypatch.setattr(
        self_tuning, "judge", lambda sample, *rest: sizes.append(sample) or np.ones((2, 16))
    )
    LDMClassifier(**TUNED).fit(X, y)
    assert 20 <= len(sizes[0].labels) <= 22
    assert len(np.unique(sizes[0].labels)) == 3


def test_the_leave_one_out_error_of_a_tuned_machine_is_that_of_its_numbers(moons):
    tuned = LDMClassifier(**TUNED).fit(*moons)
    plain = LDMClassifier(**{**TUNED, "C": tuned.C_, "gamma": tuned.gamma_}).fit(*moons)
    assert leave_one_out_error(tuned, *moons) == leave_one_out_error(plain, *moons)


def test_a_stream_keeps_the_choice_of_its_first_batch(moons):
    X, y = moons
    stream = LinearLDMClassifier("loo", random_state=0)
    stream.partial_fit(X[:40], y[:40], classes=[0, 1])
    chosen = stream.C_
    assert chosen == LinearLDMClassifier("loo").fit(X[:40], y[:40]).C_
    stream.partial_fit(X[40:], y[40:])
    plain = LinearLDMClassifier(chosen, random_state=0)
    plain.partial_fit(X[:40], y[:40], classes=[0, 1]).partial_fit(X[40:], y[40:])
    assert chosen == stream.C_
    assert_array_equal(stream.coef_, plain.coef_)
    with pytest.raises(ValueError, match="at least two classes"):
        LinearLDMClassifier("loo").partial_fit(X[y == 0], y[y == 0], classes=[0, 1])


def test_a_grid_needs_numbers(moons):
    with pytest.raises(ValueError, match="which needs no search"):
        LDMClassifierCV(Cs=["loo"]).fit(*moons)


def test_a_gram_matrix_may_be_sparse_and_have_rows_of_weight_zero(moons):
    X, y = moons
    weight = np.arange(len(y)) % 3.0
    gram, used = rbf_kernel(X), weight > 0
    dense = LDMClassifier("loo", kernel="precomputed").fit(gram, y, weight)
    sparse = LDMClassifier("loo", kernel="precomputed").fit(sp.csr_matrix(gram), y, weight)
    fewer = LDMClassifier("loo", kernel="precomputed").fit(
        gram[np.ix_(used, used)], y[used], weight[used]
    )
    assert dense.C_ == sparse.C_ == fewer.C_
    with pytest.raises(ValueError, match="square"):
        LDMClassifier("loo", kernel="precomputed").fit(X, y)


def test_constant_columns_do_not_change_the_choice_of_pairs(wine):
    X, y = wine
    wide = np.hstack([X, 3.0 * np.ones((len(y), 2)), X[:, :2]])
    plain = LinearLDMClassifier("loo").fit(np.hstack([X, X[:, :2]]), y).loo_results_
    moved = LinearLDMClassifier("loo").fit(wide, y).loo_results_
    assert_allclose(plain["error"], moved["error"], atol=1e-12)


@pytest.mark.parametrize("C", [0.0, np.inf])
def test_without_a_finite_price_the_width_is_that_of_scale(C, moons):
    X, y = moons
    tuned = LDMClassifier(C, gamma="loo", lambda_var=1.0).fit(X[::5], y[::5])
    plain = LDMClassifier(C, gamma="scale", lambda_var=1.0).fit(X[::5], y[::5])
    assert tuned.gamma_ == plain.gamma_
    assert not hasattr(tuned, "loo_results_")


def test_the_width_of_an_earlier_fit_does_not_stay(moons):
    machine = LDMClassifier().fit(*moons)
    assert machine.gamma_ > 0
    machine.set_params(kernel="linear").fit(*moons)
    assert not hasattr(machine, "gamma_")


def test_a_tuned_machine_survives_a_model_file(moons, tmp_path):
    machine = LDMClassifier(**TUNED).fit(*moons)
    model_files.save(machine, tmp_path / "tuned.model")
    loaded = model_files.load(tmp_path / "tuned.model")
    assert loaded.C_ == machine.C_
    assert loaded.loo_results_["best"] == machine.loo_results_["best"]
    assert_array_equal(loaded.predict(moons[0]), machine.predict(moons[0]))


def test_weights_that_add_up_to_one_keep_the_standard_error(moons, monkeypatch):
    X, y = moons
    counts, best_point = [], self_tuning.best_point
    monkeypatch.setattr(
        self_tuning, "best_point", lambda *args: counts.append(args[2]) or best_point(*args)
    )
    LDMClassifier(**TUNED).fit(X, y, np.full(len(y), 1.0 / len(y)))
    assert counts == [len(y)]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_that_overflow_are_refused_without_a_warning(moons, kernel):
    X, y = moons
    machine = LDMClassifier(kernel=kernel, **TUNED)
    with pytest.raises(ValueError, match="overflows"):
        machine.fit(1e200 * X, y)
