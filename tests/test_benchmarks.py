"""The benchmarks without their timings: claims, resuming, reports, and exact objectives."""

import json
import logging

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import pairwise_distances, pairwise_kernels
from sklearn.svm import SVC, LinearSVC

from benchmarks.bench import Bench
from benchmarks.competitors import OurKernel, OurLinear, accepted, fewest_epochs, imported
from benchmarks.measure import Missing
from benchmarks.objectives import LinearObjective, Prices, RbfObjective, gamma_paper
from benchmarks.report import FORMAT, Report, as_json
from benchmarks.runs import Choice, TargetRun, conclude
from benchmarks.settings import FULL, MODES, QUICK
from benchmarks.targets import TARGETS
from benchmarks.targets.kernel import Kernel
from benchmarks.targets.price import Price
from benchmarks.work_log import collected
from benchmarks.workers.process import CellProcess

KERNEL = TARGETS["kernel"]
SEEN = {"gap": 5e-4, "n_iter": 3, "data": "real", "peak": 1.1}


@pytest.fixture
def bench(tmp_path):
    return Bench(QUICK, None, tmp_path)


@pytest.fixture
def rows_and_signs():
    rng = np.random.default_rng(0)
    X = rng.random((80, 4))
    return X, np.where(X[:, 0] + 0.2 * rng.standard_normal(80) > 0.5, 1.0, -1.0)


def kernel_rows(power=2.0, speedup=2.0):
    """Return rows in which ours takes m^power and SVC ``speedup`` times as long."""
    rows = []
    for m in 2000, 5000, 10_000:
        seconds = 1e-8 * m**power
        place = {"set": "w8a", "m": m, "C": 1}
        peers = {"SVC": speedup * seconds, "oneDAL": 0.5 * seconds}
        cells = [{**place, "machine": peer, "prices": "svm"} for peer in peers]
        rows += [{**c, "seconds": peers[c["machine"]]} for c in cells]
        for machine, prices in ("hinge", "svm"), ("squared_hinge", "0.1, 0"):
            row = {**place, "machine": machine, "prices": prices, "seconds": seconds}
            rows.append(KERNEL.compared({**row, **SEEN}, rows))
    return rows


def claim(target, rows, what):
    """Return the one claim that begins with these words."""
    (found,) = [c for c in target.claims(rows) if c.what.startswith(what)]
    return found


def test_ratios_are_taken_to_the_peers_on_the_same_rows():
    ours = [row for row in kernel_rows() if "gap" in row]
    assert len(ours) == 6
    assert_allclose([row["speedup"] for row in ours], 2.0)
    assert_allclose([row["onedal_speedup"] for row in ours], 0.5)


@pytest.mark.parametrize(("speedup", "holds"), [(1.6, True), (1.4, False)])
def test_the_mean_over_active_prices_decides_the_claim(speedup, holds):
    rows = kernel_rows(speedup=speedup)
    found = claim(KERNEL, rows, "squared hinge, active: SVC / ours, geometric mean")
    assert found.ok is holds
    assert found.reached == f"{speedup:.2f}"


@pytest.mark.parametrize(("power", "holds"), [(2.1, True), (2.3, False)])
def test_growth_is_the_power_of_the_rows(power, holds):
    found = claim(KERNEL, kernel_rows(power), "squared hinge, active: growth")
    assert found.ok is holds
    assert found.reached == f"{power:.2f}"


def test_what_was_not_measured_is_neither_reached_nor_missed():
    found = claim(KERNEL, kernel_rows(), "hinge, active: SVC / ours, geometric mean")
    assert (found.ok, found.reached) == (None, "not measured")


def test_a_peer_that_is_absent_leaves_the_other_ratio():
    rows = [r for r in kernel_rows() if r["machine"] != "oneDAL" and "gap" not in r]
    row = {**rows[0], "machine": "hinge", "prices": "0.1, 0", "seconds": 1.0, **SEEN}
    row = KERNEL.compared(row, rows)
    assert "speedup" in row
    assert "onedal_speedup" not in row
    assert claim(KERNEL, [row], "hinge, active: oneDAL").ok is None


def test_sizes_above_one_that_took_too_long_are_not_tried():
    late = {"set": "w8a", "C": 1, "machine": "hinge", "prices": "0.1, 0", "late": True}
    rows = [{**late, "m": 2000}]
    cell = {key: value for key, value in late.items() if key != "late"}
    assert "2000" in KERNEL.hopeless({**cell, "m": 5000}, rows)
    assert KERNEL.hopeless({**cell, "m": 1000}, rows) is None
    assert KERNEL.hopeless({**cell, "m": 5000, "C": 10}, rows) is None


def test_priced_fits_are_compared_with_the_svm_of_the_same_loss():
    cell = {"set": "rcv1-1500", "C": 1, "above": 1e-4}
    rows = [
        {**cell, "loss": "hinge", "prices": "svm", "seconds": 1.0},
        {**cell, "loss": "squared_hinge", "prices": "svm", "seconds": 2.0},
    ]
    price = Price()
    row = {**cell, "loss": "squared_hinge", "prices": "0.1, 0.1", "seconds": 8.0}
    row = price.compared(row, rows)
    assert row["ratio"] == 4.0
    text = claim(price, [*rows, row], "active, squared_hinge, wide text: time / svm, worst")
    assert text.ok is False


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("settings", MODES.values(), ids=MODES)
def test_cells_are_distinct_and_can_be_sent_to_a_process(target, settings, tmp_path):
    bench = Bench(settings, None, tmp_path)
    if target.skipped(bench):
        return
    texts = [json.dumps(cell) for cell in target.cells(bench)]
    assert len(set(texts)) == len(texts) > 0
    assert all(target.guess(bench, cell) > 0 for cell in target.cells(bench))


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_without_rows_nothing_holds(target):
    assert not any(found.ok for found in target.claims([]))


def test_the_full_matrix_is_that_of_the_issue(tmp_path):
    cells = KERNEL.cells(Bench(FULL, None, tmp_path))
    active = [c for c in cells if c["machine"] == "squared_hinge"]
    assert len(active) == 5 * 5 * 3 * 3 * 2
    peers = [c for c in cells if c["machine"] == "SVC"]
    assert len(peers) == 5 * 5 * 3


def record_of(run, rows):
    """Return the record of a run that had these rows."""
    return {**run.new_record(), "rows": rows}


def test_known_cells_are_kept_unless_asked_for_again(bench):
    run = TargetRun(KERNEL, bench, Choice(), None)
    assert not run.kept
    first, second = run.cells[:2]
    earlier = record_of(
        run, [{**first, "seconds": 1.0, "took": 7.0}, {**second, "failed": "crash"}]
    )
    resumed = TargetRun(KERNEL, bench, Choice(), earlier)
    assert list(resumed.kept) == [0]
    again = TargetRun(KERNEL, bench, Choice(again=True), earlier)
    assert not again.kept
    assert again.expected[0] == 7.0


def test_cells_of_other_sources_are_measured_again_and_expected_to_take_as_long(bench):
    run = TargetRun(KERNEL, bench, Choice(), None)
    row = {**run.cells[0], "seconds": 1.0, "took": 7.0}
    earlier = {**record_of(run, [row]), "sources": "others"}
    resumed = TargetRun(KERNEL, bench, Choice(), earlier)
    assert not resumed.kept
    assert resumed.expected[0] == 7.0


def test_filters_choose_by_set_and_rows(bench):
    choice = Choice(sets=("adult-a",), rows=(1000,))
    run = TargetRun(KERNEL, bench, choice, None)
    chosen = [run.cells[place] for place in run.expected]
    assert {(c["set"], c["m"]) for c in chosen} == {("adult-a", 1000)}


def test_filters_choose_by_the_values_of_any_key(bench):
    choice = Choice(where={"machine": ["SVC", "hinge"], "C": ["100"]})
    run = TargetRun(KERNEL, bench, choice, None)
    chosen = [run.cells[place] for place in run.expected]
    assert {(c["machine"], c["C"]) for c in chosen} == {("SVC", 100), ("hinge", 100)}


class FakeProcess:
    """Answers with canned rows."""

    def measure(self, name, cell, limit):
        if cell["machine"] == "oneDAL":
            return {**cell, "missing": "it is not installed", "took": 0.0}
        if cell["machine"] == "default":
            return {**cell, "failed": "it crashed"}
        return {**cell, "seconds": 1.0, "took": 1.0, "support": 5, **SEEN}


def run_fake(bench, record, run, saved):
    run.measure(FakeProcess(), record, np.inf, lambda: saved.append(1))


def test_a_run_reports_what_is_missing_and_what_failed(bench, tmp_path, capsys):
    run = TargetRun(KERNEL, bench, Choice(rows=(1000,)), None)
    record = run.new_record()
    run_fake(bench, record, run, [])
    report = Report(tmp_path, "quick", {"cores": 2})
    report.put("kernel", record)
    text = report.paths["md"].read_text()
    n_cells = 3 * 2
    assert record["left_out"] == len(run.cells) // 2
    assert f"and {n_cells - 1} more: `it is not installed`" in text
    assert f"and {n_cells - 1} more: `it crashed`" in text
    failed = [c for c in record["claims"] if c["what"] == "cells that failed"]
    assert (failed[0]["reached"], failed[0]["ok"]) == (str(n_cells), False)
    assert capsys.readouterr().out.count("it is not installed") == 1


def test_a_report_is_read_back_by_the_next_run(bench, tmp_path, capsys):
    run = TargetRun(KERNEL, bench, Choice(), None)
    record = run.new_record()
    run_fake(bench, record, run, [])
    Report(tmp_path, "quick", {"cores": 2}).put("kernel", record)
    same = Report(tmp_path, "quick", {"cores": 2})
    resumed = TargetRun(KERNEL, bench, Choice(), same.earlier["kernel"])
    crashed = [p for p, cell in enumerate(run.cells) if cell["machine"] == "default"]
    assert list(resumed.expected) == crashed
    other = Report(tmp_path, "quick", {"cores": 4})
    assert other.content["targets"] == {}
    assert not TargetRun(KERNEL, bench, Choice(), other.earlier["kernel"]).kept


def test_a_target_without_time_measures_one_cell(bench, capsys):
    run = TargetRun(KERNEL, bench, Choice(), None)
    record = run.new_record()
    run.measure(FakeProcess(), record, -1.0, lambda: None)
    assert len(record["rows"]) == 1
    assert record["left_out"] == len(run.cells) - 1


def test_kept_rows_are_compared_with_a_peer_that_was_measured_later(bench):
    place = {"set": "w8a", "m": 1000, "C": 1}
    ours = {**place, "machine": "hinge", "prices": "0.1, 0", "seconds": 1.0, **SEEN}
    peer = {**place, "machine": "SVC", "prices": "svm", "seconds": 3.0}
    record = {"rows": [ours, peer], "left_out": 0}
    conclude(KERNEL, bench, record)
    assert record["rows"][0]["speedup"] == 3.0


def test_long_tables_have_a_file_of_their_own(bench, tmp_path):
    rows = kernel_rows() * 20
    record = {**TargetRun(KERNEL, bench, Choice(), None).new_record(), "rows": rows}
    conclude(KERNEL, bench, record)
    report = Report(tmp_path, "full", {"cores": 2})
    report.put("kernel", record)
    assert "(full-kernel.md)" in report.paths["md"].read_text()
    table = (tmp_path / "full-kernel.md").read_text()
    assert table.count("squared_hinge") == 60


def test_json_has_a_line_per_row():
    rows = [{"set": "w8a", "seconds": np.float64(0.5)}, {"failed": 'a "quoted" reason'}]
    content = {"format": FORMAT, "targets": {"kernel": {"rows": rows}}}
    text = as_json(content)
    assert json.loads(text) == content
    assert sum("{" in line and "}" in line for line in text.splitlines()) == 2


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_replaced(bench):
    process = CellProcess(bench)
    try:
        late = process.measure("kernel", {"m": 1}, 0.0)
        assert (late["failed"], late["late"]) == ("no answer within 0 s", True)
        answer = process.measure("no such target", {"m": 1}, 120.0)
        assert answer["failed"].startswith("KeyError")
        process.process.kill()
        process.process.wait()
        assert "code -9" in process.measure("kernel", {"m": 1}, 120.0)["failed"]
    finally:
        process.close()


def test_work_of_solvers_is_added_up_and_the_largest_rank_kept():
    logger = logging.getLogger("largemargin.work")
    with collected() as work:
        logger.debug("a fit", extra={"work": {"products": 3, "rank": 50}})
        logger.debug("a fit", extra={"work": {"products": 4, "rank": 20}})
    assert work == {"products": 7, "rank": 50}
    logger.debug("a fit", extra={"work": {"products": 1}})
    assert work["products"] == 7


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_linear_bound_is_tight_at_the_optimum_of_liblinear(rows_and_signs, loss):
    X, y = rows_and_signs
    options = {"fit_intercept": False, "tol": 1e-8, "max_iter": 100_000}
    svm = LinearSVC(C=2.0, loss=loss, random_state=0, **options).fit(X, y)
    w = svm.coef_[0]
    objective = LinearObjective(X, y, Prices(2.0), loss)
    if loss == "hinge":
        beta = OurLinear(Prices(2.0), tol=1e-9).fit(X, y).dual_beta_
    else:
        beta = 4.0 * np.maximum(0.0, 1.0 - y * (X @ w))
    above = objective.bound(w, beta).above(objective.value(w).total)
    assert 0.0 <= above < 1e-5
    assert objective.bound(w, 0.5 * beta).above(objective.value(w).total) > 0.01


def test_the_kernel_objective_of_the_squared_hinge(rows_and_signs):
    X, y = rows_and_signs
    svm = SVC(C=2.0, gamma=1.5).fit(X, y)
    gram = pairwise_kernels(X[svm.support_], metric="rbf", gamma=1.5)
    coef = svm.dual_coef_[0]
    slack = np.maximum(0.0, 1.0 - y * svm.decision_function(X))
    wanted = 0.5 * coef @ gram @ coef + 2.0 * (slack**2).sum()
    objective = RbfObjective(X, y, 1.5, Prices(2.0), "squared_hinge")
    assert_allclose(objective.value(svm).total, wanted)


def test_the_width_of_the_paper_is_the_mean_distance(rows_and_signs):
    X, _ = rows_and_signs
    distance = pairwise_distances(X).mean()
    assert_allclose(gamma_paper(X), 0.5 / distance**2)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("svm", (2, 0, 0)), ("paper", (2, 1 / 16, 1 / 16)), ("0.1, 0.3", (2, 20, 60))],
)
def test_prices_have_names(name, wanted):
    assert_allclose(Prices.named(name, 2, 100), wanted)


def test_a_parameter_that_an_estimator_lacks_is_not_available():
    assert accepted(SVC, loss="hinge") == {}
    with pytest.raises(Missing, match="SVC has no loss='squared_hinge'"):
        accepted(SVC, loss="squared_hinge")
    with pytest.raises(Missing, match="a-package is not installed"):
        imported("no_such_module", "a-package")


def test_the_fewest_epochs_are_found_up_to_a_factor(rows_and_signs):
    class Counted:
        def __init__(self, epochs):
            self.epochs = epochs

        def fit(self, X, y):
            return self

    found = fewest_epochs(
        *rows_and_signs, Counted, is_good=lambda machine: machine.epochs >= 90, cap=60.0
    )
    assert found.reached
    assert 90 <= found.epochs <= 90 * 2**0.5


def test_our_machine_is_within_the_bound_that_is_computed_from_outside(rows_and_signs):
    X, y = rows_and_signs
    prices = Prices.named("0.1, 0.3", 10.0, len(y))
    machine = OurKernel(prices, 1.5, 1e-6).fit(X, y)
    objective = RbfObjective(X, y, 1.5, prices)
    value = objective.value(machine)
    assert objective.bound(machine, value).above(value.total) <= 1e-6


def test_every_target_has_its_own_name():
    assert all(target.name == name for name, target in TARGETS.items())
    assert isinstance(KERNEL, Kernel)
