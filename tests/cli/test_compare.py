"""Methods side by side: the same folds, and one table of results."""

from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

from largemargin import KOMDClassifier
from largemargin.cli import compare, terminal, tuning
from largemargin.cli.compare import contest
from largemargin.tables.schemas import MatrixSchema


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

    def watch(method, kernel, X, y, seed):
        seen.append(X.max())
        raise ValueError("enough was seen")

    monkeypatch.setattr(compare, "tuned", watch)
    X, y = np.array([[1.0], [2.0], [100.0]]), np.array([0, 1, 0])
    train, test = np.array([0, 1]), np.array([2])
    contest("mamc", "rbf", MatrixSchema(1, dense=True), X, y, train, test, "unit", 0)
    assert seen == [1.0]


def test_an_unknown_method_is_a_usage_error(refused, libsvm):
    assert "'ldn' is not one of ldm," in refused(
        "compare", libsvm, "--methods", "ldn", code=2
    )


@pytest.fixture
def failing(monkeypatch):
    """Let every method fail."""

    def fail(*arguments):
        raise ValueError("no luck")

    monkeypatch.setattr(compare, "tuned", fail)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_if_every_method_fails_so_does_the_command(call, failing, libsvm, form):
    told = call("compare", libsvm, "--methods", "mdo,mamc", *form)
    assert told.code == 1
    assert told.out.count("no luck") == 2
    assert told.err == "largemargin: Every method failed, mdo with: no luck\n"


def test_a_method_that_is_named_twice_runs_once(good, libsvm):
    told = good("compare", libsvm, "--folds", "2", "--methods", "mamc,MAMC", "--json")
    assert [result["method"] for result in told.record["results"]] == ["mamc"]


def test_the_bar_names_the_method_at_work(call, failing, libsvm, monkeypatch):
    titles = []

    def move(done, total, title=None):
        titles.append((done, title))

    monkeypatch.setattr(terminal, "bar", lambda title, quiet: nullcontext(move))
    call("compare", libsvm, "--folds", "2", "--methods", "mdo,mamc")
    assert [title for title in titles if title[1]] == [
        (0, "comparing, mdo"),
        (1, "comparing, mamc"),
        (2, "comparing, mdo"),
        (3, "comparing, mamc"),
        (4, "comparing"),
    ]


def test_the_seed_moves_the_inner_folds_too(good, libsvm, monkeypatch):
    def draw(y, n_folds, seed):
        drawn.append((n_folds, seed))
        return stratified_splits(y, n_folds, seed)

    drawn, stratified_splits = [], tuning.stratified_splits
    monkeypatch.setattr(tuning, "stratified_splits", draw)
    good("compare", libsvm, "--folds", "2", "--methods", "mamc", "--seed", "7")
    assert drawn == [(2, 7), (5, 7), (5, 7)]


@pytest.mark.filterwarnings("ignore")
def test_points_that_cannot_be_fitted_are_passed_over(cells):
    folds = tuning.stratified_splits(cells[1], 2, 0)
    ask = partial(tuning.best_point, KOMDClassifier(), X=cells[0], y=cells[1], folds=folds)
    assert ask(grid={"lam": [-1.0, 0.5]}, fixed={}) == {"lam": 0.5}
    with pytest.raises(ValueError, match="KOMDClassifier could not be fitted at any of"):
        ask(grid={"lam": [-1.0, -2.0]}, fixed={})


def test_too_little_memory_at_a_point_is_an_error(cells, monkeypatch):
    def fail(self, X, y):
        raise MemoryError("all of it")

    monkeypatch.setattr(KOMDClassifier, "fit", fail)
    folds = tuning.stratified_splits(cells[1], 2, 0)
    with pytest.raises(MemoryError, match="all of it"):
        tuning.best_point(KOMDClassifier(), {"lam": [0.1, 0.5]}, {}, *cells, folds)


def test_few_rows_are_tuned_in_fewer_folds(good, tmp_path, cells):
    X, y = cells
    few = np.r_[np.flatnonzero(y == 1)[:5], np.flatnonzero(y == -1)[:5]]
    np.savez(tmp_path / "few.npz", X=X[few], y=y[few])
    told = good("compare", tmp_path / "few.npz", "--methods", "mamc,mdo", "--json").record
    assert all("accuracy" in result for result in told["results"])
