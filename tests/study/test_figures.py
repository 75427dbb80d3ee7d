"""Figures show the results that they are given."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

from largemargin import LinearLDMClassifier
from study import figures, tasks
from study.methods import STUDIED
from study.store import Result

LABELS = {key: method.label for key, method in STUDIED.items()}
CHOSEN = {
    "paper": {"C": 10.0, "lambda_var": 2.0**-4, "lambda_mean": 2.0**-4},
    "fair": {"C": 1.0, "lambda_var": "3*scale", "lambda_mean": 0.0},
}


def result(name, method, repetition=0, protocol="paper", seconds=1.0):
    """Return a result with prices that the method may have chosen."""
    chosen = CHOSEN[protocol] if method == "ldm" else {"C": 10.0}
    return Result(protocol, name, "linear", method, repetition, 0.8, chosen, seconds)


def machine_behind(result):
    """Return the machine behind a result."""
    prices = {"lambda_var": 0.0, "lambda_mean": 0.0, **result.chosen}
    return LinearLDMClassifier(**prices)


def halves(repetition):
    """Return two halves of some rows."""
    X, y = make_blobs(80, centers=2, cluster_std=4.0, random_state=repetition)
    return X[:40], y[:40], X[40:], y[40:]


@pytest.fixture(autouse=True)
def refits(monkeypatch):
    """Fit on rows made here; return the list of what was asked for."""
    asked = []

    def refit(result, *, data_home=None):
        asked.append((result, data_home))
        X, y, *test = halves(result.repetition)
        return machine_behind(result).fit(X, y), X, y, *test

    monkeypatch.setattr(tasks, "refit", refit)
    return asked


def curves(ax):
    """Return the lines with a name in the legend."""
    return dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))


def test_margins_are_those_of_the_first_repetition_that_both_have(refits):
    results = [result("sonar", "svm", k) for k in (0, 2, 3)]
    results += [result("sonar", "ldm", k) for k in (1, 2, 3)]
    figures.margin_figure(results, "paper", LABELS, data_home="here")
    fitted = [(found.method, found.repetition) for found, _ in refits]
    assert fitted == [("svm", 2), ("ldm", 2)]
    assert {home for _, home in refits} == {"here"}


def test_a_set_without_a_repetition_that_both_have_is_not_shown():
    results = [result("heart", "svm", 0), result("heart", "ldm", 1)]
    assert figures.margin_figure(results, "paper", LABELS) is None
    results += [result("sonar", "svm"), result("sonar", "ldm")]
    shown = figures.margin_figure(results, "paper", LABELS)
    assert [ax.get_title() for ax in shown.axes] == ["sonar"]


def test_margins_are_divided_by_the_length_of_w():
    found = result("sonar", "ldm")
    figure = figures.margin_figure([result("sonar", "svm"), found], "paper", LABELS)
    X, y, *_ = halves(0)
    machine = machine_behind(found).fit(X, y)
    margins = np.where(y == 1, 1, -1) * machine.decision_function(X)
    expected = np.sort(margins / np.linalg.norm(machine.coef_))
    line = figure.axes[0].lines[-1]
    assert_allclose(line.get_xdata(), expected)
    assert line.get_label().startswith(f"LDM {expected.mean():.3f}")


def test_representative_sets_come_first_and_others_fill_up():
    names = "promoters", "german", "vote", "sonar"
    results = [result(name, method) for name in names for method in ("svm", "ldm")]
    results.append(result("heart", "svm"))
    figure = figures.margin_figure(results, "paper", LABELS)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["sonar", "german", "promoters", "vote"]


def test_times_are_means_on_a_logarithmic_axis():
    results = [
        result("skin", "linear_svc", 0, seconds=1.0),
        result("skin", "linear_svc", 1, seconds=3.0),
        result("farm-ads", "ldm", seconds=0.5),
        result("farm-ads", "svm", seconds=None),
        result("sonar", "ldm", seconds=7.0),
        result("skin", "linear_svc", protocol="fair", seconds=9.0),
    ]
    ax = figures.time_figure(results, "paper", LABELS).axes[0]
    assert ax.get_yscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["farm-ads", "skin"]
    heights = {
        bars.get_label(): [bar.get_height() for bar in bars] for bars in ax.containers
    }
    assert_allclose(heights.pop("LinearSVC"), [np.nan, 2.0])
    assert_allclose(heights.pop("LDM"), [0.5, np.nan])
    assert not heights


@pytest.mark.parametrize("protocol", ["paper", "fair"])
def test_the_influence_of_a_price_is_the_test_accuracy_of_separate_fits(protocol):
    results = [result("sonar", "ldm", k, protocol) for k in range(2)]
    figure = figures.influence_figure(results, protocol)
    for ax, (price, values) in zip(
        figure.axes, figures.PRICES[protocol].items(), strict=True
    ):
        expected = np.zeros(len(values))
        for k, value in enumerate(values):
            for found in results:
                X, y, X_test, y_test = halves(found.repetition)
                machine = machine_behind(found).set_params(**{price: value}).fit(X, y)
                expected[k] += machine.score(X_test, y_test) / len(results)
        assert ax.get_xlabel().startswith(price)
        # A test row on the boundary may fall to either side at the tolerance of a fit.
        assert_allclose(curves(ax)["sonar"].get_ydata(), expected, atol=1 / 80)


def test_panels_of_prices_share_their_range_and_one_legend():
    results = [result(name, "ldm") for name in ("sonar", "heart")]
    figure = figures.influence_figure(results, "paper")
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["heart", "sonar"]
    styles = {line.get_linestyle() for line in curves(figure.axes[0]).values()}
    assert len(styles) == 2


def test_nothing_is_drawn_without_results():
    results = [result("sonar", "ldm", protocol="fair")]
    assert figures.margin_figure(results, "fair", LABELS) is None
    assert figures.time_figure(results, "fair", LABELS) is None
    assert figures.influence_figure(results, "paper") is None
