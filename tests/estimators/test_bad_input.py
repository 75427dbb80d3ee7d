"""Every refusal says what came, what was expected, and changes nothing."""

import numpy as np
import pytest

from machines import fixed_ldm, fixed_linear_ldm
from refusals import assert_refused

BOTH = pytest.mark.parametrize("make", [fixed_ldm, fixed_linear_ldm])


@BOTH
def test_one_class_only(make, blobs):
    X, y = blobs
    assert_refused(make(), X, np.ones(len(y)), "two classes.* got one class only")
    assert_refused(make(), X, y, "one class", sample_weight=(y > 0).astype(float))


@BOTH
def test_unseparable_rows_with_a_hard_margin(make, blobs):
    X, y = blobs
    options = {"kernel": "linear"} if make is fixed_ldm else {}
    assert_refused(make(C=np.inf, **options), X, y, "cannot be separated.* finite C")


@pytest.mark.parametrize("solver", ["newton", "dual_cd"])
def test_equal_rows_of_both_classes_with_a_hard_margin(solver):
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0]])
    svm = {"lambda_var": 0, "lambda_mean": 0, "random_state": 0}
    machine = fixed_linear_ldm(C=np.inf, solver=solver, **svm)
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


def test_values_whose_squares_overflow():
    X = np.array([[1e200], [2e200], [-1e200], [-2e200]])
    assert_refused(fixed_linear_ldm(), X, [1, 1, 0, 0], "overflows.*Scale")
    assert_refused(fixed_ldm(kernel="poly", gamma=1.0), X, [1, 1, 0, 0], "overflows")


def test_evenly_weighted_classes_need_no_losses_to_be_bounded(blobs):
    X, y = blobs
    machine = fixed_linear_ldm(0, lambda_var=0, lambda_mean=0.1, class_weight="balanced")
    machine.fit(X, y)
    assert abs(machine.intercept_[0]) < 1e3
    assert machine.duality_gap_ <= 1e-9


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
    machines = [fixed_linear_ldm(**options)]
    machines += [fixed_ldm(kernel=k, **options) for k in ("rbf", "linear")]
    if name != "huge values":  # one row at a time does not get there
        machines.append(fixed_linear_ldm(solver="dual_cd", **options))
        machines.append(fixed_ldm(kernel="linear", solver="dual_cd", **options))
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
    machine = fixed_linear_ldm(
        np.inf, lambda_var=0, lambda_mean=0, fit_intercept=False, solver="dual_cd"
    )
    with pytest.raises(ValueError, match="cannot be separated"):
        machine.fit(X, [1, 1, 1, -1, -1])
