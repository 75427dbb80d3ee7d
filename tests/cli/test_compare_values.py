"""Regressors side by side: ours and those of scikit-learn, in the same folds."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from largemargin.cli import compare, peers, tuning


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


@pytest.fixture
def one_point(monkeypatch):
    """Leave one point in each grid, so that methods cannot differ by what they choose."""
    monkeypatch.setattr(tuning, "FAIR_WIDTHS", (1.0,))
    point = {"C": ("scale",), "epsilon": ("0.1*scale",)}
    monkeypatch.setitem(tuning.FAIR_VALUE_GRIDS, "svm", point)
    ridge = {"epsilon": ("scale",), "lambda_square": ("50*scale",)}
    monkeypatch.setitem(tuning.FAIR_VALUE_GRIDS, "ridge", ridge)
    for name, values in {
        "MANY_SCALES": (1.0,),
        "EPSILONS": (0.1,),
        "ALPHAS": (1.0,),
    }.items():
        monkeypatch.setattr(peers, name, values)


@pytest.mark.parametrize(
    ("ours", "theirs", "kernel"),
    [
        ("svm", "sklearn-svr", "linear"),
        ("svm", "sklearn-svr", "rbf"),
        ("ridge", "sklearn-ridge", "linear"),
    ],
)
def test_our_limits_are_scikit_learns_machines(results, one_point, ours, theirs, kernel):
    found = results(f"{ours},{theirs}", "-t", kernel)
    assert found[ours]["R2"] == pytest.approx(found[theirs]["R2"], abs=2e-3)
    assert found[ours]["MAE"] == pytest.approx(found[theirs]["MAE"], rel=2e-3)


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
