"""Regression on the command line: values, their errors, and how the task is decided."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import dump_svmlight_file, load_diabetes
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, root_mean_squared_error
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVR

from largemargin import LDMRegressor, LinearLDMRegressor
from largemargin.cli.models import load_model
from largemargin.production.model_files import save


@pytest.fixture(scope="module")
def frame():
    frame = load_diabetes(as_frame=True, scaled=False).frame[:100]
    return frame.assign(sex=np.where(frame["sex"] == 1, "f", "m"))


@pytest.fixture(scope="module")
def numbers(frame):
    """Features without words, and values."""
    return frame.drop(columns=["sex", "target"]).to_numpy(), frame["target"].to_numpy()


@pytest.fixture
def patients(tmp_path, frame):
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def plain(tmp_path, frame):
    """The same without the column of words."""
    path = tmp_path / "plain.csv"
    frame.drop(columns="sex").to_csv(path, index=False)
    return path


@pytest.fixture
def trained(good, plain, tmp_path):
    """Train on numbers only; return the file of the model."""

    def train(*options):
        path = tmp_path / "some.model"
        good("train", plain, "-o", path, *options)
        return path

    return train


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-c", "scale"], LDMRegressor("scale")),
        (
            ["-c", "10*scale", "-p", "0.3*scale"],
            LDMRegressor("10*scale", epsilon="0.3*scale"),
        ),
        (["-t", "0", "-c", "3", "-p", "5"], LinearLDMRegressor(3.0, epsilon=5.0)),
        (
            ["-c", "1", "--lambda-var", "scale", "--lambda-square", "0"],
            LDMRegressor(1.0, lambda_var="scale", lambda_square=0.0),
        ),
        (
            ["-c", "loo", "-p", "loo", "-g", "loo"],
            LDMRegressor("loo", epsilon="loo", gamma="loo"),
        ),
        (
            ["-c", "1", "--quantile", "0.9"],
            LDMRegressor(1.0, loss="quantile", quantile=0.9),
        ),
        (
            ["-c", "1", "-t", "linear", "--loss", "quantile", "--quantile", "0.9,0.1"],
            LinearLDMRegressor(1.0, loss="quantile", quantile=[0.9, 0.1]),
        ),
        (
            ["-c", "2", "-g", "0.5", "--no-intercept", "-e", "1e-6"],
            LDMRegressor(2.0, gamma=0.5, fit_intercept=False, tol=1e-6),
        ),
    ],
)
def test_options_make_the_regressor_they_name(trained, numbers, options, expected):
    X, y = numbers
    made = load_model(trained("--scale", "none", *options))[0][-1]
    assert type(made) is type(expected)
    assert_allclose(made.predict(X), expected.fit(X, y).predict(X))


def test_the_svm_is_what_svr_is_without_options(trained, numbers):
    X, y = numbers
    model = load_model(trained("--method", "svm", "-e", "1e-8"))[0]
    expected = make_pipeline(MinMaxScaler(), SVR(tol=1e-8)).fit(X, y)
    assert_allclose(model.predict(X), expected.predict(X), rtol=1e-5)


def test_ridge_is_ridge(trained, numbers):
    X, y = numbers
    model = load_model(trained("--method", "ridge", "-t", "0", "--scale", "none"))[0]
    expected = LinearLDMRegressor(0.0, lambda_var=0.0, lambda_square="scale").fit(X, y)
    assert_allclose(model.predict(X), expected.predict(X))


def test_the_target_decides_and_that_is_said(good, patients, tmp_path):
    told = good("train", patients, "-o", tmp_path / "m")
    words = " ".join(told.out.split())
    assert "task regression" in words
    assert "decided by column 'target' holds 75 different numbers" in words
    assert "--task classification takes them for classes" in words
    asked = good("train", patients, "-o", tmp_path / "m", "--task", "regression", "--json")
    assert "decided by" not in asked.record


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        ([0.5, 1.5] * 15, "classification"),
        ([0.5, 1.5, 2.5] * 10, "regression"),
        ([*range(3)] * 10, "classification"),
        ([*range(30)] * 2, "regression"),
        ([*range(30)] * 6, "classification"),
        ([*range(20)] * 2, "classification"),
        (["a", "b"] * 15, "classification"),
        ([f"{k:03d}" for k in range(30)] * 2, "classification"),
    ],
)
def test_the_kind_and_number_of_labels_decide_the_task(good, tmp_path, labels, task):
    path = tmp_path / "some.csv"
    rng = np.random.default_rng(0)
    pd.DataFrame({"a": rng.normal(size=len(labels)), "y": labels}).to_csv(path, index=False)
    told = good("train", path, "-o", tmp_path / "m", "-t", "linear", "-c", "1", "--json")
    assert told.record["task"] == task


@pytest.mark.parametrize("kind", ["libsvm", "npz"])
def test_rows_without_names_are_decided_too(good, tmp_path, numbers, kind):
    X, y = numbers
    path = tmp_path / f"rows.{kind}"
    if kind == "npz":
        np.savez(path, X=X, y=y + 0.5)
    else:
        dump_svmlight_file(X, y + 0.5, str(path), zero_based=False)
    model = tmp_path / "m"
    told = good("train", path, "-o", model, "-c", "1", "-t", "0", "--json").record
    assert told["task"] == "regression"
    assert told["decided by"].startswith("y holds 75 different numbers")
    expected = LinearLDMRegressor(1.0).fit(X, y + 0.5).predict(X)
    found = [float(line) for line in good("predict", model, path).out.split()]
    assert_allclose(found, expected)


def test_values_come_one_a_line_with_their_errors_beside(good, trained, plain, numbers):
    path = trained("-c", "scale")
    told = good("predict", path, plain)
    X, y = numbers
    predicted = load_model(path)[0].predict(X)
    assert_allclose([float(line) for line in told.out.split()], predicted)
    assert told.err.startswith("R2 = ")
    assert f"MAE = {mean_absolute_error(y, predicted):.6g} (regression)" in told.err
    record = good("predict", path, plain, "--json").record
    assert_allclose(record["value"], predicted)
    assert [*record] == ["value"]


def test_quantiles_are_columns_of_a_table(good, trained, plain, numbers):
    path = trained("-t", "linear", "--quantile", "0.9,0.1")
    told = good("predict", path, plain)
    table = [*csv.reader(io.StringIO(told.out))]
    assert table[0] == ["value 0.9", "value 0.1"]
    expected = load_model(path)[0].predict(numbers[0])
    assert_allclose(np.array(table[1:], dtype=float), expected)
    assert "coverage = 90% 0.9" in told.err


def test_rows_need_no_values_to_be_predicted(good, trained, frame, tmp_path):
    path, bare = trained("-t", "linear"), tmp_path / "bare.csv"
    frame.drop(columns=["sex", "target"]).to_csv(bare, index=False)
    told = good("predict", path, bare)
    assert len(told.out.split()) == 100
    assert told.err == ""


def test_evaluate_tells_what_scikit_learn_tells(good, trained, plain, numbers):
    X, y = numbers
    path = trained("-c", "scale")
    model = load_model(path)[0]
    told = good("evaluate", path, plain, "--json").record
    assert told["R2"] == pytest.approx(model.score(X, y))
    assert told["RMSE"] == pytest.approx(root_mean_squared_error(y, model.predict(X)))
    assert told["MAE"] == pytest.approx(mean_absolute_error(y, model.predict(X)))
    residuals = y - model.predict(X)
    assert told["residual mean"] == pytest.approx(residuals.mean())
    median = np.sort(residuals)[49]
    assert told["residual quantiles"]["50%"] == pytest.approx(median)


def test_quantiles_are_evaluated_by_coverage_and_pinball_loss(
    good, trained, plain, numbers
):
    X, y = numbers
    path = trained("-t", "linear", "--quantile", "0.25,0.75")
    predicted = load_model(path)[0].predict(X)
    told = good("evaluate", path, plain, "--json").record
    assert told["coverage"] == {
        "25%": (y <= predicted[:, 0]).mean(),
        "75%": (y <= predicted[:, 1]).mean(),
    }
    losses = [
        mean_pinball_loss(y, column, alpha=level)
        for level, column in zip([0.25, 0.75], predicted.T, strict=True)
    ]
    assert [*told["pinball loss"].values()] == pytest.approx(losses)
    assert "R2" not in told


def test_info_says_what_the_prices_came_to(good, trained, numbers):
    path = trained("-t", "linear")
    machine = load_model(path)[0][-1]
    told = good("info", path, "--json").record
    assert told["task"] == "regression"
    assert told["parameters"]["C"] == machine.C_
    assert told["parameters"]["epsilon"] == machine.epsilon_
    assert "quantile" not in told["parameters"]
    assert "classes" not in told
    assert "probabilities" not in told


def test_info_says_what_was_chosen(good, trained):
    path = trained("-c", "loo", "-g", "loo", "-p", "loo")
    machine = load_model(path)[0][-1]
    parameters = good("info", path, "--json").record["parameters"]
    for name in "C", "gamma", "epsilon":
        assert parameters[name] == getattr(machine, f"{name}_")


def test_info_of_several_quantiles_has_one_price(good, trained):
    path = trained("-t", "linear", "--quantile", "0.1,0.9")
    told = good("info", path, "--json").record
    assert told["parameters"]["quantile"] == [0.1, 0.9]
    assert told["parameters"]["lambda_square"] == 0
    assert isinstance(told["parameters"]["C"], float)
    assert "epsilon" not in told["parameters"]
    assert len(told["residual mean"]) == 2


def test_a_regression_without_prices_is_called_support_vector_regression(good, trained):
    told = good("info", trained("--method", "svm"), "--json").record
    assert told["note"].startswith("support vector regression")
    assert "note" not in good("info", trained("--method", "ridge"), "--json").record


def test_folds_tell_errors_of_values(good, plain, numbers):
    told = good("train", plain, "-v", "4", "-t", "0", "-c", "scale", "--scale", "none")
    folds = KFold(4, shuffle=True, random_state=0)
    machine = LinearLDMRegressor("scale")
    r2 = cross_val_score(machine, *numbers, cv=folds).mean()
    mae = -cross_val_score(
        machine, *numbers, cv=folds, scoring="neg_mean_absolute_error"
    ).mean()
    lines = told.out.splitlines()
    assert lines[0] == f"Cross Validation R2 = {r2:.6g}"
    assert lines[2] == f"Cross Validation MAE = {mae:.6g}"
    assert told.err.startswith("largemargin: regression: column 'target' holds")


def test_folds_tell_the_coverage_of_quantiles(good, plain):
    options = "-v", "3", "-t", "0", "--quantile", "0.1,0.9", "--json"
    told = good("train", plain, *options).record
    assert told["coverage"].keys() == {"10%", "90%"}
    assert 0.0 <= told["coverage"]["10%"] < told["coverage"]["90%"] <= 1.0
    assert "accuracy" not in told


def test_margins_are_residuals(good, refused, trained, plain, numbers, tmp_path):
    X, y = numbers
    path = trained("-t", "linear")
    told = good("margins", path, plain, "--json").record
    residuals = y - load_model(path)[0].predict(X)
    assert told["residual variance"] == pytest.approx(residuals.var())
    inside = np.abs(residuals) <= load_model(path)[0][-1].epsilon_
    assert told["share inside the tube"] == pytest.approx(inside.mean(), abs=0.02)
    words = refused("margins", path, plain, "--plot", tmp_path / "m.png", "--normalise")
    assert "is for regression and has no margins to normalise" in words


@pytest.mark.parametrize("options", [[], ["--quantile", "0.9"], ["--quantile", "0.1,0.9"]])
def test_residuals_are_drawn(good, trained, plain, tmp_path, options):
    path, plot = trained("-t", "linear", *options), tmp_path / "residuals.png"
    told = good("margins", path, plain, "--plot", plot, "--json").record
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert told["plot"] == str(plot)


def test_missing_values_of_features_are_imputed_and_those_of_targets_refused(
    good, refused, frame, tmp_path
):
    path, model = tmp_path / "holes.csv", tmp_path / "m"
    holes = frame.copy()
    holes.loc[3, "bmi"] = None
    holes.loc[5, "sex"] = None
    holes.to_csv(path, index=False)
    good("train", path, "-o", model, "--missing", "impute", "-t", "0")
    assert len(good("predict", model, path).out.split()) == 100
    assert "line 7: column 'sex' has no value" in refused("train", path, "-o", model)
    holes.loc[7, "target"] = None
    holes.to_csv(path, index=False)
    for task in "auto", "regression":
        told = refused("train", path, "-o", model, "--missing", "impute", "--task", task)
        assert "line 9: no value to predict in column 'target'. Fill it in or" in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,x\n2,y\n", "column 'b' holds words such as 'x'; a regression predicts"),
        ("a,b\n1,1\n2,inf\n", "line 3: column 'b' holds inf. Correct it, or leave the"),
    ],
)
def test_what_is_no_number_is_no_value(refused, tmp_path, text, words):
    path = tmp_path / "some.csv"
    path.write_text(text)
    told = refused("train", path, "-o", tmp_path / "m", "--task", "regression")
    assert words in told


def test_a_word_among_many_values_is_an_error_with_its_line(good, refused, frame, tmp_path):
    path = tmp_path / "typo.csv"
    changed = frame[["bmi", "target"]].astype({"target": object})
    changed.loc[7, "target"] = "12O"
    changed.to_csv(path, index=False)
    told = refused("train", path, "-o", tmp_path / "m")
    assert "line 9: column 'target' has '12O'; expected a number. Correct it, or" in told
    changed[:9].assign(target=["1", "2", "x"] * 3).to_csv(path, index=False)
    told = good("train", path, "-o", tmp_path / "m", "--json").record
    assert told["classes"] == ["1", "2", "x"]


def test_words_of_an_array_are_no_values(refused, tmp_path):
    np.savez(tmp_path / "some.npz", X=np.eye(3), y=["a", "b", "c"])
    told = refused(
        "train", tmp_path / "some.npz", "-o", tmp_path / "m", "--task", "regression"
    )
    assert "y holds words such as 'a'" in told
    assert "--task classification" in told


def test_measurements_are_no_classes_and_the_error_names_the_task(refused, plain, tmp_path):
    told = refused(
        *("train", plain, "-o", tmp_path / "m", "--label", "bmi"),
        *("--task", "classification"),
    )
    assert "different numbers that are not whole" in told
    assert "or train with --task regression." in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-p", "-1"], "-p: expected a number of at least 0 or a multiple of scale"),
        (["--quantile", "1.5"], "expected numbers between 0 and 1, such as 0.5 or 0.1,0.5"),
        (["--quantile", "half"], "expected numbers between 0 and 1"),
        (
            ["--quantile", "0.5", "--loss", "epsilon_insensitive"],
            "--quantile needs --loss quantile",
        ),
        (["-p", "1", "--class-weight", "balanced"], "no use for -p"),
        (["--task", "classification", "-p", "1"], "--task regression has."),
        (["--task", "regression", "-n", "0.5"], "--task outliers has."),
        (["--task", "regression", "--probability"], "--probability is for classes"),
        (["--task", "regression", "--method", "odm"], "which has ldm, svm, ridge."),
        (["--task", "regression", "--loss", "hinge"], "expected epsilon_insensitive or"),
        (["--method", "ridge", "-c", "1"], "no use for -c"),
    ],
)
def test_options_of_another_task_are_a_usage_error_before_rows_are_read(
    refused, tmp_path, options, words
):
    told = refused("train", "nowhere.csv", "-o", tmp_path / "m", *options, code=2)
    assert words in told


def test_options_of_another_task_than_the_labels_ask_for_are_told(refused, table, tmp_path):
    told = refused("train", table, "-o", tmp_path / "m", "-p", "0.1", code=2)
    assert "no use for -p; --task regression has." in told


@pytest.mark.parametrize("option", ["--scores", "--probability"])
def test_values_have_neither_scores_nor_probabilities(refused, trained, plain, option):
    told = refused("predict", trained("-t", "linear"), plain, option)
    assert "is for regression" in told


def test_regressors_of_programs_are_used(good, refused, plain, numbers, tmp_path):
    X, y = numbers
    path = tmp_path / "own.model"
    save(make_pipeline(MinMaxScaler(), SVR()).fit(X, y), path)
    assert good("evaluate", path, plain, "--json").record["R2"] < 1
    save(LinearLDMRegressor().fit(X, np.column_stack([y, -y])), path)
    table = [*csv.reader(io.StringIO(good("predict", path, plain).out))]
    assert table[0] == ["value 0", "value 1"]
    assert "predicts 2 values for each row" in refused("evaluate", path, plain)
    save(LinearLDMRegressor(), path)
    assert "that cannot predict" in refused("predict", path, plain)


def test_an_exported_regression_predicts_as_the_model_does(good, trained, plain, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    path, graph = trained("-c", "scale"), tmp_path / "some.onnx"
    told = good("export", path, graph, "--json").record
    assert told["outputs"] == ["variable"]
    X = pd.read_csv(plain).drop(columns="target").to_numpy(dtype=float)
    (values,) = runtime.InferenceSession(graph.read_bytes()).run(None, {"X": X})
    assert_allclose(values[:, 0], load_model(path)[0].predict(X), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "fixed"),
    [
        (["--method", "svm"], {"lambda_var": {0.0}, "lambda_square": {0.0}}),
        (["-p", "5", "-c", "scale"], {"epsilon": {5.0}, "C": {"scale"}}),
        (["--method", "ridge"], {"C": {0.0}, "lambda_var": {0.0}}),
    ],
)
def test_a_search_keeps_what_is_given(trained, options, fixed):
    found = load_model(trained("--cv", "-t", "linear", *options))[0][-1]
    assert type(found).__name__ == "LinearLDMRegressorCV"
    points = found.cv_results_["params"]
    assert {name: {point[name] for point in points} for name in fixed} == fixed
    assert len(points) > 1
    assert 0.2 < found.best_score_ < 0.6
