"""The commands beside training and prediction."""

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from largemargin import datasets
from largemargin.cli import compare
from largemargin.cli.compare import contest
from largemargin.cli.group import COMMANDS
from largemargin.cli.matrices import MatrixSchema


@pytest.mark.parametrize("name", [*COMMANDS, "datasets list", "datasets get"])
def test_every_help_text_has_an_example(good, name):
    assert f"Example: largemargin {name}" in good(*name.split(), "--help").out


def test_an_unknown_command_is_a_usage_error(refused):
    assert "No such command 'trian'" in refused("trian", code=2)


def test_the_version_is_told(good):
    import largemargin

    assert good("--version").out == f"largemargin {largemargin.__version__}\n"


def test_info_tells_what_a_model_is(good, table_model):
    told = good("info", table_model, "--json").record
    assert told["machine"] == "LDMClassifier"
    assert told["steps"] == ["ColumnTransformer", "LDMClassifier"]
    assert told["rows"]["words"] == {"colour": ["blue", "red", "white"]}
    assert told["versions"].keys() >= {"largemargin", "scikit-learn"}
    assert "colour (3 words)" in good("info", table_model).out


def test_an_exported_model_predicts_as_the_model_does(good, model, libsvm, cells, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    graph = tmp_path / "some.onnx"
    good("export", model, graph)
    session = runtime.InferenceSession(graph.read_bytes())
    labels, _ = session.run(None, {"X": cells[0]})
    assert labels.tolist() == [
        int(one) for one in good("predict", model, libsvm).out.split()
    ]


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_graph_takes_columns_of_words_by_their_names(good, flowers, precision, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    flowers.loc[3, "colour"] = flowers.loc[5, "sepal length"] = None
    table, model, graph = (tmp_path / name for name in ("f.csv", "f.model", "f.onnx"))
    flowers.to_csv(table, index=False)
    good("train", table, "-o", model, "--missing", "impute", "--probability", "-q")
    told = good("export", model, graph, "--json", *["--float32"][precision == "float64" :])
    inputs = told.record["inputs"]
    assert inputs == [name.replace(" ", "_") for name in flowers.columns[:-1]]
    feed = {
        place: flowers[[name]].fillna("").to_numpy(dtype=object)
        if name == "colour"
        else flowers[[name]].to_numpy(dtype=precision)
        for place, name in zip(inputs, flowers, strict=False)
    }
    labels, scores, probabilities = runtime.InferenceSession(graph.read_bytes()).run(
        ["label", "scores", "probabilities"], feed
    )
    told = good("predict", model, table, "--scores", "--probability", "--json").record
    assert labels.tolist() == told["label"]
    tolerance = {"float32": 1e-5, "float64": 1e-12}[precision]
    for k, name in enumerate(("setosa", "versicolor", "virginica")):
        np.testing.assert_allclose(scores[:, k], told[f"score {name}"], atol=tolerance)
        np.testing.assert_allclose(
            probabilities[:, k], told[f"probability {name}"], atol=tolerance
        )


def test_datasets_are_listed(good):
    lines = good("datasets", "list", "--scale", "regular").out.splitlines()
    assert lines[0].split() == ["name", "rows", "features", "scale", "task"]
    assert [line.split()[0] for line in lines[1:]] == list(datasets.names("regular"))
    records = good("datasets", "list", "--json").record["datasets"]
    assert [record["name"] for record in records] == list(datasets.names())


@pytest.mark.parametrize("ending", ["libsvm", "libsvm.gz"])
def test_a_data_set_is_written_as_libsvm_text(good, tmp_path, ending):
    path = tmp_path / f"cancer.{ending}"
    good("datasets", "get", "wdbc", "-o", path, "--no-download")
    X, y = load_svmlight_file(str(path))
    data = datasets.load("wdbc", download=False)
    np.testing.assert_array_equal(X.toarray(), data.X)
    np.testing.assert_array_equal(y, data.y)


def test_a_data_set_that_is_not_known_is_refused(refused):
    assert "Did you mean 'sonar'?" in refused("datasets", "get", "sonr")


def test_every_method_is_compared_in_the_same_folds(good, libsvm):
    told = good("compare", libsvm, "--folds", "2", "-t", "linear", "--json").record
    assert [result["method"] for result in told["results"]] == [
        "ldm",
        "svm",
        "odm",
        "komd",
        "mamc",
        "mdo",
    ]
    for result in told["results"]:
        assert 0.5 < result["accuracy"] <= 1.0
        assert result["seconds"] > 0


def test_processes_compare_as_one_does(good, libsvm):
    options = libsvm, "--folds", "2", "--methods", "mamc", "-t", "linear", "--json"
    one = good("compare", *options).record["results"]
    two = good("compare", *options, "--jobs", "2").record["results"]
    assert [result["accuracy"] for result in one] == [result["accuracy"] for result in two]


def test_the_comparison_is_one_table(good, table):
    told = good("compare", table, "--folds", "2", "--methods", "mamc,mdo").out
    head, mamc, mdo = told.splitlines()
    assert head.split() == ["method", "kernel", "accuracy", "deviation", "seconds"]
    assert mamc.split()[:3] == ["MAMC,", "balanced", "rbf"]
    assert mdo.split()[:2] == ["MDO", "linear"]


def test_a_method_that_fails_is_told_beside_the_others(good, libsvm, monkeypatch):
    def fail(method, *arguments):
        if method == "mdo":
            raise ValueError("no luck")
        return tuned(method, *arguments)

    tuned = compare.tuned
    monkeypatch.setattr(compare, "tuned", fail)
    told = good("compare", libsvm, "--folds", "2", "--methods", "mdo,mamc").out
    _, mdo, mamc = told.splitlines()
    assert mdo.endswith("failed: no luck")
    assert "failed" not in mamc


def test_scaling_sees_the_training_rows_of_a_fold_only(monkeypatch):
    seen = []

    def watch(method, kernel, X, y):
        seen.append(X.max())
        raise ValueError("enough was seen")

    monkeypatch.setattr(compare, "tuned", watch)
    X, y = np.array([[1.0], [2.0], [100.0]]), np.array([0, 1, 0])
    train, test = np.array([0, 1]), np.array([2])
    contest("mamc", "rbf", MatrixSchema(1, dense=True), X, y, train, test, "unit")
    assert seen == [1.0]


def test_what_goes_wrong_in_the_study_is_told_as_elsewhere(refused, tmp_path):
    told = refused("study", "report", "--output", tmp_path / "study")
    assert "run the study first" in told


def test_an_unknown_method_is_a_usage_error(refused, libsvm):
    assert "'ldn' is none of ldm," in refused("compare", libsvm, "--methods", "ldn", code=2)
