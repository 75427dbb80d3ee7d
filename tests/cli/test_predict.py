"""Predictions are those of the library, in a form that other programs read."""

import csv
import io

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from largemargin import LDMClassifier, LinearLDMClassifier, margin_distribution
from largemargin.cli import predict
from largemargin.cli.models import load_model
from largemargin.production.calibration import calibrate
from largemargin.production.model_files import save


@pytest.fixture
def machine(cells):
    return LinearLDMClassifier().fit(*cells)


def test_labels_come_one_a_line(good, model, libsvm, machine, cells):
    X, y = cells
    told = good("predict", model, libsvm)
    assert told.out == "".join(f"{label}\n" for label in machine.predict(X))
    right = int((machine.predict(X) == y).sum())
    assert told.err == f"Accuracy = {right}% ({right}/100) (classification)\n"


def test_quiet_leaves_the_accuracy_out(good, model, libsvm):
    assert good("predict", model, libsvm, "-q").err == ""


def test_rows_may_be_zero_in_every_feature(good, model, machine):
    told = good("predict", model, "-", stdin="1\n-1\n")
    assert [int(line) for line in told.out.split()] == machine.predict(
        np.zeros((2, 5))
    ).tolist()


def test_labels_go_to_a_file(good, model, libsvm, tmp_path):
    shown = good("predict", model, libsvm).out
    assert good("predict", model, libsvm, "-o", tmp_path / "labels").out == ""
    assert (tmp_path / "labels").read_text() == shown


def test_scores_make_a_table(good, model, libsvm, machine, cells):
    told = good("predict", model, libsvm, "--scores").out
    table = list(csv.DictReader(io.StringIO(told)))
    assert list(table[0]) == ["label", "score"]
    scores = [float(row["score"]) for row in table]
    assert_allclose(scores, machine.decision_function(cells[0]))


def test_blocks_of_rows_predict_as_all_of_them_do(good, table_model, table, monkeypatch):
    expected = good("predict", table_model, table)
    monkeypatch.setattr(predict, "BLOCK_ROWS", 40)
    assert good("predict", table_model, table) == expected


def test_predictions_may_be_json(good, model, libsvm, machine, cells):
    told = good("predict", model, libsvm, "--scores", "--json").record
    assert told["label"] == machine.predict(cells[0]).tolist()
    assert_allclose(told["score"], machine.decision_function(cells[0]))


def test_three_classes_have_three_scores(good, table_model, table):
    told = good("predict", table_model, table, "--scores").out
    for row in csv.DictReader(io.StringIO(told)):
        best = max(row, key=lambda name: -np.inf if name == "label" else float(row[name]))
        assert best == f"score {row['label']}"


@pytest.mark.parametrize("flag", [["-b", "1"], ["--probability"]])
def test_probabilities_are_those_of_calibrate(good, libsvm, cells, tmp_path, flag):
    X, y = cells
    path = tmp_path / "some.model"
    good("train", libsvm, "-o", path, "-c", "3", *flag)
    told = good("predict", path, libsvm, *flag).out
    table = list(csv.DictReader(io.StringIO(told)))
    expected = calibrate(LDMClassifier(3.0).fit(X, y), X, y).predict_proba(X)
    found = [[float(row["probability -1"]), float(row["probability 1"])] for row in table]
    assert_allclose(found, expected)


def test_three_classes_have_three_probabilities(good, table, tmp_path):
    path = tmp_path / "some.model"
    good("train", table, "-o", path, "--missing", "impute", "--probability")
    told = good("predict", path, table, "--probability").out
    for row in csv.DictReader(io.StringIO(told)):
        label = f"probability {row.pop('label')}"
        odds = {name: float(value) for name, value in row.items()}
        assert len(odds) == 3
        assert max(odds, key=odds.get) == label
        assert_allclose(sum(odds.values()), 1.0)


def test_a_model_saved_by_a_program_predicts(good, machine, cells, libsvm, tmp_path):
    save(machine, tmp_path / "own.model")
    told = good("predict", tmp_path / "own.model", libsvm)
    assert [int(line) for line in told.out.split()] == machine.predict(cells[0]).tolist()


def test_evaluate_tells_what_scikit_learn_tells(good, model, libsvm, machine, cells):
    X, y = cells
    told = good("evaluate", model, libsvm, "--json").record
    margins = margin_distribution(machine, X, y)
    assert told["accuracy"] == machine.score(X, y)
    assert told["balanced accuracy"] == balanced_accuracy_score(y, machine.predict(X))
    assert told["AUC"] == pytest.approx(roc_auc_score(y, machine.decision_function(X)))
    assert told["margin mean"] == pytest.approx(margins.mean)
    assert told["margin variance"] == pytest.approx(margins.variance)
    assert told["margin quantiles"]["50%"] == pytest.approx(margins.quantiles([0.5])[0])


def test_the_auc_of_three_classes_is_the_mean_over_one_against_the_rest(
    good, table_model, table, flowers
):
    told = good("evaluate", table_model, table, "--json").record
    y = flowers.pop("species").to_numpy(dtype=str)
    scores = load_model(table_model)[0].decision_function(flowers)
    classes = np.unique(y)
    areas = [roc_auc_score(y == label, scores[:, k]) for k, label in enumerate(classes)]
    assert told["AUC"] == pytest.approx(np.mean(areas))


def test_one_class_alone_has_no_auc(good, model):
    told = good("evaluate", model, "-", "--json", stdin="1 1:1\n1 2:3\n").record
    assert told["AUC"] is None
    assert told["rows"] == 2


def test_facts_are_told_in_lines(good, model, libsvm):
    lines = good("evaluate", model, libsvm).out.splitlines()
    assert lines[0].split() == ["data", str(libsvm)]
    assert lines[1].split() == ["rows", "100"]


def test_margins_are_drawn(good, table_model, table, tmp_path):
    plot = tmp_path / "margins.png"
    told = good("margins", table_model, table, "--plot", plot, "--json").record
    assert plot.read_bytes().startswith(b"\x89PNG")
    accuracy = good("evaluate", table_model, table, "--json").record["accuracy"]
    assert told["share below 0"] == pytest.approx(1 - accuracy)


def test_margins_of_a_calibrated_model_may_be_normalised(good, libsvm, tmp_path):
    path, plot = tmp_path / "some.model", tmp_path / "margins.svg"
    good("train", libsvm, "-o", path, "--probability", "-t", "0")
    good("margins", path, libsvm, "--plot", plot, "--normalise")
    assert "<svg" in plot.read_text()
