"""Outliers on the command line: training without labels, and what is told of them."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import dump_svmlight_file
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import OneClassSVM

from largemargin import OneClassLDM
from largemargin.cli.measures import label_of_outliers
from largemargin.cli.models import load_model
from largemargin.production.model_files import save


@pytest.fixture(scope="module")
def rows():
    """A cloud, and rows scattered around it, which are the outliers."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(5.0, 1.0, (90, 3)), rng.uniform(0.0, 10.0, (10, 3))])
    return X.round(3), np.repeat([1, -1], [90, 10])


@pytest.fixture
def table(tmp_path, rows):
    path = tmp_path / "rows.csv"
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.assign(kind=np.where(y > 0, "usual", "odd")).to_csv(path, index=False)
    return path


@pytest.fixture
def libsvm(tmp_path, rows):
    path = tmp_path / "rows.libsvm"
    dump_svmlight_file(*rows, str(path), zero_based=False)
    return path


OUTLIERS = "--task", "outliers"


@pytest.fixture
def trained(good, table, tmp_path):
    """Train on the rows without their labels; return the file of the model."""

    def train(*options):
        path = tmp_path / "some.model"
        good("train", table, "-o", path, *OUTLIERS, "--label", "kind", *options)
        return path

    return train


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], OneClassLDM()),
        (["-n", "0.1"], OneClassLDM(0.1)),
        (["-n", "0.2", "-t", "0"], OneClassLDM(0.2, kernel="linear")),
        (["-g", "0.5", "--lambda-mean", "0"], OneClassLDM(gamma=0.5, lambda_mean=0.0)),
        (["--method", "svm"], OneClassLDM(lambda_var=0.0, lambda_mean=0.0)),
    ],
)
def test_options_make_the_machine_they_name(trained, rows, options, expected):
    X = rows[0]
    model = load_model(trained("--scale", "none", *options))[0]
    assert_allclose(model.decision_function(X), expected.fit(X).decision_function(X))


def test_labels_are_no_features_if_they_are_named(good, trained, table, tmp_path):
    path = trained("-n", "0.1")
    told = good("info", path, "--json").record
    assert told["task"] == "outliers"
    assert told["rows"]["features"] == ["a", "b", "c"]
    told = good("train", table, "-o", tmp_path / "m", *OUTLIERS, "--json").record
    assert told["features"] == 4
    assert told["label"] == "none: all columns are features; --label leaves one out"
    assert len(good("predict", tmp_path / "m", table).out.split()) == 100


def test_labels_of_libsvm_text_do_not_count(good, libsvm, rows, tmp_path):
    told = good("train", libsvm, "-o", tmp_path / "m", *OUTLIERS, "--json").record
    assert told["features"] == 3
    machine = OneClassLDM().fit(rows[0])
    assert told["threshold of scores"] == pytest.approx(machine.offset_)
    assert told["parameters"]["nu"] == 0.5
    assert "classes" not in told


def test_labels_are_not_needed(good, rows, tmp_path):
    X, _ = rows
    np.savez(tmp_path / "rows.npz", X=X)
    model = tmp_path / "m"
    good("train", tmp_path / "rows.npz", "-o", model, *OUTLIERS)
    told = good("evaluate", model, tmp_path / "rows.npz", "--json").record
    assert told.keys() == {"data", "rows", "share of outliers"}


def test_labels_that_cannot_be_read_do_no_harm(good, tmp_path, rows):
    path = tmp_path / "some.csv"
    frame = pd.DataFrame(rows[0], columns=list("abc"))
    frame["size"] = np.where(np.arange(100) == 3, np.nan, 0.25 * np.arange(100))
    frame.to_csv(path, index=False)
    good("train", path, "-o", tmp_path / "m", *OUTLIERS, "--label", "size")
    told = good("evaluate", tmp_path / "m", path, "--json").record
    assert "AUC" not in told


def test_outliers_are_minus_one_and_others_one(good, trained, table, rows):
    path = trained("-n", "0.1")
    told = good("predict", path, table)
    expected = load_model(path)[0].predict(rows[0])
    labels = [int(line) for line in told.out.split()]
    assert_array_equal(labels, expected)
    n_outliers = (expected < 0).sum()
    assert told.err == f"Outliers = {n_outliers}% ({n_outliers}/100)\n"
    assert good("predict", path, table, "-q").err == ""


def test_scores_make_a_table(good, trained, table, rows):
    path = trained("-n", "0.1")
    told = [*csv.DictReader(io.StringIO(good("predict", path, table, "--scores").out))]
    assert [*told[0]] == ["label", "score"]
    scores = load_model(path)[0].decision_function(rows[0])
    assert_allclose([float(row["score"]) for row in told], scores)


def test_evaluate_tells_the_share_and_the_auc(good, trained, table, rows):
    X, y = rows
    path = trained("-n", "0.1")
    model = load_model(path)[0]
    told = good("evaluate", path, table, "--json").record
    assert told["share of outliers"] == (model.predict(X) < 0).mean()
    assert told["label of outliers"] == "odd"
    assert told["AUC"] == pytest.approx(roc_auc_score(y, model.decision_function(X)))
    assert told["AUC"] > 0.9


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 1, -1], -1),
        ([-1, -1, 1], -1),
        (["-1", "-1", "1"], "-1"),
        ([0, 0, 1], 1),
        (["usual", "odd", "usual"], "odd"),
        ([1, 1, 1], None),
        ([1, 2, 3], None),
    ],
)
def test_of_two_labels_minus_one_or_the_rarer_stands_for_outliers(labels, expected):
    assert label_of_outliers(np.array(labels)) == expected


def test_margins_are_scores_above_the_threshold(good, trained, table, rows, tmp_path):
    path, plot = trained("-n", "0.1"), tmp_path / "some.png"
    told = good("margins", path, table, "--plot", plot, "--json").record
    margins = load_model(path)[0].decision_function(rows[0])
    assert told["margin mean"] == pytest.approx(margins.mean())
    assert told["margin minimum"] == pytest.approx(margins.min())
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_folds_tell_the_share_of_outliers_among_new_rows(good, table):
    options = *OUTLIERS, "--label", "kind", "-v", "4", "-n", "0.5"
    told = good("train", table, *options, "--json").record
    assert 0.3 < told["share of outliers"] < 0.7
    line = good("train", table, *options).out
    share = 100 * told["share of outliers"]
    assert line == f"Cross Validation Share of outliers = {share:.6g}%\n"


def test_one_class_must_be_asked_for(refused, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,b\n1,x\n2,x\n")
    told = refused("train", path, "-o", tmp_path / "m")
    assert "all labels are x" in told
    assert "Rows of one class are for --task outliers." in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-n", "0"], "-n: expected a number above 0 and at most 1; got 0.0."),
        (["-n", "1.5"], "-n: expected a number above 0 and at most 1; got 1.5."),
        (["-c", "1"], "no use for -c"),
        (["--no-intercept"], "no use for --no-intercept"),
        (["--cv"], "--cv has no search for --task outliers"),
        (["--method", "ridge"], "--task outliers, which has ldm, svm."),
    ],
)
def test_options_that_make_no_sense_are_a_usage_error(refused, tmp_path, options, words):
    path = tmp_path / "m"
    assert words in refused("train", "nowhere", "-o", path, *OUTLIERS, *options, code=2)


def test_detectors_of_programs_are_used(good, table, rows, tmp_path):
    X, y = rows
    path, model = tmp_path / "own.model", make_pipeline(MinMaxScaler(), OneClassSVM())
    save(model.fit(X), path)
    told = good("evaluate", path, table, "--label", "kind", "--json").record
    assert told["AUC"] == pytest.approx(roc_auc_score(y, model.decision_function(X)))


def test_an_exported_machine_predicts_as_the_model_does(
    good, trained, rows, table, tmp_path
):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    path, graph = trained("-n", "0.3"), tmp_path / "some.onnx"
    assert good("export", path, graph, "--json").record["outputs"] == ["label", "scores"]
    label, _ = runtime.InferenceSession(graph.read_bytes()).run(None, {"X": rows[0]})
    told = good("predict", path, table).out.split()
    scores = load_model(path)[0].decision_function(rows[0])
    clear = np.abs(scores) > 1e-12  # rows on the threshold are on either side of it
    assert clear.sum() > 60
    assert_array_equal(label[clear, 0], np.array(told, dtype=int)[clear])
