from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, make_blobs
from sklearn.model_selection import GridSearchCV

from largemargin import KOMDClassifier, LDMClassifier, LinearLDMClassifierCV
from largemargin.tables import Data
from study.protocols import PROTOCOLS
from study.runner import Plan, run
from study.store import Store
from study.tasks import (
    Halves,
    Source,
    Task,
    choose,
    digest_of,
    perform,
    refit,
)

pytestmark = pytest.mark.usefixtures("in_this_process")

CHEAP = "svm", "mamc", "mamc_balanced"


def source_of(directory, name, counts, n_features=3):
    """Write two overlapping clouds to a file and return it as a source."""
    X, y = make_blobs(list(counts), n_features, cluster_std=5.0, random_state=0)
    path = directory / f"{name}.libsvm"
    dump_svmlight_file(X, np.where(y == 1, 1, -1), str(path))
    return Source(name, path=str(path))


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def small(directory):
    return source_of(directory, "small", (40, 30))


@pytest.fixture(scope="module")
def large(directory):
    return source_of(directory, "large", (1200, 900))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def plan_of(*sources, repetitions=1, **given):
    numbers = {"regular": repetitions, "large": repetitions}
    return Plan(sources, **{"methods": CHEAP, "repetitions": numbers, **given})


def untimed(store):
    return [replace(result, cpu_seconds=None) for result in store.results()]


def test_every_combination_that_exists_is_measured_once(small, store):
    outcome = run(plan_of(small, repetitions=2), store)
    wanted = {
        (protocol, "small", kernel, method, repetition)
        for protocol in ("paper", "fair")
        for kernel in ("linear", "rbf")
        for method in CHEAP
        for repetition in range(2)
    }
    assert store.done() == wanted
    assert outcome.n_done == len(wanted)
    assert outcome.failures == []


def test_results_are_plausible_and_timed(small, store):
    run(plan_of(small, methods=["svm"]), store)
    for result in store.results():
        assert 0.5 < result.accuracy <= 1.0
        assert result.cpu_seconds > 0
        assert result.chosen.keys() == {"C", *(["gamma"] if result.kernel == "rbf" else [])}


def test_a_second_run_keeps_what_is_there_and_does_the_rest(small, store):
    run(plan_of(small), store)
    before = store.path.read_bytes()
    outcome = run(plan_of(small, repetitions=2), store)
    assert store.path.read_bytes().startswith(before)
    assert outcome.n_done == len(store.results()) / 2


def test_a_torn_line_is_done_again(small, store):
    run(plan_of(small), store)
    whole = untimed(store)
    store.path.write_bytes(store.path.read_bytes()[:-20])
    assert run(plan_of(small), store).n_done == 1
    assert untimed(store) == whole


def test_large_sets_get_the_linear_kernel_only(large, store):
    run(plan_of(large, methods=["mamc"], protocols=["fair"]), store)
    assert store.done() == {("fair", "large", "linear", "mamc", 0)}


def test_followers_take_what_was_chosen_by_the_method_they_follow(large, store):
    methods = "svm", "linear_svc", "svm_asgd"
    run(plan_of(large, methods=methods, protocols=["fair"]), store)
    chosen = [result.chosen for result in store.results()]
    assert len(chosen) == 3
    assert chosen[0] == chosen[1] == chosen[2] != {}


def test_followers_find_what_was_chosen_in_an_earlier_run(large, store):
    plan = partial(plan_of, large, protocols=["fair"])
    run(plan(methods=["svm"]), store)
    run(plan(methods=["svm_asgd"]), store)
    svm, asgd = store.results()
    assert asgd.method == "svm_asgd"
    assert asgd.chosen == svm.chosen


def test_followers_of_nothing_are_left_out_and_named(large, store):
    outcome = run(plan_of(large, methods=["linear_svc"], protocols=["fair"]), store)
    assert [task.method for task in outcome.skipped] == ["linear_svc"]
    assert store.results() == []


def test_a_failure_is_told_and_the_others_go_on(directory, small, store, caplog):
    caplog.set_level("INFO", "largemargin")
    lopsided = source_of(directory, "lopsided", (60, 2))
    outcome = run(plan_of(lopsided, small, methods=["mamc"], kernels=["linear"]), store)
    assert {key[1] for key in store.done()} == {"small"}
    assert len(outcome.failures) == 2
    what, why = outcome.failures[0]
    assert what == "lopsided, paper protocol, linear kernel, MAMC, repetition 0"
    assert "too small to be halved" in why
    assert "lopsided" in caplog.text


def test_the_followers_of_a_failure_are_left_out(directory, store):
    lopsided = source_of(directory, "lopsided", (2500, 2))
    plan = plan_of(lopsided, methods=["svm", "linear_svc"], protocols=["fair"])
    told = []
    outcome = run(plan, store, on_progress=lambda *numbers: told.append(numbers[:2]))
    assert len(outcome.failures) == len(outcome.skipped) == 1
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_missing_set_is_named_and_the_others_go_on(small, store, tmp_path):
    missing = Source("kdd2010", data_home=str(tmp_path))
    outcome = run(plan_of(missing, small, methods=["mamc"]), store)
    assert list(outcome.missing) == ["kdd2010"]
    assert outcome.failures == []
    assert outcome.n_done == 4


def test_facts_of_the_data_are_noted(small, store):
    run(plan_of(small, methods=["mamc"]), store)
    facts = store.datasets()["small"]
    assert (facts.rows, facts.features, facts.positives) == (70, 3, 30)


def test_other_values_of_the_same_size_are_refused(small, store, tmp_path):
    run(plan_of(small, methods=["mamc"]), store)
    path = tmp_path / "small.libsvm"
    rows = Path(small.path).read_text().splitlines(keepends=True)
    path.write_text("".join(reversed(rows)))
    outcome = run(plan_of(replace(small, path=str(path)), methods=["mamc"]), store)
    assert "must not be mixed" in outcome.failures[0][1]


@pytest.mark.parametrize("shape", [(5, 4), (50, 200)], ids=["dense", "sparse"])
def test_a_digest_is_of_the_values_and_not_of_their_layout(shape):
    X = sp.random(*shape, density=0.1, format="csr", rng=0)
    y = np.where(np.arange(shape[0]) % 2, 1.0, -1.0)
    one, other = (X, X.copy()) if shape[1] > 100 else (X.toarray(), X.toarray(order="F"))
    if sp.issparse(other):
        assert other.has_canonical_format
    known = digest_of(Data(one, y, "mine", "here"))
    assert digest_of(Data(other, y, "mine", "there")) == known
    assert digest_of(Data(2 * one, y, "mine", "here")) != known
    assert digest_of(Data(one, -y, "mine", "here")) != known


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"methods": ["mdo"], "kernels": ["rbf"]}, "kernel rbf.*mdo has kernel linear,"),
        ({"methods": ["linear_svc"]}, "linear_svc has .* large sets"),
        ({"methods": []}, "no method was given"),
    ],
)
def test_a_plan_without_a_task_says_why(small, store, given, words):
    with pytest.raises(ValueError, match=f"Nothing to measure .*{words}"):
        run(plan_of(small, **given), store)


def test_a_set_that_changed_since_is_refused_and_nothing_is_mixed(directory, small, store):
    run(plan_of(small, methods=["mamc"]), store)
    before = store.results()
    other = replace(source_of(directory, "other", (40, 40)), name="small")
    outcome = run(plan_of(other, repetitions=2, methods=["mamc"]), store)
    assert "must not be mixed" in outcome.failures[0][1]
    assert store.results() == before


def test_progress_counts_to_the_end_and_names_the_last_task(small, store):
    told = []
    run(plan_of(small), store, on_progress=lambda *all_of_it: told.append(all_of_it))
    assert [n_done for n_done, _, _ in told] == list(range(13))
    assert {n_tasks for _, n_tasks, _ in told} == {12}
    assert told[0][2] is None
    assert {task.key for _, _, task in told[1:]} == store.done()


def test_repetitions_come_one_after_the_other_and_large_sets_first(small, large, store):
    order = []
    plan = plan_of(small, large, repetitions=2, methods=["mamc"], protocols=["fair"])
    run(plan, store, on_progress=lambda done, total, task: order.append(task))
    places = [(task.repetition, task.source.name) for task in order[1:]]
    each = [(k, name) for k in (0, 1) for name in ("large", "small", "small")]
    assert places == each


def test_the_search_chooses_what_a_plain_grid_search_does(small):
    task = Task(small, "paper", "rbf", "komd", 0)
    halves = Halves.of(task)
    grid = PROTOCOLS["paper"].grid("komd", "rbf", "regular", halves.X_train)
    machine = KOMDClassifier(ridge="unit")
    plain = GridSearchCV(machine, {k: list(v) for k, v in grid.items()}, cv=halves.folds)
    assert choose(task, halves) == plain.fit(halves.X_train, halves.y_train).best_params_


def test_rows_wider_than_many_are_searched_to_the_same_choice(directory):
    task = Task(source_of(directory, "wide", (40, 40), 100), "fair", "linear", "ldm", 0)
    halves = Halves.of(task)
    plain = LinearLDMClassifierCV("wide", cv=halves.folds, refit=False)
    assert choose(task, halves) == plain.fit(halves.X_train, halves.y_train).best_params_


def test_the_accuracy_is_that_of_the_chosen_machine_on_the_other_half(small):
    result = perform(Task(small, "paper", "rbf", "ldm", 1))
    halves = Halves.of(Task(small, "paper", "rbf", "ldm", 1))
    machine = LDMClassifier(loss="hinge", fit_intercept=False, **result.chosen)
    machine.fit(halves.X_train, halves.y_train)
    assert result.accuracy == machine.score(halves.X_test, halves.y_test)


def test_all_methods_and_protocols_see_the_same_halves(small):
    one, other = (Halves.of(Task(small, p, "linear", "svm", 3)) for p in ("paper", "fair"))
    assert np.array_equal(one.y_train, other.y_train)
    assert all(
        np.array_equal(a[0], b[0]) for a, b in zip(one.folds, other.folds, strict=True)
    )


def test_a_stored_result_can_be_fitted_again():
    result = perform(Task(Source("wdbc"), "fair", "linear", "svm", 0))
    machine, X_train, y_train, X_test, y_test = refit(result)
    assert machine.score(X_test, y_test) == result.accuracy
    assert len(X_train) == len(y_train) == 569 // 2
