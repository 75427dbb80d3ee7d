"""Leave-one-out residuals against a fit for each row."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from largemargin import (
    LDMClassifier,
    LDMRegressor,
    LinearLDMRegressor,
    OneClassLDM,
    leave_one_out_bound,
    leave_one_out_error,
    leave_one_out_residuals,
)
from largemargin.inspection.refits import Case
from machines import fixed_regressor

NONE = {"lambda_var": 0, "lambda_square": 0}
SCALE = {"lambda_var": "10*scale", "lambda_square": "scale"}
WORDS = {"C": "scale", "epsilon": "0.2*scale", **SCALE}
QUANTILE = {"loss": "quantile", "quantile": 0.7, "lambda_square": 0}
KINDS = LDMRegressor, LinearLDMRegressor


def machine_of(kind, **options):
    return fixed_regressor(kind, tol=1e-12, **options)


def without_each(machine, X, y, weight=None):
    """Return the residual of each row by a fit of all others."""
    out = np.zeros(y.shape)
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        given = None if weight is None else weight[others]
        rest = clone(machine).fit(X[others], y[others], given)
        out[i] = y[i] - rest.predict(X[[i]])[0]
    return out


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        NONE,
        {**NONE, "fit_intercept": False},
        {"lambda_square": 0},
        SCALE,
        WORDS,
        {**NONE, "C": "scale", "epsilon": "scale"},
        {"C": np.inf, "epsilon": 4.0},
        QUANTILE,
        {**QUANTILE, "lambda_var": 0},
        {"C": 0},
        {"C": 0, **SCALE},
        {"C": 0, "lambda_square": 0},
        {"C": 0, **NONE},
        {"C": 0, "fit_intercept": False},
        {"C": 0, "fit_intercept": False, "lambda_var": 0},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", KINDS)
def test_residuals_are_those_of_a_fit_for_each_row(kind, options, values):
    X, y = values[0][:30], values[1][:30]
    machine = machine_of(kind, **options).fit(X, y)
    found = leave_one_out_residuals(machine, X, y)
    assert_allclose(found.residuals, without_each(machine, X, y), atol=1e-6)


@pytest.mark.parametrize("options", [{}, NONE, WORDS, {"C": 0}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_is_left_out_with_its_weight_which_counts_in_errors(kind, options, values):
    X, y = values[0][:30], values[1][:30]
    weight = np.arange(30) % 4 / 2.0
    machine = machine_of(kind, **options).fit(X, y, weight)
    found = leave_one_out_residuals(machine, X, y, weight)
    wanted = without_each(machine, X, y, weight)
    assert_allclose(found.residuals, wanted, atol=1e-6)
    error = np.average(wanted**2, weights=weight)
    assert_allclose(found.mean_squared_error, error, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_every_output_and_every_quantile_has_residuals(kind, values):
    X, y = values[0][:25], values[1][:25]
    Y = np.column_stack([y, X[:, 0] - y**2])
    machine = machine_of(kind, C="scale", epsilon="scale").fit(X, Y)
    found = [one.residuals for one in leave_one_out_residuals(machine, X, Y)]
    assert_allclose(np.transpose(found), without_each(machine, X, Y), atol=1e-5)
    levels = {**QUANTILE, "quantile": [0.6, 0.3, 0.5], "lambda_var": 0}
    machine = machine_of(kind, C=3.0, **levels).fit(X, y)
    below = [one.residuals for one in leave_one_out_residuals(machine, X, y)]
    others = cross_val_predict(machine, X, y, cv=LeaveOneOut())
    assert_allclose(np.transpose(below), y[:, None] - others, atol=1e-6)
    assert all(
        (one >= other).all() for one, other in pairwise([below[k] for k in (1, 2, 0)])
    )


def test_sparse_rows_and_gram_matrices_give_the_same(values):
    X, y = values[0][:30], values[1][:30]
    gram = rbf_kernel(X, gamma=0.3)
    for options in {}, {"C": 0}:
        dense = leave_one_out_residuals(machine_of(KINDS[1], **options).fit(X, y), X, y)
        rows = sp.csr_matrix(X)
        machine = machine_of(KINDS[1], **options).fit(rows, y)
        sparse = leave_one_out_residuals(machine, rows, y)
        assert_allclose(sparse.residuals, dense.residuals, atol=1e-6)
        rbf = leave_one_out_residuals(machine_of(KINDS[0], **options).fit(X, y), X, y)
        machine = machine_of(KINDS[0], kernel="precomputed", **options).fit(gram, y)
        known = leave_one_out_residuals(machine, gram, y)
        assert_allclose(known.residuals, rbf.residuals, atol=1e-6)


def test_closed_forms_hold_far_from_zero(values):
    X, y = values
    machine = LinearLDMRegressor(C=0, lambda_var=3.0, lambda_square=1.0)
    near = leave_one_out_residuals(machine.fit(X, y), X, y)
    far = leave_one_out_residuals(machine.fit(X + 1e5, y + 1e7), X + 1e5, y + 1e7)
    assert_allclose(far.residuals, near.residuals, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "n_fits"), [(NONE, 0.4), ({}, 1.0), ({**NONE, **QUANTILE}, 1.0)], ids=str
)
def test_rows_inside_the_tube_of_a_support_vector_machine_need_no_fit(
    options, n_fits, values
):
    X, y = values
    machine = machine_of(LDMRegressor, **{"epsilon": 0.5, **options}).fit(X, y)
    case = Case.of(machine, X, y, None, of_values=True)
    (one,) = case.machines()
    changed = case.changed_without(one)
    inside = np.abs(y - machine.predict(X)) < 0.5 - 1e-6
    if n_fits == 1.0:
        assert changed.all()
    else:
        assert (changed == ~inside).all()
        assert changed.mean() < 0.8


def test_a_row_that_bounds_an_intercept_that_is_not_determined_needs_a_fit():
    # All rows fit into the tube, and the two outer ones bound the level of a constant.
    X, y = np.zeros((4, 1)), np.array([0.0, 0.1, 0.2, 1.0])
    machine = LinearLDMRegressor(1.0, epsilon=1.0, **NONE, tol=1e-12).fit(X, y)
    assert_allclose(machine.predict(X), 0.5)
    found = leave_one_out_residuals(machine, X, y)
    assert_allclose(found.residuals, [-0.55, -0.4, -0.3, 0.9], atol=1e-9)


def test_pipelines_and_searches_are_judged_by_the_machine_inside(values):
    X, y = values[0][:20] * 100, values[1][:20]
    pipeline = make_pipeline(StandardScaler(), machine_of(LDMRegressor)).fit(X, y)
    found = leave_one_out_residuals(pipeline, X, y).residuals
    inside = pipeline[0].transform(X)
    assert_allclose(found, leave_one_out_residuals(pipeline[-1], inside, y).residuals)
    search = GridSearchCV(machine_of(LinearLDMRegressor), {"C": [0.1, 1.0]}, cv=3)
    found = leave_one_out_residuals(search.fit(X, y), X, y).residuals
    best = leave_one_out_residuals(search.best_estimator_, X, y).residuals
    assert_allclose(found, best)


def test_the_width_of_the_kernel_stays(values):
    X, y = values[0][:20], values[1][:20]
    machine = machine_of(LDMRegressor, gamma="scale").fit(X, y)
    given = machine_of(LDMRegressor, gamma=machine.gamma_).fit(X, y)
    residuals = [leave_one_out_residuals(one, X, y).residuals for one in (machine, given)]
    assert_allclose(*residuals, atol=1e-7)


def test_what_a_regressor_has_chosen_stays(values):
    X, y = values[0][:30], values[1][:30]
    machine = LDMRegressor(C="loo", epsilon="loo", gamma="loo", tol=1e-12).fit(X, y)
    chosen = {"C": machine.C_, "epsilon": machine.epsilon_, "gamma": machine.gamma_}
    found = leave_one_out_residuals(machine, X, y).residuals
    wanted = without_each(clone(machine).set_params(**chosen), X, y)
    assert_allclose(found, wanted, atol=1e-6)


def test_what_has_no_leave_one_out_residuals_is_refused(values):
    X, y = values
    machine = fixed_regressor(LinearLDMRegressor).fit(X, y)
    with pytest.raises(ValueError, match="the 60 rows that the estimator was fitted on"):
        leave_one_out_residuals(machine, X[:10], y[:10])
    with pytest.raises(ValueError, match="another number of classes or columns"):
        leave_one_out_residuals(machine, X, np.c_[y, y])
    with pytest.raises(ValueError, match="at least two rows; got one"):
        leave_one_out_residuals(machine.fit(X[:1], [0]), X[:1], [0])
    with pytest.raises(TypeError, match=r"Expected a regressor.*use leave_one_out_error"):
        leave_one_out_residuals(LDMClassifier().fit(X, y > 3), X, y)
    for function in leave_one_out_error, leave_one_out_bound:
        with pytest.raises(TypeError, match=r"Expected a classifier.*_residuals"):
            function(machine, X, y)


@pytest.mark.parametrize("function", [leave_one_out_residuals, leave_one_out_error])
def test_one_class_has_nothing_to_compare_a_prediction_with(function, values):
    X, y = values
    with pytest.raises(TypeError, match="neither labels nor values"):
        function(OneClassLDM().fit(X), X, y)
