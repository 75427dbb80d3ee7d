"""Kernels of fits and of predictions, and those that are refused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF

from largemargin.estimators.kernel_space import KernelSpace
from largemargin.estimators.rows import Rows
from largemargin.problem.points import Certificate
from machines import fixed_ldm
from refusals import assert_refused


def test_prediction_needs_the_support_columns_only(blobs):
    X, y = blobs
    gram = X @ X.T
    machine = fixed_ldm(kernel="precomputed", lambda_var=0, lambda_mean=0).fit(gram, y)
    assert len(machine.support_) < len(y)
    other = np.full_like(gram, 1e9)
    other[:, machine.support_] = gram[:, machine.support_]
    assert_array_equal(machine.decision_function(other), machine.decision_function(gram))


def test_an_unhashable_kernel_and_a_sparse_one_serve(blobs):
    X, y = blobs
    for kernel, rows in (RBF(), X), (lambda A, B: A @ B.T, sp.csr_matrix(X)):
        machine = fixed_ldm(kernel=kernel).fit(rows, y)
        assert machine.duality_gap_ <= machine.tol


def test_prediction_remembers_the_kernel_of_the_fit(blobs):
    X, y = blobs
    machine = fixed_ldm().fit(X, y)
    scores = machine.decision_function(X)
    machine.set_params(kernel="precomputed", gamma=7.0)
    assert_array_equal(machine.decision_function(X), scores)
    assert not hasattr(machine, "coef_")


def test_a_gram_matrix_that_is_not_square(blobs):
    X, y = blobs
    assert_refused(fixed_ldm(kernel="precomputed"), X, y, r"square.*\(80, 80\).*\(80, 4\)")


def test_a_gram_matrix_that_is_not_symmetric(blobs):
    X, y = blobs
    lopsided = X @ X.T + np.triu(np.ones((len(y), len(y))))
    assert_refused(fixed_ldm(kernel="precomputed"), lopsided, y, "symmetric")


def test_kernels_that_are_not_definite(blobs):
    X, y = blobs

    def distance(A, B):
        return np.linalg.norm(A[:, None] - B[None], axis=2)

    assert_refused(fixed_ldm(kernel="precomputed"), distance(X, X), y, "semi-definite")
    assert_refused(fixed_ldm(kernel=distance), X, y, "semi-definite.*eigenvalues from -")


def test_the_negative_part_of_a_sigmoid_is_cut_off_and_said(blobs):
    X, y = blobs
    machine = fixed_ldm(kernel="sigmoid", gamma=2.0, coef0=-1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite.*cut off"):
        machine.fit(X, y)
    signs = np.where(y > 0, 1, -1)
    mean = (signs * machine.decision_function(X)).mean()
    assert mean == pytest.approx(machine.margin_mean_, rel=1e-6)


def test_blocks_of_a_gram_matrix_have_the_errors_of_the_whole():
    X, y = make_blobs(400, 30, centers=4, cluster_std=9.0, random_state=0)
    space, rows = KernelSpace(fixed_ldm()), Rows(X, y, np.ones(len(y)))
    own = rows.only(np.flatnonzero(y < 2))
    shared = space.share(rows)
    block, whole = shared.design(own), space.design(rows)
    expected = whole.gram_matrix[np.ix_(y < 2, y < 2)]
    assert_allclose(block.gram_matrix, expected, atol=1e-12)
    # Few rows are computed from differences, and have a smaller error.
    assert block.entry_error == whole.entry_error > space.design(own).entry_error


@pytest.mark.filterwarnings("ignore:kernel='sigmoid' is not positive:UserWarning")
def test_a_row_of_zeros_is_certified_with_an_indefinite_kernel(blobs):
    X, y = blobs
    X = X.copy()
    X[5] = 0.0
    machine = fixed_ldm(kernel="sigmoid", gamma=0.1).fit(X, y)
    assert machine.duality_gap_ <= machine.tol


@pytest.fixture(scope="module")
def overlapping():
    X, y = make_blobs(1300, 4, centers=2, cluster_std=4.0, random_state=0)
    return X / 10, y


@pytest.mark.needs_jit
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_few_digits_are_certified_as_if_they_were_many(overlapping, loss, monkeypatch):
    seen = types_of_grams(monkeypatch)
    options = {"C": 10.0, "gamma": 0.5, "loss": loss, "lambda_var": 1300.0}
    rough = fixed_ldm(**options, lambda_mean=0).fit(*overlapping)
    close = fixed_ldm(**options, lambda_mean=0, tol=1e-7).fit(*overlapping)
    assert seen == [np.float32, np.float64]
    # The gap is relative to the sum of the sizes of the terms, which is no less.
    assert rough.duality_gap_ <= rough.tol
    excess = rough.objective_ - close.objective_
    assert -1e-6 * close.objective_ <= excess <= rough.tol * close.objective_


@pytest.mark.needs_jit
def test_many_digits_follow_where_few_do_not_reach_the_tolerance(overlapping, monkeypatch):
    seen = types_of_grams(monkeypatch)
    machine = fixed_ldm(
        C=1e6, gamma=5.0, loss="squared_hinge", lambda_var=1e8, lambda_mean=0
    )
    machine.fit(*overlapping)
    assert seen == [np.float32, np.float64]
    assert machine.duality_gap_ <= machine.tol


def types_of_grams(monkeypatch):
    """Return a list that gets the dtype of every Gram matrix of a fit."""
    seen, design = [], KernelSpace.design

    def noticed(space, *args):
        found = design(space, *args)
        seen.append(space.dtype)
        return found

    monkeypatch.setattr(KernelSpace, "design", noticed)
    return seen


@pytest.mark.needs_jit
def test_iterations_of_both_runs_count_and_a_limit_of_them_allows_one(
    overlapping, monkeypatch
):
    seen = types_of_grams(monkeypatch)
    machine = fixed_ldm(
        C=1e6, gamma=5.0, loss="squared_hinge", lambda_var=1e8, lambda_mean=0
    )
    machine.fit(*overlapping)
    assert seen == [np.float32, np.float64]
    n_of_both = machine.n_iter_
    del seen[:]
    machine.set_params(max_iter=1000).fit(*overlapping)
    assert seen == [np.float64]
    assert machine.n_iter_ < n_of_both


@pytest.mark.needs_jit
def test_the_closer_run_is_kept_where_time_ends_the_second(overlapping, monkeypatch):
    found, finish = [], KernelSpace.finish

    def finished(space, *args):
        found.append(finish(space, *args))
        if len(found) == 1:
            return found[0]
        late = [
            replace(one, certificate=Certificate(0.0, np.inf, 1.0), converged=False)
            for one in found[1].solutions
        ]
        return found[1]._replace(solutions=late)

    monkeypatch.setattr(KernelSpace, "finish", finished)
    machine = fixed_ldm(
        C=1e6, gamma=5.0, loss="squared_hinge", lambda_var=1e8, lambda_mean=0
    )
    with pytest.warns(ConvergenceWarning):
        machine.fit(*overlapping)
    first, _ = found
    assert machine.duality_gap_ == first.solutions[0].certificate.relative
    assert_array_equal(machine.dual_coef_, first.elements)


def test_a_given_matrix_of_float32_is_not_narrowed(blobs):
    X, y = blobs
    gram = (X @ X.T + np.eye(len(y))).astype(np.float32)
    space = KernelSpace(fixed_ldm(kernel="precomputed"))
    space.design(Rows(gram, y, np.ones(len(y))), few_digits=True)
    assert not space.is_narrowed
