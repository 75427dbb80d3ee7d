"""What must not change the machine: order, repetition, names, storage, threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from machines import fixed_ldm, fixed_linear_ldm

EXACT = {"tol": 1e-12}
MACHINES = [
    fixed_linear_ldm(**EXACT),
    fixed_linear_ldm(lambda_var=0.25, lambda_mean=0, C=5, **EXACT),
    fixed_linear_ldm(solver="asgd", random_state=0),
    fixed_ldm(**EXACT),
    fixed_ldm(lambda_var=0.25, lambda_mean=0, C=5, **EXACT),
    fixed_linear_ldm(loss="squared_hinge", **EXACT),
    fixed_linear_ldm(loss="squared_hinge", solver="asgd", random_state=0),
    fixed_ldm(loss="squared_hinge", lambda_var=0, lambda_mean=0, **EXACT),
]
everything = pytest.mark.parametrize("machine", MACHINES, ids=str)


def data(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = rng.integers(n_classes, size=40)
    y[:n_classes] = np.arange(n_classes)
    return X + 0.7 * y[:, None], y


@everything
@given(seed=st.integers(0, 50))
def test_the_order_of_rows_does_not_matter(machine, seed):
    X, y = data(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    straight = machine.fit(X, y).decision_function(X)
    assert_allclose(
        machine.fit(X[order], y[order]).decision_function(X), straight, atol=1e-6
    )


@everything
@given(seed=st.integers(0, 50))
def test_weights_are_repetitions(machine, seed):
    X, y = data(seed, n_classes=3)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:3] = 1
    weighted = machine.fit(X, y, sample_weight=times).decision_function(X)
    repeated = machine.fit(X.repeat(times, axis=0), y.repeat(times)).decision_function(X)
    assert_allclose(weighted, repeated, atol=1e-6)


@everything
@given(seed=st.integers(0, 50))
def test_sparse_rows_are_dense_rows(machine, seed):
    X, y = data(seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.5] = 0
    dense = machine.fit(X, y).decision_function(X)
    sparse = machine.fit(sp.csr_matrix(X), y).decision_function(sp.csr_matrix(X))
    assert_allclose(dense, sparse, atol=1e-6)


@pytest.mark.parametrize(
    "names", [("no", "yes"), (False, True), (-7.5, 3.25), (np.int8(3), np.int8(4))]
)
def test_labels_may_be_anything(blobs, names):
    X, y = blobs
    named = np.array(names)[(y > 0).astype(int)]
    plain = fixed_ldm().fit(X, y)
    renamed = fixed_ldm().fit(X, named)
    assert_array_equal(renamed.decision_function(X), plain.decision_function(X))
    assert_array_equal(
        renamed.predict(X), np.array(names)[(plain.predict(X) > 0).astype(int)]
    )


@pytest.mark.parametrize("solver", ["newton", "dual_cd", "asgd"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_widths_give_the_same_machine(blobs, solver, dtype, index):
    X, y = blobs
    matrix = sp.csr_matrix(X.astype(dtype))
    matrix.indices, matrix.indptr = (
        matrix.indices.astype(index),
        matrix.indptr.astype(index),
    )
    options = {"solver": solver, "tol": 1e-9, "random_state": 0}
    wide = fixed_linear_ldm(**options).fit(X, y)
    ours = fixed_linear_ldm(**options).fit(matrix, y)
    dense = fixed_linear_ldm(**options).fit(X.astype(dtype), y)
    assert_allclose(ours.coef_, wide.coef_, rtol=1e-4, atol=1e-5)
    assert_allclose(dense.coef_, wide.coef_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_read_only_rows_are_used_and_left_alone(blobs, tmp_path, dtype, order):
    X, y = blobs
    X = np.asarray(X, dtype=dtype, order=order)
    mapped = np.memmap(
        tmp_path / "rows", dtype=dtype, mode="w+", shape=X.shape, order=order
    )
    mapped[:] = X
    mapped.flush()
    mapped = np.memmap(tmp_path / "rows", dtype=dtype, mode="r", shape=X.shape, order=order)
    for machine in (
        fixed_linear_ldm(),
        fixed_ldm(),
        fixed_linear_ldm(solver="asgd"),
    ):
        machine.set_params(random_state=0)
        plain = machine.fit(X, y).decision_function(X)
        assert_allclose(machine.fit(mapped, y).decision_function(mapped), plain, rtol=1e-5)
    assert_array_equal(mapped, X)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_a_seed_gives_the_same_bits_for_any_number_of_threads(iris, machine):
    X, y = iris
    machine.set_params(random_state=3)
    first = machine.set_params(n_jobs=None).fit(X, y).decision_function(X)
    for n_jobs in 1, 2, 3:
        again = machine.set_params(n_jobs=n_jobs).fit(X, y).decision_function(X)
        assert_array_equal(again, first)
    machine.set_params(n_jobs=None)


def test_class_weights_are_sample_weights(iris):
    X, y = iris
    factors = {0: 1.0, 1: 3.0, 2: 0.5}
    named = fixed_ldm(class_weight=factors).fit(X, y)
    weighted = fixed_ldm().fit(X, y, sample_weight=[factors[label] for label in y])
    assert_array_equal(named.decision_function(X), weighted.decision_function(X))


def test_balanced_weights_know_the_sample_weights(blobs):
    X, y = blobs
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    ours = fixed_linear_ldm(class_weight="balanced", tol=1e-12).fit(X, y, weight)
    repeated = fixed_linear_ldm(class_weight="balanced", tol=1e-12)
    repeated.fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert_allclose(ours.coef_, repeated.coef_, rtol=1e-6)


@pytest.mark.usefixtures("two_blas_threads")
def test_large_products_give_the_same_bits_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 80))
    y = np.where(X[:, 0] + rng.normal(size=60_000) > 0, 1, 0)
    first = fixed_linear_ldm().fit(X, y).coef_
    assert_array_equal(fixed_linear_ldm(n_jobs=2).fit(X.copy(), y).coef_, first)
