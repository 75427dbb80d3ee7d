"""Regressors side by side: ours and those of scikit-learn, in the same folds."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from largemargin.cli import compare


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "some.csv"
    frame = load_diabetes(as_frame=True, scaled=False).frame[:60]
    frame[["bmi", "bp", "s5", "target"]].to_csv(path, index=False)
    return path


@pytest.fixture
def results(good, table):
    """Compare methods in two folds; return what is told of each, by name."""

    def run(methods, *options):
        told = good("compare", table, "-v", "2", "--methods", methods, *options, "--json")
        return {one["method"]: one for one in told.record["results"]}

    return run


def test_all_methods_of_a_regression_are_compared(good, table):
    told = good("compare", table, "-v", "2", "-t", "linear", "--json").record
    assert told["task"] == "regression"
    assert "different numbers" in told["decided by"]
    names = [result["method"] for result in told["results"]]
    assert names == ["ldm", "svm", "ridge", "sklearn-svr", "sklearn-ridge"]
    for result in told["results"]:
        assert 0 < result["R2"] < 1
        assert result["MAE"] > 0
        assert result["seconds"] > 0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("ours", "theirs", "rel"),
    [("svm", "sklearn-svr", 1e-3), ("ridge", "sklearn-ridge", 1e-3)],
)
def test_our_limits_are_scikit_learns_machines(results, kernel, ours, theirs, rel):
    # Of kernel ridge, ours has a free intercept, theirs centred values.
    found = results(f"{ours},{theirs}", "-t", kernel)
    rel = 0.05 if (ours, kernel) == ("ridge", "rbf") else rel
    for name in "R2", "MAE":
        assert found[ours][name] == pytest.approx(found[theirs][name], rel=rel)


def test_the_comparison_is_one_table_and_the_task_is_said(good, table):
    told = good("compare", table, "-v", "2", "-t", "linear", "--methods", "ridge")
    head, row = told.out.splitlines()
    assert head.split() == ["method", "kernel", "R2", "deviation", "MAE", "seconds"]
    assert row.split()[:2] == ["ridge", "linear"]
    assert told.err.startswith("largemargin: regression: column 'target' holds")


def test_a_method_that_fails_is_told_beside_the_others(good, table, monkeypatch):
    def fail(method, *arguments):
        if method == "ldm":
            raise ValueError("no luck")
        return chosen(method, *arguments)

    chosen = compare.tuned_on_values
    monkeypatch.setattr(compare, "tuned_on_values", fail)
    options = "-v", "2", "-t", "linear", "--methods", "ldm,sklearn-ridge"
    _, ldm, ridge = good("compare", table, *options).out.splitlines()
    assert ldm.endswith("failed: no luck")
    assert "failed" not in ridge


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--methods", "odm"],
            "odm is not for --task regression, which has ldm, svm, ridge",
        ),
        (["--task", "outliers"], "'outliers' is not one of 'auto', 'classification'"),
    ],
)
def test_methods_and_tasks_without_a_measure_are_a_usage_error(
    refused, table, options, words
):
    assert words in refused("compare", table, *options, code=2)


def test_methods_of_regression_are_not_for_classes(refused, tmp_path):
    path = tmp_path / "classes.csv"
    np.savetxt(path, np.column_stack([np.arange(20), np.arange(20) % 2]), delimiter=",")
    told = refused("compare", path, "--methods", "sklearn-svr", code=2)
    assert "sklearn-svr is not for --task classification" in told
