"""Several problems on one design: together as one by one, and what two runs leave."""

import _thread
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from largemargin import LDMClassifier
from largemargin.designs.gram import GramDesign
from largemargin.estimators import kernel_space, solving
from largemargin.estimators.solving import Stop, Stopped, in_order, joined
from largemargin.solvers import active_kernel

LOSSES = pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
N_CLASSES = 5


@pytest.fixture(scope="module")
def rows():
    """Enough rows for the solvers of large Gram matrices, which live on products."""
    rng = np.random.default_rng(0)
    middles = 1.5 * rng.normal(size=(N_CLASSES, 6))
    y = rng.integers(N_CLASSES, size=2100)
    return middles[y] + rng.normal(size=(2100, 6)), y


def machine_of(loss="squared_hinge", **options):
    return LDMClassifier(C=10.0, loss=loss, multi_class="ovr", **options)


def one_by_one(machine, rows, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(solving, "lives_on_products", lambda *given: False)
        return clone(machine).fit(*rows)


def threads_left():
    """Return the threads of a pool that are left after some time to end."""
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline:
        left = [one for one in threading.enumerate() if "ThreadPool" in one.name]
        if not left:
            break
        left[0].join(timeout=0.1)
    return left


@LOSSES
@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_machines_together_are_those_fitted_one_by_one(rows, loss, tol, monkeypatch):
    together = machine_of(loss, tol=tol).fit(*rows)
    alone = one_by_one(together, rows, monkeypatch)
    assert (together.duality_gap_ <= tol).all()
    # Both are above the optimum by no more than their gaps.
    assert_allclose(together.objective_, alone.objective_, rtol=2 * tol)
    few = slice(300)
    here, there = (one.decision_function(rows[0][few]) for one in (together, alone))
    assert_allclose(here, there, atol=20 * np.sqrt(tol))
    assert [len(one["seconds"]) for one in together.history_] == [
        len(one["seconds"]) for one in alone.history_
    ] or tol < 1e-3  # rounding errors may differ


@LOSSES
def test_the_number_of_jobs_changes_no_bit(rows, loss):
    first = machine_of(loss).fit(*rows)
    for n_jobs in 1, 2, 3, 8:
        again = machine_of(loss, n_jobs=n_jobs).fit(*rows)
        assert_array_equal(again.dual_coef_, first.dual_coef_)
        assert_array_equal(again.duality_gap_, first.duality_gap_)


def test_fewer_machines_at_once_find_the_same(rows, monkeypatch):
    first = machine_of().fit(*rows)
    monkeypatch.setattr(solving, "MAX_BYTES_AT_ONCE", 2 * 8 * 2 * 150 * 2100)
    for n_jobs in 1, 3:
        again = machine_of(n_jobs=n_jobs).fit(*rows)
        assert_allclose(again.objective_, first.objective_, rtol=2e-4)


def test_machines_together_share_passes_over_the_matrix(rows, monkeypatch):
    n_vectors = []
    real = GramDesign.products

    def counted(design, rank, vectors, n_threads):
        n_vectors.append(len(vectors))
        return real(design, rank, vectors, n_threads)

    monkeypatch.setattr(GramDesign, "products", counted)
    machine = machine_of().fit(*rows)
    steps = max(len(one["seconds"]) for one in machine.history_)
    assert n_vectors[0] == N_CLASSES
    assert len(n_vectors) < 3 * steps
    assert sum(n_vectors) > 2 * len(n_vectors)


def test_a_warm_start_needs_no_steps(rows):
    machine = machine_of(warm_start=True).fit(*rows)
    objective = machine.objective_
    assert machine.fit(*rows).n_iter_ == 1
    assert_allclose(machine.objective_, objective, rtol=1e-4)


def test_progress_is_reported_by_every_machine(rows, capsys):
    machine = machine_of(verbose=1).fit(*rows)
    steps = sum(len(one["objective"]) for one in machine.history_)
    assert capsys.readouterr().err.count("relative gap") == steps


def test_an_error_in_one_machine_is_that_of_the_fit(rows, monkeypatch):
    real, n_begun = active_kernel.solve_on_surrogates, 0

    def failing(*given):
        nonlocal n_begun
        n_begun += 1
        if n_begun == 3:
            raise FloatingPointError("the third machine")
        return real(*given)

    monkeypatch.setattr(active_kernel, "solve_on_surrogates", failing)
    for n_jobs in 1, 2:
        n_begun, machine = 0, machine_of(n_jobs=n_jobs)
        with pytest.raises(FloatingPointError, match="the third machine"):
            machine.fit(*rows)
        assert not hasattr(machine, "classes_")
        assert threads_left() == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_leaves_no_thread(rows, n_jobs, monkeypatch):
    n_asked, real = 0, GramDesign.products

    def interrupting(*given, **options):
        nonlocal n_asked
        n_asked += 1
        if n_asked == 3:
            _thread.interrupt_main()
        return real(*given, **options)

    monkeypatch.setattr(GramDesign, "products", interrupting)
    machine = machine_of(n_jobs=n_jobs, tol=1e-300)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(*rows)
    assert not hasattr(machine, "classes_")
    assert threads_left() == []


@pytest.mark.parametrize("time_limit", [1e-4, 0.3])
def test_all_machines_stop_in_time(rows, time_limit):
    machine = machine_of("hinge", tol=1e-300, max_iter=10**9, time_limit=time_limit)
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        machine.fit(*rows)
    assert time.perf_counter() - begin < 20
    assert np.isfinite(machine.duality_gap_).all()


def test_threads_that_ended_well_do_not_stop_what_follows():
    stop = Stop()
    assert in_order(abs, [-1, 2], 2, stop) == [1, 2]
    stop.check()
    with pytest.raises(TypeError):
        in_order(abs, ["one", 2], 2, stop)
    with pytest.raises(Stopped):
        stop.check()


@LOSSES
@pytest.mark.parametrize("lambda_var", ["scale", 0.0])
def test_machines_share_tiles_that_are_not_stored(rows, loss, lambda_var, monkeypatch):
    monkeypatch.setattr(kernel_space, "MAX_GRAM_BYTES", 1)
    X, y = rows[0][:700], rows[1][:700]
    machine = machine_of(loss, lambda_var=lambda_var)
    together = clone(machine).fit(X, y)
    alone = one_by_one(machine, (X, y), monkeypatch)
    assert (together.duality_gap_ <= machine.tol).all()
    assert_allclose(together.objective_, alone.objective_, rtol=2e-4)
    for n_jobs in 2, 3:
        again = clone(machine).set_params(n_jobs=n_jobs).fit(X, y)
        assert_array_equal(again.dual_coef_, together.dual_coef_)


def test_the_seconds_of_a_second_run_come_after_those_of_the_first():
    first = {"objective": [3.0, 2.0], "duality_gap": [0.5, 0.25], "seconds": [1.0, 2.0]}
    second = {"objective": [1.0], "duality_gap": [0.125], "seconds": [0.5]}
    both = joined(first, second)
    assert both["objective"] == [3.0, 2.0, 1.0]
    assert both["duality_gap"] == [0.5, 0.25, 0.125]
    assert both["seconds"] == [1.0, 2.0, 2.5]
