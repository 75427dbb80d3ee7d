"""Probabilities are calibrated, and agree with what is predicted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from every_estimator import some
from largemargin import (
    LDMClassifierCV,
    LinearLDMClassifierCV,
)
from largemargin.estimators import table
from largemargin.production.calibration import CalibratedMachine, calibrate, side_with
from machines import fixed_ldm, fixed_linear_ldm

METHODS = "sigmoid", "isotonic"
GRID = {"Cs": [0.1, 1], "lambda_vars": [0.1, "scale"], "lambda_means": ["scale"]}
MACHINES = {one.name: some(one.name) for one in table.MACHINES if one.task == "classes"}
MACHINES["tilted"] = fixed_linear_ldm(class_weight={-1: 20, 0: 20})


@pytest.fixture
def noisy():
    """Rows whose label is drawn by a known probability, and that probability."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 2))
    chances = expit(3.0 * X[:, 0] - 1.0)
    return X, (rng.random(3000) < chances).astype(int), chances


@parametrize_with_checks([CalibratedMachine(fixed_linear_ldm(), cv=2)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("data", ["blobs", "iris"])
def test_the_most_probable_class_is_the_predicted_one(data, name, method, request):
    X, y = request.getfixturevalue(data)
    machine = clone(MACHINES[name]).fit(X, y)
    calibrated = calibrate(machine, X, y, method=method)
    rng = np.random.default_rng(0)
    near = X[rng.integers(len(X), size=500)] + 0.3 * rng.standard_normal((500, X.shape[1]))
    probabilities = calibrated.predict_proba(near)
    assert_array_equal(
        machine.classes_[probabilities.argmax(axis=1)], machine.predict(near)
    )
    assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    assert probabilities.min() >= 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", ["blobs", "iris"])
def test_the_map_is_scikit_learns_where_that_agrees_with_the_prediction(
    data, method, request
):
    X, y = request.getfixturevalue(data)
    machine = fixed_linear_ldm(multi_class="ovr").fit(X, y)
    ours = calibrate(machine, X, y, method=method, cv=3).predict_proba(X)
    theirs = CalibratedClassifierCV(
        clone(machine), method=method, cv=StratifiedKFold(3), ensemble=False
    )
    theirs = theirs.fit(X, y).predict_proba(X)
    agree = machine.classes_[theirs.argmax(axis=1)] == machine.predict(X)
    assert agree.mean() > 0.8
    assert_allclose(ours[agree], theirs[agree], rtol=1e-10, atol=1e-12)


def test_a_tilted_machine_gets_one_half_between_its_threshold_and_the_true_one(noisy):
    X, y, chances = noisy
    machine = fixed_linear_ldm(class_weight={1: 5}).fit(X, y)
    found = calibrate(machine, X, y).predict_proba(X)[:, 1]
    between = (machine.predict(X) == 1) & (chances < 0.45)
    assert between.sum() > 100
    assert_allclose(found[between], 0.5, rtol=1e-12)
    assert np.abs(found - chances)[~between].max() < 0.1


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_are_nearly_as_good_as_the_true_ones(noisy, method):
    X, y, chances = noisy
    machine = fixed_linear_ldm().fit(X[:2000], y[:2000])
    calibrated = calibrate(machine, X[:2000], y[:2000], method=method)
    found = calibrated.predict_proba(X[2000:])[:, 1]
    assert np.abs(found - chances[2000:]).mean() < 0.05
    best = log_loss(y[2000:], chances[2000:])
    assert log_loss(y[2000:], found.clip(1e-3, 1 - 1e-3)) < best + 0.03


def test_calibration_looks_at_rows_the_machine_had_not_seen(blobs):
    X, y = blobs
    # Coefficients so large that every training row lies on its own side.
    machine = fixed_ldm(1e4, lambda_var=0, lambda_mean=0, gamma=1e4).fit(X, y)
    assert machine.score(X, y) == 1
    found = calibrate(machine, X, y).predict_proba(X)
    assert found.max() < 0.9


def test_predictions_and_scores_are_those_of_the_machine(iris):
    X, y = iris
    machine = fixed_ldm().fit(X, y)
    calibrated = calibrate(machine, X, y)
    assert calibrated.machine_ is machine
    assert_array_equal(calibrated.predict(X), machine.predict(X))
    assert_array_equal(calibrated.decision_function(X), machine.decision_function(X))


def test_fitting_is_fitting_the_machine_and_calibrating_it(iris):
    X, y = iris
    fitted = CalibratedMachine(fixed_linear_ldm(), cv=3).fit(X, y)
    machine = fixed_linear_ldm().fit(X, y)
    assert_array_equal(
        fitted.predict_proba(X), calibrate(machine, X, y, cv=3).predict_proba(X)
    )


@pytest.mark.parametrize(
    "search",
    [
        LinearLDMClassifierCV(**GRID, cv=KFold(3, shuffle=True, random_state=0), tol=1e-10),
        LDMClassifierCV(**GRID, gammas=["scale"], cv=3, tol=1e-10),
        GridSearchCV(fixed_linear_ldm(), {"C": [0.1, 1]}, cv=3),
    ],
    ids=lambda search: type(search).__name__,
)
@pytest.mark.parametrize("data", ["blobs", "iris"])
def test_a_search_is_calibrated_at_its_best_point_in_its_folds(search, data, request):
    X, y = request.getfixturevalue(data)
    search = clone(search).fit(X, y)
    best = calibrate(search.best_estimator_, X, y, cv=search.cv)
    found = calibrate(search, X, y).predict_proba(X)
    # The search solves at other prices first and keeps float32.
    assert_allclose(found, best.predict_proba(X), atol=1e-5)


def test_class_weights_by_name_count_in_the_folds(blobs):
    X, y = blobs
    names = np.where(y > 0, "yes", "no")
    by_name = fixed_linear_ldm(class_weight={"yes": 5}).fit(X, names)
    by_number = fixed_linear_ldm(class_weight={1: 5}).fit(X, y)
    assert_array_equal(
        calibrate(by_name, X, names).predict_proba(X),
        calibrate(by_number, X, y).predict_proba(X),
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", ["blobs", "iris"])
def test_a_weight_of_two_is_the_row_twice(data, method, request):
    X, y = request.getfixturevalue(data)
    rng = np.random.default_rng(0)
    times = rng.integers(0, 3, len(y))
    fold = rng.integers(3, size=len(y))
    twice = np.repeat(np.arange(len(y)), times)

    def probabilities(X_fit, y_fit, fold, weight):
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
        machine = fixed_linear_ldm(tol=1e-10).fit(X_fit, y_fit, weight)
        calibrated = calibrate(
            machine, X_fit, y_fit, cv=splits, sample_weight=weight, method=method
        )
        return calibrated.predict_proba(X)

    weighted = probabilities(X, y, fold, times)
    repeated = probabilities(X[twice], y[twice], fold[twice], None)
    # Scikit-learn stops its search for the sigmoid at a slope, and that is rough.
    assert_allclose(weighted, repeated, atol=1e-4)


def test_a_class_without_weight_gets_no_probability(iris):
    X, y = iris
    weight = (y != 2).astype(float)
    machine = fixed_linear_ldm().fit(X, y, weight)
    calibrated = calibrate(machine, X, y, sample_weight=weight)
    assert_array_equal(calibrated.classes_, [0, 1])
    assert calibrated.predict_proba(X).shape == (150, 2)


@pytest.mark.parametrize("unwanted", [0, 2])
def test_a_class_of_class_weight_zero_gets_no_probability(iris, unwanted):
    X, y = iris
    machine = fixed_linear_ldm(class_weight={unwanted: 0}).fit(X, y)
    without = y != unwanted
    expected = fixed_linear_ldm().fit(X[without], y[without])
    splits = list(StratifiedKFold(3).split(X, y))
    kept = [
        [np.flatnonzero(np.isin(np.flatnonzero(without), part)) for part in split]
        for split in splits
    ]
    found = calibrate(machine, X, y, cv=splits)
    expected = calibrate(expected, X[without], y[without], cv=kept)
    assert_array_equal(found.classes_, expected.classes_)
    assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-8)


def test_labels_may_be_any_two_numbers(blobs):
    X, y = blobs
    halves = np.where(y > 0, 1.5, 0.5)
    found = calibrate(fixed_linear_ldm().fit(X, halves), X, halves)
    expected = calibrate(fixed_linear_ldm().fit(X, y), X, y)
    assert_array_equal(found.classes_, [0.5, 1.5])
    assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_weights_reach_the_pipeline_inside_a_search(blobs):
    X, y = blobs
    weight = np.where(X[:, 0] > 0, 3.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), fixed_linear_ldm())
    grid = {"linearldmclassifier__C": [1.0]}
    found = CalibratedMachine(GridSearchCV(pipeline, grid, cv=5)).fit(X, y, weight)
    expected = CalibratedMachine(pipeline).fit(X, y, weight)
    assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_metadata_routing_does_not_matter(blobs):
    X, y = blobs
    with config_context(enable_metadata_routing=True):
        found = CalibratedMachine(fixed_linear_ldm()).fit(X, y).predict_proba(X)
    expected = CalibratedMachine(fixed_linear_ldm()).fit(X, y).predict_proba(X)
    assert_array_equal(found, expected)


def test_names_of_features_are_forgotten_in_the_next_fit(blobs):
    pd = pytest.importorskip("pandas")
    X, y = blobs
    model = CalibratedMachine(fixed_linear_ldm())
    named = model.fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert named.feature_names_in_.tolist() == list("abcd")
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_weights_reach_the_machine_in_a_pipeline(blobs):
    X, y = blobs
    weight = np.where(X[:, 0] > 0, 3.0, 1.0)
    bare = CalibratedMachine(fixed_linear_ldm()).fit(X, y, weight)
    pipeline = make_pipeline("passthrough", make_pipeline(fixed_linear_ldm()))
    piped = CalibratedMachine(pipeline).fit(X, y, weight)
    assert_array_equal(piped.predict_proba(X), bare.predict_proba(X))


def test_a_precomputed_kernel_is_split_by_rows_and_columns(blobs):
    X, y = blobs
    gram = X @ X.T
    machine = fixed_ldm(kernel="precomputed", tol=1e-10).fit(gram, y)
    explicit = fixed_ldm(kernel="linear", tol=1e-10).fit(X, y)
    found = calibrate(machine, gram, y).predict_proba(gram)
    assert_allclose(found, calibrate(explicit, X, y).predict_proba(X), atol=1e-5)


def test_folds_may_overlap_and_leave_rows_out(noisy):
    X, y, chances = noisy
    machine = fixed_linear_ldm().fit(X, y)
    cv = StratifiedShuffleSplit(3, test_size=0.5, random_state=0)
    found = calibrate(machine, X, y, cv=cv).predict_proba(X)[:, 1]
    assert np.abs(found - chances).mean() < 0.05


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(any),
    st.integers(0, 5),
    st.integers(0, 2**32 - 1),
)
def test_siding_is_a_projection(parts, winner, seed):
    given_ = np.array(parts) / sum(parts)
    winner %= len(parts)
    found = side_with(np.array([winner]), given_[None])[0]
    assert found.argmax() == winner
    assert_allclose(found.sum(), 1.0, rtol=1e-12)
    others = np.random.default_rng(seed).dirichlet(np.ones(len(parts)), 20)
    others = others[others.argmax(axis=1) == winner]
    # The nearest point of a convex set sees all of it on the far side of itself.
    assert ((others - found) @ (given_ - found) <= 1e-12).all()


def test_what_has_no_scores_is_refused(blobs):
    X, y = blobs
    with pytest.raises(NotFittedError):
        calibrate(fixed_ldm(), X, y)
    search = LinearLDMClassifierCV(Cs=[1], cv=3, refit=False).fit(X, y)
    with pytest.raises(TypeError, match="or a search with refit=True"):
        calibrate(search, X, y)
    with pytest.raises(ValueError, match="'method' parameter"):
        calibrate(fixed_linear_ldm().fit(X, y), X, y, method="platt")


def test_folds_without_a_class_are_refused(iris):
    X, y = iris
    machine = fixed_linear_ldm().fit(X, y)
    rows = np.arange(len(y))
    with pytest.raises(ValueError, match=r"Every training fold .* one has \[1, 2\] only"):
        calibrate(machine, X, y, cv=[(rows[y != 0], rows[y == 0])])
    with pytest.raises(ValueError, match=r"test folds must hold every class; \[2\]"):
        calibrate(machine, X, y, cv=[(rows[::2], rows[y != 2])])
