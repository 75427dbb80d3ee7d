"""Fits that stop in time, with an honest gap, and go on from there."""

import time
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from largemargin import (
    KOMDClassifier,
    LDMClassifierCV,
    LinearLDMClassifierCV,
    ODMClassifier,
)
from machines import fixed_ldm, fixed_linear_ldm

# No fit gets there, so that only time can stop one.
ENDLESS = {"tol": 1e-300, "max_iter": 10**9}
MACHINES = [
    fixed_linear_ldm(solver="dual_cd", C=1e4, random_state=0, **ENDLESS),
    fixed_linear_ldm(solver="asgd", max_iter=10**9),
    fixed_ldm(
        kernel="linear",
        solver="dual_cd",
        C=1e4,
        lambda_var=0,
        random_state=0,
        **ENDLESS,
    ),
]


@pytest.fixture(scope="module")
def rows():
    return make_classification(300, 10, flip_y=0.3, random_state=0)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_a_fit_stops_in_time(rows, machine):
    machine = clone(machine).set_params(time_limit=0.5)
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0\.5 s.*raise time_limit"):
        machine.fit(*rows)
    # Compiling the loops may come on top.
    assert time.perf_counter() - begin < 20
    assert np.isfinite(machine.duality_gap_)


@pytest.mark.parametrize(
    "machine",
    [fixed_linear_ldm(), fixed_ldm(), ODMClassifier(), KOMDClassifier()],
    ids=str,
)
def test_a_limit_that_is_not_reached_changes_nothing(rows, machine):
    free = clone(machine).fit(*rows)
    limited = clone(machine).set_params(time_limit=1000.0).fit(*rows)
    np.testing.assert_array_equal(
        free.decision_function(rows[0]), limited.decision_function(rows[0])
    )


def test_a_warm_start_goes_on_where_time_was_over(rows):
    options = {"solver": "newton", "warm_start": True}
    machine = fixed_linear_ldm(C=100, time_limit=1e-9, **options)
    with pytest.warns(ConvergenceWarning, match="warm_start=True"):
        machine.fit(*rows)
    first = machine.duality_gap_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(20):
            machine.fit(*rows)
    assert machine.duality_gap_ < 0.1 * first
    assert machine.set_params(time_limit=None).fit(*rows).duality_gap_ <= machine.tol


def test_several_classes_share_the_time():
    X, y = make_classification(300, 10, n_classes=4, n_informative=8, random_state=0)
    machine = fixed_linear_ldm(
        C=1e4, solver="dual_cd", random_state=0, time_limit=1.0, **ENDLESS
    )
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        machine.fit(X, y)
    assert time.perf_counter() - begin < 20
    spent = [history["seconds"][-1] for history in machine.history_]
    assert min(spent) > 0.05


@pytest.mark.parametrize("n_rows", [250, 1500])
def test_a_fit_without_time_is_still_a_machine(n_rows):
    # An inverse, for few rows, is not begun; for more rows there is one product.
    X, y = make_classification(n_rows, 5, flip_y=0.3, random_state=0)
    machine = fixed_ldm(lambda_var="30*scale", time_limit=1e-4, tol=1e-6)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        machine.fit(X, y)
    assert np.isfinite(machine.duality_gap_)
    assert machine.score(X, y) > 0.65


def test_a_short_time_does_not_spoil_what_a_warm_start_has():
    X, y = make_classification(1500, 5, flip_y=0.3, random_state=0)
    machine = fixed_ldm(lambda_var="30*scale", warm_start=True).fit(X, y)
    objective = machine.objective_
    machine.set_params(time_limit=0.1, tol=1e-13)
    with pytest.warns(ConvergenceWarning):
        machine.fit(X, y)
    assert machine.objective_ <= 1.01 * objective


@pytest.mark.parametrize("search", [LDMClassifierCV, LinearLDMClassifierCV])
def test_a_search_leaves_out_what_it_has_no_time_for(rows, search):
    X, y = rows
    short = search("wide", time_limit=0.05, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        short.fit(X, y)
    assert any("fits were left out" in str(one.message) for one in caught)
    means = short.cv_results_["mean_test_score"]
    assert np.isnan(means).any()
    assert np.isfinite(short.best_score_)
    assert short.best_score_ == np.nanmax(means)
    assert short.best_estimator_.time_limit is None
    assert len(short.predict(X)) == len(y)


@pytest.mark.parametrize("limit", [0, -1.0, "soon"])
def test_a_limit_must_be_a_positive_number(rows, limit):
    with pytest.raises(ValueError, match="time_limit"):
        fixed_ldm(time_limit=limit).fit(*rows)
