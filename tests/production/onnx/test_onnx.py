"""ONNX graphs predict what the classifiers predict."""

import sys
import warnings

import numpy as np
import onnxruntime
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
    minmax_scale,
)
from sklearn.svm import SVC

from every_estimator import some
from largemargin import (
    CalibratedMachine,
    LinearLDMClassifierCV,
    MAMCClassifier,
)
from largemargin.estimators.table import CLASSIFIERS
from largemargin.production.onnx import to_onnx
from machines import fixed_ldm, fixed_linear_ldm

# Gamma keeps the values of poly near one: scores are sums of them, known to rounding.
ALL = {
    name: some(name, C=1.0, gamma="auto", gammas=["auto"], lambda_means=[0])
    for name in CLASSIFIERS
}
WITH_KERNEL = {name: one for name, one in ALL.items() if "kernel" in one.get_params()}
WITHOUT_KERNEL = {name: one for name, one in ALL.items() if name not in WITH_KERNEL}
KERNELS = "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine"
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-12}
SPECIES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(params=TOLERANCE, ids=lambda dtype: dtype.__name__)
def dtype(request):
    return request.param


@pytest.fixture
def irises(iris):
    """Scaled rows, and others that no machine is fitted on."""
    X, y = iris
    X = minmax_scale(X)
    return X[::2], y[::2], X[1::2]


FITTED = {}


def fit_once(model, X, y):
    """Return a fitted copy of a model, which tests with float32 and float64 rows share."""
    key = str(model.get_params()), X.tobytes(), y.tobytes()
    if key not in FITTED:
        FITTED[key] = clone(model).fit(X, y)
    return FITTED[key]


def run(model, X, dtype=np.float64):
    """Return the outputs of a model's graph."""
    session = onnxruntime.InferenceSession(
        to_onnx(model, dtype=dtype).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"X": X})


def assert_graph_agrees(model, X, dtype):
    X = X.astype(dtype)
    label, scores, *_ = run(model, X, dtype)
    expected = model.decision_function(X)
    assert scores.shape == expected.shape
    assert scores.dtype == dtype
    assert_array_equal(label, model.predict(X))
    error = np.abs(scores - expected) / np.maximum(1.0, np.abs(expected))
    assert error.max() <= TOLERANCE[dtype]


@pytest.mark.filterwarnings("ignore:kernel='sigmoid' is not positive:UserWarning")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", WITH_KERNEL)
def test_graphs_agree_for_every_kernel(name, kernel, dtype, irises):
    X, y, X_new = irises
    model = clone(WITH_KERNEL[name]).set_params(kernel=kernel, coef0=0.5)
    if (name, kernel) == ("mamc", "sigmoid"):
        model.set_params(threshold="none")  # the other has no maximum here
    assert_graph_agrees(fit_once(model, X, SPECIES[y]), X_new, dtype)


@pytest.mark.parametrize("name", WITHOUT_KERNEL)
def test_graphs_agree_for_machines_without_a_kernel(name, dtype, irises):
    X, y, X_new = irises
    assert_graph_agrees(fit_once(WITHOUT_KERNEL[name], X, y), X_new, dtype)


@pytest.mark.parametrize("machine", [fixed_ldm(), fixed_linear_ldm()], ids=str)
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_graphs_agree_for_many_classes(machine, multi_class, dtype):
    X, y = load_digits(return_X_y=True)
    model = clone(machine).set_params(multi_class=multi_class)
    assert_graph_agrees(fit_once(model, X[:300] / 16, y[:300]), X[300:600] / 16, dtype)


@pytest.mark.parametrize("name", ALL)
def test_graphs_agree_for_two_classes(name, dtype, blobs):
    X, y = blobs
    model = fit_once(ALL[name], X[::2], y[::2])
    assert_graph_agrees(model, X[1::2], dtype)


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
@pytest.mark.parametrize("name", ALL)
def test_graphs_of_pipelines_agree(name, scaler, dtype, iris):
    X, y = iris
    model = fit_once(make_pipeline(scaler, ALL[name]), X[::2], SPECIES[y[::2]])
    assert_graph_agrees(model, X[1::2], dtype)


def test_graphs_of_scikit_learns_searches_agree(dtype, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), fixed_ldm())
    search = GridSearchCV(pipeline, {"ldmclassifier__C": [0.1, 1]}, cv=3)
    assert_graph_agrees(fit_once(search, X[::2], y[::2]), X[1::2], dtype)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize(("n_classes", "ways"), [(2, "ovo"), (3, "ovo"), (3, "ovr")])
def test_graphs_of_calibrated_machines_agree(n_classes, ways, method, dtype, iris):
    X, y = iris
    X, y = X[y < n_classes], SPECIES[y[y < n_classes]]
    pipeline = make_pipeline(StandardScaler(), fixed_ldm(multi_class=ways))
    # Tilted, so that the map contradicts many predictions.
    pipeline.set_params(ldmclassifier__class_weight={"versicolor": 50})
    model = CalibratedMachine(pipeline, method=method, cv=3)
    model = fit_once(model, X[::2], y[::2])
    rng = np.random.default_rng(0)
    X_new = X[rng.integers(len(X), size=2000)] + rng.normal(size=(2000, X.shape[1]))
    assert_graph_agrees(model, X_new, dtype)
    label, _, probabilities = run(model, X_new.astype(dtype), dtype)
    assert_array_equal(model.classes_[probabilities.argmax(axis=1)], label)
    error = np.abs(probabilities - model.predict_proba(X_new.astype(dtype)))
    assert error.max() <= TOLERANCE[dtype]


@pytest.mark.parametrize(
    "model",
    [
        fixed_linear_ldm(),
        GridSearchCV(fixed_linear_ldm(), {"C": [1.0]}, cv=3),
        make_pipeline(LinearLDMClassifierCV(Cs=[1], cv=3)),
    ],
    ids=["alone", "in GridSearchCV", "in our search"],
)
def test_graphs_of_probabilities_of_pairs_agree(model, dtype):
    X, y = load_digits(return_X_y=True)
    X, X_new = X[:300] / 16, (X[300:600] / 16).astype(dtype)
    model = CalibratedMachine(model, cv=3).fit(X, y[:300])
    found = run(model, X_new, dtype)[2]
    assert_allclose(found, model.predict_proba(X_new), atol=TOLERANCE[dtype])
    assert_graph_agrees(model, X_new, dtype)


@pytest.mark.parametrize("clip", [False, True])
def test_graphs_scale_in_float32_as_scikit_learn_does(clip):
    rng = np.random.default_rng(0)
    # Far from zero, where a scale rounded to float32 moves a row by more than a score may.
    X = np.column_stack([rng.normal(2000, 5, 300), rng.normal(1e5, 30, 300)])
    y = X[:, 0] + X[:, 1] / 6 > 2000 + 1e5 / 6
    model = make_pipeline(MinMaxScaler((-1, 2), clip=clip), fixed_ldm()).fit(X, y)
    X_new = np.column_stack([rng.normal(2000, 9, 3000), rng.normal(1e5, 60, 3000)])
    assert_graph_agrees(model, X_new, np.float32)


def test_a_search_may_be_the_end_of_a_pipeline(dtype, iris):
    X, y = iris
    search = GridSearchCV(fixed_ldm(), {"C": [0.1, 1]}, cv=3)
    model = fit_once(make_pipeline(StandardScaler(), search), X, y)
    assert_graph_agrees(model, X, dtype)


@pytest.mark.filterwarnings("ignore:kernel='sigmoid' is not positive:UserWarning")
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_machine_that_no_row_matters_to_has_a_graph(kernel, iris):
    X, y = iris
    machine = fixed_ldm(0, lambda_mean=0, lambda_var=0, kernel=kernel).fit(X, y)
    assert len(machine.support_) == 0
    assert_graph_agrees(machine, X, np.float64)


def test_a_graph_that_onnxruntime_cannot_run_is_refused(iris, monkeypatch):
    X, y = iris
    steps = PolynomialFeatures(2), StandardScaler(), fixed_linear_ldm()
    model = make_pipeline(*steps).fit(X, y)
    with pytest.raises(ValueError, match="onnxruntime cannot run"):
        to_onnx(model)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert to_onnx(model).graph.node


def test_graphs_fill_in_missing_values(dtype, iris):
    X, y = iris
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = make_pipeline(SimpleImputer(strategy="median"), fixed_ldm()).fit(X, y)
    assert_graph_agrees(model, X, dtype)


def test_columns_of_words_are_inputs_of_their_own(dtype, iris):
    pd = pytest.importorskip("pandas")
    X, y = iris
    frame = pd.DataFrame(
        {"colour": np.array(["red", "blue"])[(y > 0) * 1], "size (cm)": X[:, 0]}
    )
    encode = ColumnTransformer(
        [
            ("words", OneHotEncoder(), ["colour"]),
            ("numbers", StandardScaler(), ["size (cm)"]),
        ]
    )
    model = make_pipeline(encode, fixed_ldm()).fit(frame, y)
    frame["size (cm)"] = frame["size (cm)"].astype(dtype)
    graph = to_onnx(model, dtype=dtype, text_columns=["colour"])
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    colour, size = frame[["colour"]].to_numpy(), frame[["size (cm)"]].to_numpy()
    label, scores = session.run(None, {"colour": colour, "size__cm_": size})
    assert_array_equal(label, model.predict(frame))
    assert_allclose(scores, model.decision_function(frame), atol=TOLERANCE[dtype])


def test_columns_of_words_that_are_not_known_are_refused(blobs):
    machine = fixed_linear_ldm().fit(*blobs)
    with pytest.raises(ValueError, match=r"text_columns must be names .* got \['colour'\]"):
        to_onnx(machine, text_columns=["colour"])


@pytest.mark.parametrize("ways", ["ovr", "ovo"])
def test_maps_that_are_level_have_a_graph(ways, iris):
    y = iris[1]
    rows = np.random.default_rng(0).normal(size=(150, 4))  # which tell nothing of y
    machine = fixed_linear_ldm(multi_class=ways)
    model = CalibratedMachine(machine, method="isotonic").fit(rows, y)
    if ways == "ovr":
        maps = model.calibration_.calibrated_classifiers_[0].calibrators
    else:
        maps = model.calibration_.calibrators_
    assert min(len(one.X_thresholds_) for one in maps) < 6
    assert_array_equal(
        run(model, rows)[2].argmax(axis=1), model.predict_proba(rows).argmax(axis=1)
    )
    assert_allclose(run(model, rows)[2], model.predict_proba(rows), atol=1e-12)


def test_graphs_take_rows_of_a_precomputed_kernel(dtype, irises):
    X, y, X_new = irises
    machine = fixed_ldm(100, kernel="precomputed", lambda_var=0, lambda_mean=0)
    machine.fit(rbf_kernel(X), y)
    assert len(machine.support_) < len(X)
    assert_graph_agrees(machine, rbf_kernel(X_new, X), dtype)


@pytest.mark.parametrize("kernel", KERNELS)
def test_graphs_of_machines_fitted_on_sparse_float32_rows_agree(kernel, dtype, irises):
    X, y, X_new = irises
    rows = sp.csr_array(X.astype(np.float32))
    if kernel == "sigmoid":
        machine = MAMCClassifier(kernel=kernel, threshold="none", coef0=0.5)
    else:
        machine = fixed_ldm(kernel=kernel, gamma="auto")
    assert_graph_agrees(machine.fit(rows, y), X_new, dtype)


def test_only_rows_that_matter_are_stored():
    X, y = make_moons(400, noise=0.1, random_state=0)
    svm = fixed_ldm(10, lambda_var=0, lambda_mean=0).fit(X, y)
    assert len(svm.support_) < 40
    n_support, n_features = svm.support_vectors_.shape
    stored = sum(np.prod(array.dims) for array in to_onnx(svm).graph.initializer)
    # Rows, their squares and coefficients, and a few numbers beside.
    assert stored <= n_support * (n_features + 2) + 20


@pytest.mark.parametrize(
    ("negative", "positive"), [(False, True), (0.5, 1.5), (-3, 7), ("no", "yes")]
)
def test_labels_keep_their_kind(negative, positive, blobs):
    X, y = blobs
    machine = fixed_linear_ldm().fit(X, np.where(y > 0, positive, negative))
    label, _ = run(machine, X)
    assert label.tolist() == machine.predict(X).tolist()
    assert type(label.tolist()[0]) is type(positive)


def test_labels_beyond_the_integers_of_onnx_are_refused(blobs):
    X, y = blobs
    machine = fixed_linear_ldm().fit(X, np.where(y > 0, 2**64 - 1, 0).astype(np.uint64))
    with pytest.raises(TypeError, match=r"below 2\^63"):
        to_onnx(machine)


def test_labels_of_strings_may_be_objects(blobs):
    X, y = blobs
    machine = fixed_linear_ldm()
    machine.fit(X, np.where(y > 0, "yes", "no").astype(object))
    assert run(machine, X)[0].tolist() == machine.predict(X).tolist()


def test_a_score_of_zero_is_the_first_class(separable):
    X, y = separable
    machine = fixed_linear_ldm(fit_intercept=False).fit(X, y)
    label, scores = run(machine, np.zeros((1, X.shape[1])))
    assert scores == [0]
    assert label == [-1] == machine.predict(np.zeros((1, X.shape[1])))


@pytest.mark.parametrize(
    ("multi_class", "wanted"), [("ovr", [[0, 0, 0]]), ("ovo", [[2, 1, 0]])]
)
def test_of_equal_scores_the_first_class_wins(multi_class, wanted, iris):
    X, y = iris
    machine = fixed_linear_ldm(fit_intercept=False, multi_class=multi_class)
    label, scores = run(machine.fit(X, y + 5), np.zeros((1, X.shape[1])))
    assert_array_equal(scores, wanted)
    assert label == [5]


def test_rows_without_a_direction_have_no_cosine(irises):
    X, y, _ = irises
    machine = fixed_ldm(kernel="cosine").fit(X, y)
    assert_graph_agrees(
        machine, np.array([[0.0] * 4, [1e-16] * 4, [1e-14] * 4]), np.float64
    )


@pytest.mark.parametrize("C", [1e2, 1e4])
def test_large_coefficients_cost_no_more_than_rounding(C):
    X, y = make_moons(300, noise=0.2, random_state=0)
    machine = fixed_ldm(C).fit(X, y)
    values = rbf_kernel(X, machine.support_vectors_, machine._kernel.gamma)
    terms = values @ np.abs(machine.dual_coef_[0])
    error = np.abs(run(machine, X)[1] - machine.decision_function(X))
    assert (error / terms).max() <= 1e-14


def test_a_function_has_no_graph(blobs):
    machine = fixed_ldm(kernel=rbf_kernel).fit(*blobs)
    with pytest.raises(ValueError, match="ONNX knows no Python functions"):
        to_onnx(machine)


def test_other_classifiers_and_unfitted_ones_are_refused(blobs):
    with pytest.raises(TypeError, match=r"got SVC\(\)"):
        to_onnx(SVC().fit(*blobs))
    with pytest.raises(TypeError, match=r"got LinearLDMClassifierCV\(.*refit=False"):
        to_onnx(LinearLDMClassifierCV(Cs=[1], cv=3, refit=False).fit(*blobs))
    with pytest.raises(NotFittedError):
        to_onnx(fixed_ldm())


def test_rows_of_integers_are_refused(blobs):
    with pytest.raises(ValueError, match="dtype must be float32 or float64; got int64"):
        to_onnx(fixed_linear_ldm().fit(*blobs), dtype=np.int64)


def test_without_skl2onnx_the_extra_is_named(blobs, monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"largemargin\[onnx\]"):
        to_onnx(fixed_linear_ldm().fit(*blobs))


def test_a_place_without_a_step_does_no_harm(dtype, iris):
    X, y = iris
    assert_graph_agrees(make_pipeline("passthrough", fixed_ldm()).fit(X, y), X, dtype)


@pytest.mark.parametrize("imputer", [SimpleImputer(add_indicator=True), SimpleImputer()])
def test_imputers_that_change_the_columns_are_refused(imputer, dtype, iris):
    X, y = iris
    X = np.column_stack([np.where(X[:, :1] > 5, np.nan, X[:, :1]), X])
    if not imputer.add_indicator:
        X[:, 0] = np.nan
    model = make_pipeline(imputer, fixed_ldm())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the empty column
        model.fit(X, y)
    with pytest.raises(ValueError, match="cannot add or drop columns"):
        to_onnx(model, dtype=dtype)


def test_columns_by_name_are_to_be_told_apart(iris):
    pd = pytest.importorskip("pandas")
    X, y = iris
    frame = pd.DataFrame(X[:, :2], columns=["size", "weight"])
    scale = ColumnTransformer([("scale", StandardScaler(), ["size", "weight"])])
    model = make_pipeline(scale, fixed_ldm()).fit(frame, y)
    with pytest.raises(ValueError, match=r"pass text_columns .* or \[\]"):
        to_onnx(model)
    assert [one.name for one in to_onnx(model, text_columns=iter([])).graph.input] == [
        "size",
        "weight",
    ]


def test_columns_called_as_an_output_are_refused(iris):
    pd = pytest.importorskip("pandas")
    X, y = iris
    frame = pd.DataFrame(X[:, :2], columns=["size", "scores"])
    machine = fixed_ldm().fit(frame, y)
    assert to_onnx(machine).graph.input[0].name == "X"
    with pytest.raises(ValueError, match="A column may not be called 'scores'"):
        to_onnx(machine, text_columns=[])
