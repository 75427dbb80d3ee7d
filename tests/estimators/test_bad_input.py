"""Every refusal says what came, what was expected, and changes nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin import LDMClassifier, LinearLDMClassifier

BOTH = pytest.mark.parametrize("make", [LDMClassifier, LinearLDMClassifier])


def assert_refused(machine, X, y, match, method="fit", **metadata):
    """Check the message, and that a fitted machine is left exactly as it was."""
    good = np.array([[0.0], [1.0], [2.0], [3.0]])
    prices = machine.get_params()
    machine.set_params(**type(machine)().get_params())
    machine.fit(good, [0, 0, 1, 1])
    machine.set_params(**prices)
    before = {name: id(value) for name, value in vars(machine).items()}
    with pytest.raises(ValueError, match=match):
        getattr(machine, method)(X, y, **metadata)
    assert {name: id(value) for name, value in vars(machine).items()} == before


@BOTH
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(make, blobs, value):
    X, y = blobs
    X[3, 1] = value
    assert_refused(make(), X, y, "NaN|infinity")


@BOTH
def test_one_class_only(make, blobs):
    X, y = blobs
    assert_refused(make(), X, np.ones(len(y)), "two classes.* got one class only")
    assert_refused(make(), X, y, "one class", sample_weight=(y > 0).astype(float))


@BOTH
def test_unseparable_rows_with_a_hard_margin(make, blobs):
    X, y = blobs
    options = {"kernel": "linear"} if make is LDMClassifier else {}
    assert_refused(make(C=np.inf, **options), X, y, "cannot be separated.* finite C")


@pytest.mark.parametrize("solver", ["newton", "dual_cd"])
def test_equal_rows_of_both_classes_with_a_hard_margin(solver):
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0]])
    machine = LinearLDMClassifier(C=np.inf, solver=solver, lambda_var=0, lambda_mean=0)
    assert_refused(machine, X, [0, 1, 1], "cannot be separated")


@BOTH
def test_a_problem_without_a_minimum(make, blobs):
    X, y = blobs
    machine = make(C=0.01, lambda_var=0, lambda_mean=100)
    assert_refused(machine, X, y, "no minimum.*Lower lambda_mean")


@BOTH
@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("C", -1),
        ("C", np.nan),
        ("lambda_var", -0.1),
        ("lambda_var", np.inf),
        ("lambda_mean", -0.1),
        ("lambda_mean", "auto"),
        ("tol", 0),
        ("max_iter", 0),
        ("solver", "magic"),
    ],
)
def test_parameters_out_of_range(make, blobs, parameter, value):
    X, y = blobs
    assert_refused(make(**{parameter: value}), X, y, parameter)


@BOTH
def test_weights_that_cannot_be(make, blobs):
    X, y = blobs
    ones = np.ones(len(y))
    assert_refused(make(), X, y, "not be negative.*-1", sample_weight=-ones)
    assert_refused(make(), X, y, "positive somewhere|zero", sample_weight=0 * ones)
    assert_refused(make(), X, y, "sample_weight", sample_weight=ones[1:])
    assert_refused(make(), X, y, "NaN", sample_weight=np.nan * ones)


@BOTH
def test_lengths_that_differ(make, blobs):
    X, y = blobs
    assert_refused(make(), X, y[1:], "inconsistent numbers of samples")


def test_a_gram_matrix_that_is_not_square(blobs):
    X, y = blobs
    assert_refused(
        LDMClassifier(kernel="precomputed"), X, y, r"square.*\(80, 80\).*\(80, 4\)"
    )


def test_a_gram_matrix_that_is_not_symmetric(blobs):
    X, y = blobs
    lopsided = X @ X.T + np.triu(np.ones((len(y), len(y))))
    assert_refused(LDMClassifier(kernel="precomputed"), lopsided, y, "symmetric")


def test_kernels_that_are_not_definite(blobs):
    X, y = blobs

    def distance(A, B):
        return np.linalg.norm(A[:, None] - B[None], axis=2)

    assert_refused(LDMClassifier(kernel="precomputed"), distance(X, X), y, "semi-definite")
    assert_refused(
        LDMClassifier(kernel=distance), X, y, "semi-definite.*eigenvalues from -"
    )


def test_the_negative_part_of_a_sigmoid_is_cut_off_and_said(blobs):
    X, y = blobs
    machine = LDMClassifier(kernel="sigmoid", gamma=2.0, coef0=-1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite.*cut off"):
        machine.fit(X, y)
    signs = np.where(y > 0, 1, -1)
    mean = (signs * machine.decision_function(X)).mean()
    assert mean == pytest.approx(machine.margin_mean_, rel=1e-6)


@pytest.mark.parametrize("make", [LDMClassifier, LinearLDMClassifier])
def test_sparse_indices_that_overflowed(make, blobs):
    X, y = blobs
    for name, place, value, match in [
        ("indices", 5, -3, r"0 \.\. 3"),
        ("indices", 5, 900, r"0 \.\. 3.*900"),
        ("indptr", 3, -(2**31), "row pointers"),
    ]:
        matrix = sp.csr_matrix(X)
        getattr(matrix, name)[place] = value
        assert_refused(make(), matrix, y, match)


def test_batches_that_do_not_fit_the_stream(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"first call.*classes"):
        LinearLDMClassifier().partial_fit(X, y)
    machine = LinearLDMClassifier(random_state=0).partial_fit(X, y, classes=[-1, 1])
    coef = machine.coef_
    with pytest.raises(ValueError, match="known classes"):
        machine.partial_fit(X, np.full(len(y), 7))
    with pytest.raises(ValueError, match="stay as they were"):
        machine.partial_fit(X, y, classes=[-1, 2])
    with pytest.raises(ValueError, match="features"):
        machine.partial_fit(X[:, 1:], y)
    assert machine.coef_ is coef


def test_streams_that_would_mean_something_else(blobs):
    X, y = blobs
    for machine in (
        LinearLDMClassifier(np.inf),
        LinearLDMClassifier(class_weight="balanced"),
    ):
        with pytest.raises(ValueError, match="finite C and class weights"):
            machine.partial_fit(X, y, classes=[-1, 1])


def test_values_whose_squares_overflow():
    X = np.array([[1e200], [2e200], [-1e200], [-2e200]])
    assert_refused(LinearLDMClassifier(), X, [1, 1, 0, 0], "overflows.*Scale")
    assert_refused(LDMClassifier(kernel="poly", gamma=1.0), X, [1, 1, 0, 0], "overflows")


def test_evenly_weighted_classes_need_no_losses_to_be_bounded(blobs):
    X, y = blobs
    machine = LinearLDMClassifier(0, lambda_var=0, lambda_mean=0.1, class_weight="balanced")
    machine.fit(X, y)
    assert abs(machine.intercept_[0]) < 1e3
    assert machine.duality_gap_ <= 1e-9


def test_split_entries_of_a_sparse_matrix_are_summed(blobs):
    X, y = blobs
    whole = sp.csr_matrix(X)
    split = sp.csr_matrix(
        (whole.data.repeat(4) / 4, whole.indices.repeat(4), 4 * whole.indptr), whole.shape
    )
    for solver in "newton", "dual_cd", "asgd":
        machine = LinearLDMClassifier(solver=solver, random_state=0)
        coef = machine.fit(whole, y).coef_
        assert_allclose(machine.fit(split, y).coef_, coef, rtol=1e-6)
    assert split.nnz == 4 * whole.nnz


ODD = {
    "constant feature": (np.c_[np.ones(6), np.arange(6.0)], [0, 0, 0, 1, 1, 1]),
    "constant rows": (np.ones((6, 2)), [0, 0, 0, 1, 1, 1]),
    "duplicated rows": (np.repeat([[0.0], [1.0]], 3, axis=0), [0, 0, 1, 1, 1, 1]),
    "zero rows": (np.r_[np.zeros((3, 2)), np.ones((3, 2))], [0, 0, 1, 1, 1, 0]),
    "zeros only": (np.zeros((6, 2)), [0, 0, 1, 1, 1, 0]),
    "one feature": (np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]),
    "more features than rows": (np.eye(6, 40), [0, 0, 1, 0, 1, 1]),
    "two rows": (np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1]),
    "huge values": (1e8 * np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]),
    "tiny values": (1e-8 * np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1]),
}


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("prices", [{}, {"lambda_var": 0, "lambda_mean": 0}], ids=str)
@pytest.mark.parametrize("name", ODD)
def test_odd_rows_simply_work(name, prices, fit_intercept):
    X, y = ODD[name]
    options = {"fit_intercept": fit_intercept, "random_state": 0, **prices}
    machines = [LinearLDMClassifier(**options)]
    machines += [LDMClassifier(kernel=k, **options) for k in ("rbf", "linear")]
    if name != "huge values":  # one row at a time does not get there
        machines.append(LinearLDMClassifier(solver="dual_cd", **options))
        machines.append(LDMClassifier(kernel="linear", solver="dual_cd", **options))
    for machine in machines:
        machine.fit(X, y)
        assert machine.duality_gap_ <= machine.tol
        assert np.isfinite(machine.decision_function(X)).all()
    objectives = [
        m.objective_ for m in machines if getattr(m, "kernel", "linear") == "linear"
    ]
    assert np.ptp(objectives) <= 3e-4 * max(1e-12, np.abs(objectives).max())


def test_a_row_of_zeros_with_a_hard_margin_and_no_intercept():
    X = np.vstack([np.zeros((1, 2)), np.eye(2), -np.eye(2)])
    machine = LinearLDMClassifier(
        np.inf, lambda_var=0, lambda_mean=0, fit_intercept=False, solver="dual_cd"
    )
    with pytest.raises(ValueError, match="cannot be separated"):
        machine.fit(X, [1, 1, 1, -1, -1])
