"""ONNX graphs of regressors and of one class predict what these predict."""

import numpy as np
import onnxruntime
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from skl2onnx import convert_sklearn
from skl2onnx import to_onnx as skl2onnx_to_onnx
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler, scale
from sklearn.svm import SVR, OneClassSVM

from largemargin import LDMRegressor, LinearLDMRegressor, OneClassLDM
from largemargin.production.onnx import register_converters, to_onnx

KERNELS = "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine"
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-12}
# Not in order, so that sorted predictions must find their places.
QUANTILES = {"loss": "quantile", "quantile": [0.6, 0.4, 0.5]}
pytestmark = pytest.mark.filterwarnings(
    "ignore:kernel='sigmoid' is not positive:UserWarning"
)


@pytest.fixture(params=TOLERANCE, ids=lambda dtype: dtype.__name__)
def dtype(request):
    return request.param


@pytest.fixture(scope="module")
def diabetes():
    """Scaled rows with values of about one, and rows that no machine is fitted on."""
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X), scale(y)
    return X[:100], y[:100], X[100:200]


def run(model, X, dtype):
    """Return the outputs of a model's graph by name."""
    graph = to_onnx(model, dtype=dtype).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": X}), strict=True))


def assert_close(found, expected, dtype):
    """Check shape, type and numbers, these up to the rounding of ``dtype``."""
    assert found.shape == expected.shape
    assert found.dtype == dtype
    error = np.abs(found - expected) / np.maximum(1.0, np.abs(expected))
    assert error.max() <= TOLERANCE[dtype]


def assert_values_agree(model, X, dtype):
    X = X.astype(dtype)
    found = run(model, X, dtype)
    assert [*found] == ["variable"]
    assert_close(found["variable"], model.predict(X).reshape(len(X), -1), dtype)


def assert_labels_agree(model, X, dtype):
    X = X.astype(dtype)
    found = run(model, X, dtype)
    assert [*found] == ["label", "scores"]
    assert_array_equal(found["label"], model.predict(X)[:, None])
    assert_close(found["scores"], model.decision_function(X)[:, None], dtype)


@pytest.mark.parametrize("kernel", KERNELS)
def test_graphs_of_regressors_agree_for_every_kernel(kernel, dtype, diabetes):
    X, y, X_new = diabetes
    machine = LDMRegressor(1.0, kernel=kernel, gamma="auto", coef0=0.5, max_iter=50)
    assert_values_agree(machine.fit(X, y), X_new, dtype)


@pytest.mark.parametrize("kernel", KERNELS)
def test_graphs_of_one_class_agree_for_every_kernel(kernel, dtype, diabetes):
    X, _, X_new = diabetes
    machine = OneClassLDM(nu=0.2, kernel=kernel, gamma="auto", coef0=0.5)
    X, X_new = X + 3.0, X_new + 3.0  # without an intercept, zero is no place of a class
    assert_labels_agree(machine.fit(X), X_new, dtype)


@pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])
def test_several_outputs_have_a_column_each(make, dtype, diabetes):
    X, y, X_new = diabetes
    machine = make(1.0).fit(X, np.column_stack([y, -2.0 * y, y**2]))
    assert_values_agree(machine, X_new, dtype)


@pytest.mark.parametrize("make", [LDMRegressor, LinearLDMRegressor])
def test_quantiles_are_sorted_into_the_places_they_were_asked_for(make, dtype, diabetes):
    X, y, X_new = diabetes
    machine = make(10.0, **QUANTILES).fit(X, y)
    raw = machine._scores(X_new) + machine.intercept_
    assert (np.diff(raw[:, [1, 2, 0]]) < 0).any()  # they would cross
    assert_values_agree(machine, X_new, dtype)


def test_one_quantile_is_one_column(dtype, diabetes):
    X, y, X_new = diabetes
    machine = LinearLDMRegressor(1.0, loss="quantile", quantile=0.9).fit(X, y)
    assert_values_agree(machine, X_new, dtype)


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_graphs_of_pipelines_and_searches_agree(scaler, dtype, diabetes):
    X, y, X_new = diabetes
    pipeline = make_pipeline(scaler, LDMRegressor(1.0))
    search = GridSearchCV(pipeline, {"ldmregressor__epsilon": [0.1, 0.5]}, cv=3)
    assert_values_agree(search.fit(X, y), X_new, dtype)
    inner = GridSearchCV(LinearLDMRegressor(1.0), {"C": [0.1, 1.0]}, cv=3)
    assert_values_agree(make_pipeline(scaler, inner).fit(X, y), X_new, dtype)


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_graphs_of_pipelines_of_one_class_agree(scaler, dtype, diabetes):
    X, _, X_new = diabetes
    model = make_pipeline(scaler, OneClassLDM(nu=0.2)).fit(X)
    assert_labels_agree(model, X_new, dtype)


def test_searches_of_one_class_agree(dtype, diabetes):
    X, _, X_new = diabetes
    search = GridSearchCV(
        OneClassLDM(), {"nu": [0.1, 0.5]}, cv=3, scoring=lambda model, X, y=None: 0.0
    )
    assert_labels_agree(search.fit(X), X_new, dtype)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "cosine"])
def test_graphs_of_machines_fitted_on_sparse_float32_rows_agree(kernel, dtype, diabetes):
    X, y, X_new = diabetes
    rows = sp.csr_array(np.where(X > 0, X, 0.0).astype(np.float32))
    assert_values_agree(LDMRegressor(1.0, kernel=kernel).fit(rows, y), X_new, dtype)
    assert_labels_agree(OneClassLDM(kernel=kernel).fit(rows), X_new, dtype)
    assert_values_agree(LinearLDMRegressor(1.0).fit(rows, y), X_new, dtype)


def test_graphs_take_rows_of_a_precomputed_kernel(dtype, diabetes):
    X, y, X_new = diabetes
    values = rbf_kernel(X_new, X)
    machine = LDMRegressor(
        1.0, kernel="precomputed", epsilon=0.5, lambda_var=0, lambda_square=0
    )
    machine.fit(rbf_kernel(X), y)
    assert len(machine.support_) < len(X)
    assert_values_agree(machine, values, dtype)
    one_class = OneClassLDM(kernel="precomputed", lambda_var=0, lambda_mean=0)
    assert_labels_agree(one_class.fit(rbf_kernel(X)), values, dtype)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_level_function_has_a_graph(kernel, dtype, diabetes):
    X, _, X_new = diabetes
    machine = LDMRegressor(1.0, kernel=kernel, lambda_var=0, lambda_square=0)
    machine.fit(X, np.full(len(X), 7.0))
    assert len(machine.support_) == 0
    assert_values_agree(machine, X_new, dtype)


def test_names_and_shapes_are_those_of_scikit_learns_machines(diabetes):
    X, y, _ = diabetes
    pairs = [
        (SVR().fit(X, y), LDMRegressor(1.0).fit(X, y)),
        (OneClassSVM().fit(X), OneClassLDM().fit(X)),
    ]
    for theirs, ours in pairs:
        found = skl2onnx_to_onnx(theirs, X[:1].astype(np.float32)).graph.output
        expected = to_onnx(ours, dtype=np.float32).graph.output
        assert [one.SerializeToString() for one in found] == [
            one.SerializeToString() for one in expected
        ]


def test_skl2onnx_itself_converts_them_once_they_are_registered(diabetes):
    from skl2onnx.common.data_types import DoubleTensorType

    X, y, X_new = diabetes
    register_converters()
    prices = {"lambda_var": "scale", "lambda_square": "scale"}
    machine = LDMRegressor(1.0, gamma="scale", **prices)
    model = make_pipeline(StandardScaler(), machine).fit(X, y)
    graph = convert_sklearn(model, initial_types=[("X", DoubleTensorType([None, 10]))])
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    (values,) = session.run(["variable"], {"X": X_new})
    assert_allclose(values[:, 0], model.predict(X_new), rtol=1e-12)


def test_targets_that_are_transformed_are_refused(diabetes):
    X, y, _ = diabetes
    model = TransformedTargetRegressor(LDMRegressor(1.0)).fit(X, y)
    with pytest.raises(TypeError, match="takes an estimator of largemargin"):
        to_onnx(model)
