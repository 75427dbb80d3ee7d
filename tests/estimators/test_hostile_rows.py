"""Certificates that hold, and fits that end, on rows that are out to break them."""

import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from largemargin import KOMDClassifier, LinearLDMClassifier, ODMClassifier
from largemargin.estimators.ldm import ldm_prices
from machines import fixed_ldm, fixed_linear_ldm

ROW_SOLVERS = ["auto", "newton", "dual_cd", "asgd"]


def quiet_fit(machine, X, y, weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(X, y, weight)


def wide_objective(machine, X, y, weight=None):
    """Return objective and scale of the kept linear model in extended precision."""
    X = (X.toarray() if sp.issparse(X) else X).astype(np.longdouble)
    s = np.ones(len(y)) if weight is None else weight
    S = s.sum()
    C, lambda_var, lambda_mean, *_ = ldm_prices(machine, S)
    w = machine.coef_[0].astype(np.longdouble)
    g = y * (X @ w + np.longdouble(machine.intercept_[0]))
    mean = (s @ g) / S
    variance = (s @ (g - mean) ** 2) / S
    quadratic = w @ w / 2 + 2 * lambda_var * variance
    loss = C * (s @ np.maximum(1 - g, 0)) if np.isfinite(C) else 0.0
    primal = quadratic - lambda_mean * mean + loss
    return float(primal), float(quadratic + abs(lambda_mean * mean) + loss)


def timestamps(rng):
    X = rng.standard_normal((200, 5))
    X[:, 2] = 1.7e9 + 60.0 * np.arange(200)
    return X


def constant(rng):
    X = rng.standard_normal((200, 5))
    X[:, 2] = 1e9
    return X


def far_away(rng):
    return rng.standard_normal((200, 5)) + 1e8


def wide_with_a_constant(rng):
    X = rng.standard_normal((20, 40))
    X[:, 3] = 1e8
    return X


def wide_and_offset(rng):
    return rng.standard_normal((20, 40)) + 1e6


def mixed_units(rng):
    return rng.standard_normal((60, 8)) * 10.0 ** np.arange(-8, 8, 2)


def one_hot(rng):
    return 1e8 * np.eye(30)[rng.integers(30, size=40)]


HOSTILE = [
    timestamps,
    constant,
    far_away,
    wide_with_a_constant,
    wide_and_offset,
    mixed_units,
    one_hot,
]
CONVERGING = [timestamps, constant, far_away, wide_with_a_constant, wide_and_offset]


def labelled(kind):
    rng = np.random.default_rng(0)
    X = kind(rng)
    moved = X - X.mean(axis=0)
    y = np.where(moved[:, 1] + 0.3 * rng.standard_normal(len(X)) > 0, 1, -1)
    y[:2] = 1, -1
    return X, y


@pytest.mark.parametrize("solver", ["auto", "newton"])
@pytest.mark.parametrize("kind", CONVERGING)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_matrix])
def test_offsets_and_timestamps_converge(kind, solver, storage):
    X, y = labelled(kind)
    machine = fixed_linear_ldm(solver=solver).fit(storage(X), y)
    assert machine.duality_gap_ <= machine.tol


@pytest.mark.parametrize("prices", [{}, {"lambda_var": 0, "lambda_mean": 0}])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_solver_certifies_what_another_one_beats(kind, prices):
    X, y = labelled(kind)
    machines = [
        quiet_fit(fixed_linear_ldm(solver=solver, random_state=0, **prices), X, y)
        for solver in ROW_SOLVERS
    ]
    values = [wide_objective(machine, X, y) for machine in machines]
    least = min(value for value, _ in values)
    for machine, (value, scale) in zip(machines, values, strict=True):
        assert value - least <= 1.05 * machine.duality_gap_ * scale
        assert abs(machine.objective_ - value) <= 1e-6 * scale


@pytest.mark.parametrize("machine", [LinearLDMClassifier, ODMClassifier])
def test_a_fit_of_two_far_rows_ends(machine):
    options = {"kernel": "linear"} if machine is ODMClassifier else {}
    begin = time.perf_counter()
    quiet_fit(machine(max_iter=1, **options), np.array([[1e9, 1.0], [1e9, -1]]), [1, -1])
    assert time.perf_counter() - begin < 30


@pytest.mark.parametrize("kind", HOSTILE)
def test_the_optimal_margin_machine_ends_on_hostile_rows(kind):
    X, y = labelled(kind)
    machine = quiet_fit(ODMClassifier(kernel="linear"), X, y)
    assert np.isfinite(machine.coef_).all()


@pytest.mark.parametrize("n_positive", [1, 2, 3, 4, 8])
def test_ten_equal_heavy_rows_are_not_certified_while_they_are_off(n_positive):
    X, y = np.full((10, 1), 10.0), np.where(np.arange(10) < n_positive, 1, -1)
    weight = np.full(10, 1e9)
    values = []
    for solver in "newton", "dual_cd":
        machine = fixed_linear_ldm(
            C=0, lambda_var="0.1*scale", lambda_mean=0.001, solver=solver, random_state=0
        )
        quiet_fit(machine, X, y, weight)
        values.append((*wide_objective(machine, X, y, weight), machine.duality_gap_))
    least = min(value for value, _, _ in values)
    for value, scale, gap in values:
        assert np.isinf(gap) or value - least <= 1.05 * gap * scale


@pytest.mark.parametrize("solver", ["auto", "newton", "dual_cd"])
@pytest.mark.parametrize("seed", range(5))
def test_weights_of_all_sizes_are_certified_honestly(solver, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 3))
    y = np.where(rng.random(30) > 0.5, 1, -1)
    weight = 10.0 ** rng.uniform(-12, 12, size=30)
    machine, other = (
        quiet_fit(fixed_linear_ldm(solver=name, random_state=0), X, y, weight)
        for name in (solver, "newton")
    )
    value, scale = wide_objective(machine, X, y, weight)
    best, _ = wide_objective(other, X, y, weight)
    assert value - best <= 1.05 * machine.duality_gap_ * scale


@pytest.mark.parametrize("solver", ["auto", "newton", "dual_cd"])
@pytest.mark.parametrize("heavy", [1.0, 1e12])
def test_a_hard_margin_is_kept_to_the_last_bit(solver, heavy):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.standard_normal((10, 2)) + 4, rng.standard_normal((10, 2)) - 4])
    y = np.repeat([1, -1], 10)
    weight = np.ones(20)
    weight[::3] = heavy
    machine = fixed_linear_ldm(C=np.inf, lambda_var="100*scale", solver=solver)
    quiet_fit(machine, X, y, weight)
    if np.isfinite(machine.duality_gap_):
        scores = X.astype(np.longdouble) @ machine.coef_[0].astype(np.longdouble)
        margins = y * (scores + np.longdouble(machine.intercept_[0]))
        assert margins.min() >= 1


def test_distances_of_offset_rows_are_the_same_in_training_and_prediction():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 2] += 1e8
    machine = fixed_ldm(gamma=0.3).fit(X, y)
    real = np.mean(y * machine.decision_function(X))
    assert machine.margin_mean_ == pytest.approx(real, rel=1e-9)


def test_two_far_clusters_keep_their_inner_distances():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    expected = fixed_ldm(gamma=0.3, tol=1e-8).fit(X[:30], y[:30])
    X[30:] += 2.0**30  # a shift that float64 makes without rounding
    X[30:] = np.round(X[30:])
    machine = fixed_ldm(gamma=0.3, tol=1e-8).fit(X, y)
    gram = machine._kernel.gram_matrix(X)
    for some in X[:30], X[30:]:
        near = np.exp(-0.3 * np.square(some[:, None] - some[None]).sum(axis=2))
        place = slice(0, 30) if some[0, 0] < 100 else slice(30, 60)
        np.testing.assert_allclose(gram[place, place], near, rtol=1e-9)
    assert expected.duality_gap_ <= 1e-8
    assert machine.duality_gap_ <= 1e-8


@pytest.mark.parametrize("size", [1e-30, 1e-8, 1e-7, 1e12])
@pytest.mark.parametrize("prices", [{}, {"lambda_var": 1.0, "lambda_mean": 0.0}])
def test_stochastic_gradients_stay_finite_at_any_price(size, prices):
    X, y = labelled(lambda rng: rng.standard_normal((50, 4)))
    machine = fixed_linear_ldm(C=size, solver="asgd", random_state=0, **prices)
    machine.fit(X, y)
    assert np.isfinite(machine.coef_).all()
    light = fixed_linear_ldm(solver="asgd", random_state=0, **prices)
    light.fit(X, y, np.full(50, size))
    assert np.isfinite(light.coef_).all()


@pytest.mark.parametrize("weight", [1e300, 1e308])
@pytest.mark.parametrize(
    "machine", [fixed_linear_ldm(), fixed_ldm(), ODMClassifier(), KOMDClassifier()]
)
def test_weights_that_overflow_are_refused(machine, weight):
    X, y = labelled(lambda rng: rng.standard_normal((50, 4)))
    with pytest.raises(ValueError, match="weight"):
        machine.fit(X, y, np.full(50, weight))


def test_a_kernel_that_is_not_finite_in_prediction_is_refused():
    def kernel(X, Z):
        values = X @ Z.T
        return values * np.nan if len(X) == 1 else values

    X, y = labelled(lambda rng: rng.standard_normal((50, 4)))
    machine = fixed_ldm(kernel=kernel).fit(X, y)
    with pytest.raises(ValueError, match="not finite"):
        machine.predict(X[:1])


def test_equal_rows_on_a_kernel_are_no_singular_matrix():
    X, y = np.ones((12, 2)), np.tile([1, -1], 6)
    for kernel, lambda_var in ("rbf", "scale"), ("rbf", 1e16), ("linear", 1e16):
        options = {"kernel": kernel, "lambda_var": lambda_var, "max_iter": 5}
        machine = fixed_ldm(solver="dual_cd", random_state=0, **options)
        assert np.isfinite(quiet_fit(machine, X, y).dual_coef_).all()


@pytest.mark.parametrize("solver", ["auto", "newton", "dual_cd"])
def test_early_stops_are_honest(solver):
    X, y = labelled(mixed_units)
    best, scale = wide_objective(quiet_fit(fixed_linear_ldm(), X, y), X, y)
    for max_iter in 1, 2, 5:
        machine = fixed_linear_ldm(solver=solver, max_iter=max_iter, random_state=0)
        value, scale = wide_objective(quiet_fit(machine, X, y), X, y)
        assert value - best <= 1.05 * machine.duality_gap_ * scale


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "sigmoid", "gamma": 1.0},
        {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": -1e10},
    ],
    ids=lambda options: options["kernel"],
)
def test_kernels_that_cancel_are_certified_honestly(options):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = np.where(X[:, 0] + rng.standard_normal(40) > 0, 1, -1)
    if options["kernel"] == "poly":
        X = np.hstack([X, np.full((40, 1), 1e5)])  # so that coef0 leaves v . v'
    else:
        X = np.hstack([0.1 * X, 1e7 * np.linalg.qr(rng.standard_normal((40, 40)))[0]])
    machine = quiet_fit(fixed_ldm(**options), X, y)
    assert machine.duality_gap_ > 1e-8  # which the values of the kernel do not support
