"""Commands other than train and predict, and errors of all commands."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from largemargin.cli import models
from largemargin.cli.group import COMMANDS, command
from largemargin.production import model_files


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_text_has_an_example(good, name):
    assert f"Example: largemargin {name}" in good(*name.split(), "--help").out


def test_an_unknown_command_is_a_usage_error(refused):
    assert "No such command 'trian'" in refused("trian", code=2)


def test_the_version_is_told(good):
    import largemargin

    assert good("--version").out == f"largemargin {largemargin.__version__}\n"


def test_info_tells_what_a_model_is(good, table_model):
    told = good("info", table_model, "--json").record
    assert told["estimator"] == "LDMClassifier"
    assert told["steps"] == ["ColumnTransformer", "LDMClassifier"]
    assert told["rows"]["words"] == {"colour": ["blue", "red", "white"]}
    assert told["versions"].keys() >= {"largemargin", "scikit-learn"}
    assert "colour (3 categories)" in good("info", table_model).out


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


@pytest.fixture
def broken(monkeypatch):
    """Let a command end with an unexpected error."""

    def run(error):
        def raise_it(*arguments, **options):
            raise error

        monkeypatch.setattr(model_files, "read_header", raise_it)
        return CliRunner().invoke(command, ["info", "some.model"])

    return run


def test_a_fault_of_ours_is_one_sentence_without_traceback(broken):
    told = broken(KeyError("rows"))
    assert told.exit_code == 1
    assert told.stderr.startswith(
        "largemargin: This is a bug in largemargin, not an error in your data: KeyError: "
        "'rows'; please report it"
    )
    assert told.stderr.count("\n") == 1


def test_whoever_wants_to_mend_a_fault_can_see_the_traceback(broken, monkeypatch):
    monkeypatch.setenv("LARGEMARGIN_DEBUG", "1")
    told = broken(KeyError("rows")).stderr
    assert told.startswith("Traceback")
    assert "a bug in largemargin" in told.splitlines()[-1]


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 1, "Use fewer rows or features."),
        (KeyboardInterrupt(), 130, "largemargin: Interrupted.\n"),
    ],
)
def test_other_ends_have_their_own_words(broken, error, code, words):
    told = broken(error)
    assert told.exit_code == code
    assert told.stderr.endswith(f"{words.rstrip()}\n")


def test_a_warning_is_told_though_standard_output_has_the_results(model, monkeypatch):
    def warn(machine):
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
        return {"machine": "some"}

    monkeypatch.setattr(models, "facts_of", warn)
    told = CliRunner().invoke(command, ["info", str(model), "--json"])
    assert told.stderr == "largemargin: warning: mind the gap\n"
    assert json.loads(told.stdout)["machine"] == "some"


@pytest.mark.parametrize("arguments", [["info", "cells.model"], ["--help"]])
def test_a_full_disk_is_told_in_one_sentence(model, arguments):
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "largemargin.cli", *arguments],
            cwd=model.parent,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert told.returncode == 1
    assert told.stderr == "largemargin: No space left on device.\n"
