"""The model that train writes is the one that the library fits."""

import os
import shlex
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import dump_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)
from largemargin.cli import terminal
from largemargin.cli.models import load_model

FAST = {"Cs": [1.0], "gammas": ["scale"], "lambda_means": [0.0]}


@pytest.fixture
def machine(tmp_path, good, libsvm):
    """Train and return the estimator that was saved."""

    def train(*options):
        path = tmp_path / "some.model"
        good("train", libsvm, "-o", path, *options)
        return load_model(path)[0][-1]

    return train


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], LDMClassifier()),
        (["-c", "10", "-t", "2", "-g", "0.1"], LDMClassifier(10.0, gamma=0.1)),
        (
            ["-t", "1", "-d", "2", "-r", "1"],
            LDMClassifier(kernel="poly", degree=2, coef0=1),
        ),
        (
            ["-t", "laplacian", "-g", "auto"],
            LDMClassifier(kernel="laplacian", gamma="auto"),
        ),
        (["-t", "0", "-e", "1e-8"], LinearLDMClassifier(tol=1e-8)),
        (["-t", "0", "--solver", "dual_cd"], LinearLDMClassifier(solver="dual_cd")),
        (["--class-weight", "balanced"], LDMClassifier(class_weight="balanced")),
        (["--no-intercept"], LDMClassifier(fit_intercept=False)),
        (["--lambda-var", "0.3*scale"], LDMClassifier(lambda_var="0.3*scale")),
        (["--lambda-mean", "0.5"], LDMClassifier(lambda_mean=0.5)),
        (["--loss", "squared_hinge"], LDMClassifier(loss="squared_hinge")),
        (
            ["--method", "svm"],
            LDMClassifier(
                1.0, gamma="scale", loss="hinge", lambda_var=0.0, lambda_mean=0.0
            ),
        ),
        (["--method", "odm"], ODMClassifier()),
        (["--method", "komd", "-t", "0"], KOMDClassifier(kernel="linear")),
        (["--method", "mamc"], MAMCClassifier()),
        (["--method", "mdo"], MDOClassifier(random_state=0)),
        (["--method", "komd", "--set", "lam=0.5"], KOMDClassifier(lam=0.5)),
        (
            ["--method", "odm", "--set", "mu=0.2", "--set", "theta=0.3"],
            ODMClassifier(mu=0.2, theta=0.3),
        ),
    ],
)
def test_options_make_the_machine_they_name(machine, cells, options, expected):
    X, y = cells
    if "random_state" in expected.get_params():
        expected.set_params(random_state=0)
    made = machine(*options)
    assert type(made) is type(expected)
    assert_allclose(made.decision_function(X), expected.fit(X, y).decision_function(X))


@pytest.mark.parametrize(
    ("scale", "scaler"), [("unit", MinMaxScaler()), ("standard", StandardScaler())]
)
def test_scaling_is_part_of_the_model(tmp_path, good, libsvm, cells, scale, scaler):
    X, y = cells
    path = tmp_path / "some.model"
    good("train", libsvm, "-o", path, "--scale", scale)
    expected = make_pipeline(scaler, LDMClassifier()).fit(X, y)
    ours = load_model(path)[0].decision_function(X)
    assert_allclose(ours, expected.decision_function(X))


def test_a_search_finds_what_the_library_finds(machine, cells):
    X, y = cells
    found = machine("--cv", "-c", "1", "-g", "scale", "--lambda-mean", "0")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    expected = LDMClassifierCV(cv=folds, random_state=0, **FAST).fit(X, y)
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == expected.best_score_


def test_a_search_around_the_svm_keeps_its_prices_at_zero(machine):
    found = machine("--cv", "--method", "svm", "-t", "0")
    assert {point["lambda_var"] for point in found.cv_results_["params"]} == {0.0}
    assert len(found.cv_results_["params"]) == 8


def test_folds_tell_the_accuracy_as_svm_train_does_and_write_nothing(good, libsvm, cells):
    told = good("train", libsvm, "-v", "4", "-t", "0")
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    accuracy = cross_val_score(LinearLDMClassifier(), *cells, cv=folds).mean()
    assert told.out == f"Cross Validation Accuracy = {100 * accuracy:.6g}%\n"
    assert list(libsvm.parent.iterdir()) == [libsvm]


def test_what_was_fitted_is_told_as_json(good, libsvm, tmp_path, cells):
    told = good("train", libsvm, "-o", tmp_path / "m", "-t", "0", "--json").record
    expected = LinearLDMClassifier().fit(*cells)
    assert told["rows"] == 100
    assert told["features"] == 5
    assert told["objective"] == pytest.approx(expected.objective_)
    assert told["relative duality gap"] <= 1e-4
    assert told["margin mean"] == pytest.approx(expected.margin_mean_)


def test_the_deviation_is_that_of_a_sample_of_folds(good, libsvm, cells):
    told = good("train", libsvm, "-v", "4", "-t", "0", "--json").record
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    shares = cross_val_score(LinearLDMClassifier(), *cells, cv=folds)
    assert told["deviation"] == pytest.approx(shares.std(ddof=1))


@pytest.mark.parametrize(
    ("options", "has"),
    [(["-b", "1"], "yes"), (["--probability"], "yes"), (["-b", "0"], "no")],
)
def test_probabilities_may_be_asked_for_in_two_ways(good, libsvm, tmp_path, options, has):
    told = good("train", libsvm, "-o", tmp_path / "m", "-t", "0", "--json", *options).record
    assert told["probabilities"] == has


def test_quiet_says_nothing(good, libsvm, tmp_path):
    told = good("train", libsvm, "-o", tmp_path / "m", "-t", "0", "-q")
    assert (told.out, told.err) == ("", "")


def test_a_fit_that_stops_early_is_a_warning_in_one_line(good, libsvm, tmp_path):
    told = good("train", libsvm, "-o", tmp_path / "m", "-e", "1e-14", "--max-iter", 1)
    assert told.err.startswith("largemargin: warning: LDMClassifier stopped after")
    assert "warm_start" not in told.err  # which no option sets
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "n_fits", "tol"),
    [
        ([], 3, 1e-4),
        (["--probability", "-e", "1e-3"], 18, 1e-3),
        (["--method", "mamc"], 3, 1.0),
    ],
)
def test_the_bar_knows_how_many_fits_there_will_be(
    good, table, tmp_path, monkeypatch, options, n_fits, tol
):
    def watched(title, **options):
        seen.update(options)
        return nullcontext()

    seen = {}
    monkeypatch.setattr(terminal, "watched", watched)
    good("train", table, "-o", tmp_path / "m", *options)
    assert seen == {"n_fits": n_fits, "tol": tol, "quiet": False}


@pytest.mark.parametrize("name", ["flowers.csv", "./flowers.csv", "link.csv"])
def test_data_are_not_replaced_by_their_model(refused, table, monkeypatch, name):
    monkeypatch.chdir(table.parent)
    os.symlink("flowers.csv", "link.csv")
    before = table.read_text()
    assert "is an input file; name another" in refused("train", table, "-o", name, code=2)
    assert table.read_text() == before


def in_shell(directory, line, **environment):
    """Run a shell line in which LM is the command; it must succeed."""
    command = shlex.join([sys.executable, "-m", "largemargin.cli"])
    return subprocess.run(
        ["sh", "-c", line.replace("LM", command)],
        cwd=directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_closed_standard_error_does_not_keep_a_model_from_its_file(libsvm):
    told = in_shell(
        libsvm.parent, f"LM train {libsvm.name} -o m -e 1e-14 --max-iter 1 2>&-"
    )
    assert "warning" not in told.stdout
    assert (libsvm.parent / "m").exists()


def test_names_that_the_terminal_cannot_show_are_spelled_out(tmp_path):
    (tmp_path / "fruit.csv").write_text("size,kind\n7,äpple\n8,äpple\n1,plum\n2,plum\n")
    told = in_shell(
        tmp_path, "LM train fruit.csv -o m", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    )
    assert r"plum, \xe4pple" in told.stdout


def test_a_gram_matrix_is_taken_in_svm_trains_form(good, tmp_path, cells):
    X, y = cells
    gram = np.column_stack([np.arange(1, 101), rbf_kernel(X, gamma=0.01)])
    data, model = tmp_path / "gram.libsvm", tmp_path / "gram.model"
    dump_svmlight_file(gram, y, str(data), zero_based=True)
    good("train", data, "-o", model, "-t", "4")
    told = good("predict", model, data)
    expected = LDMClassifier(gamma=0.01).fit(X, y).predict(X)
    assert_array_equal([int(line) for line in told.out.split()], expected)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Missing option '-o'"),
        (["-o", "m", "--method", "mamc", "-c", "1"], "no use for -c"),
        (["-o", "m", "-t", "0", "-g", "1"], "no use for -g"),
        (["-o", "m", "--method", "svm", "--lambda-var", "1"], "no use for --lambda-var"),
        (["-o", "m", "--method", "mdo", "-t", "2"], "mdo is linear"),
        (["-o", "m", "--method", "komd", "--cv"], "--cv searches"),
        (
            ["-o", "m", "--method", "odm", "--set", "lam=1"],
            "--set can set mu, multi_class, theta.",
        ),
        (["-o", "m", "--set", "mu"], "'mu' is not NAME=VALUE"),
        (["-o", "m", "--set", "C=5"], "--set has no C; use -c."),
        (["-o", "m", "--set", "kernel=precomputed"], "--set has no kernel; use -t."),
        (["-o", "m", "--set", "random_state=1"], "use --seed."),
        (["-o", "m", "--set", "verbose=3"], "--set has no verbose"),
        (["-o", "m", "-v", "3"], "-v writes no model"),
        (["-o", "m", "-t", "4", "--missing", "impute"], "no missing values to impute"),
        (["-o", "m", "-t", "7"], "2 (rbf)"),
        (["-o", "m", "--lambda-mean", "much"], "0.3*scale"),
        (["-o", "m", "-t", "4", "--scale", "unit"], "cannot be scaled"),
    ],
)
def test_options_that_make_no_sense_are_a_usage_error(refused, libsvm, options, words):
    assert words in refused("train", libsvm, *options, code=2)
