"""Tables: words, missing values, columns found by name."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from largemargin import LDMClassifier


@pytest.fixture
def predicted(good):
    def run(model, data, *options):
        return good("predict", model, data, *options).out.split()

    return run


def test_words_become_features_beside_scaled_numbers(
    predicted, table, table_model, flowers
):
    y = flowers.pop("species")
    prepare = make_column_transformer(
        (OneHotEncoder(), ["colour"]), remainder=MinMaxScaler()
    )
    expected = make_pipeline(prepare, LDMClassifier()).fit(flowers, y).predict(flowers)
    assert predicted(table_model, table) == expected.tolist()


def test_columns_are_found_by_name_and_others_left_alone(
    predicted, table, table_model, flowers, tmp_path
):
    shuffled = tmp_path / "shuffled.csv"
    flowers.assign(id=range(150))[[*flowers.columns[::-1], "id"]].to_csv(
        shuffled, index=False
    )
    assert predicted(table_model, shuffled) == predicted(table_model, table)


@pytest.mark.parametrize("header", [True, False])
def test_rows_to_predict_need_no_label(
    predicted, table, table_model, flowers, tmp_path, header
):
    bare = tmp_path / "bare.csv"
    flowers.drop(columns="species").to_csv(bare, index=False, header=header)
    assert predicted(table_model, bare) == predicted(table_model, table)


@pytest.mark.parametrize("label", ["species", "0", "-6"])
def test_the_label_is_named_or_numbered(good, flowers, tmp_path, label):
    moved, model = tmp_path / "moved.csv", tmp_path / "m"
    flowers[["species", *flowers.columns[:-1]]].to_csv(moved, index=False)
    told = good("train", moved, "-o", model, "--label", label, "--json").record
    assert told["classes"] == ["setosa", "versicolor", "virginica"]
    assert "/150) (classification)" in good("predict", model, moved).err


def test_missing_values_are_imputed_if_that_is_asked_for(
    good, predicted, flowers, tmp_path
):
    y = flowers["species"]
    flowers.loc[3, "sepal width"] = np.nan
    flowers.loc[5, "colour"] = None
    holes, model = tmp_path / "holes.csv", tmp_path / "m"
    flowers.to_csv(holes, index=False)
    good("train", holes, "-o", model, "--missing", "impute")
    X = flowers.drop(columns="species").astype({"colour": object})
    prepare = make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
            ["colour"],
        ),
        remainder=make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()),
    )
    X["colour"] = X["colour"].where(X["colour"].notna(), np.nan)
    expected = make_pipeline(prepare, LDMClassifier()).fit(X, y).predict(X)
    assert predicted(model, holes) == expected.tolist()


def test_unknown_words_count_as_none_if_that_is_asked_for(
    predicted, table, table_model, rewritten
):
    changed = rewritten(table, 60, lambda line: line.replace("blue", "violet"))
    assert len(predicted(table_model, changed, "--unknown", "ignore")) == 150


@pytest.mark.parametrize(
    ("line", "change", "words"),
    [
        (3, lambda line: line.replace("4.9", ""), "line 3: column 'sepal length' has no"),
        (
            3,
            lambda line: line.replace("4.9", "NaN"),
            "line 3: column 'sepal length' has no",
        ),
        (
            3,
            lambda line: line.replace("4.9", "inf"),
            "line 3: column 'sepal length' has the",
        ),
        (4, lambda line: "7," + line, "line 4: expected 6 cells as in line 1; got 7"),
        (4, lambda line: line.partition(",")[2], "line 4: expected 6 cells as in line 1"),
        (5, lambda line: line.replace("4.6", "four"), "line 5: column 'sepal length'"),
        (5, lambda line: line.replace("red", "3"), "line 5: column 'colour'"),
        (5, lambda line: line.replace("red", ""), "line 5: column 'colour' has no value"),
        (
            6,
            lambda line: line.replace("setosa", ""),
            "line 6: no label in column 'species'",
        ),
        (6, lambda line: line.replace("setosa", '"se'), "line 6: unexpected end of data"),
    ],
)
def test_a_bad_line_is_named_in_training(
    refused, table, rewritten, tmp_path, line, change, words
):
    changed = rewritten(table, line, change)
    told = refused("train", changed, "-o", tmp_path / "m")
    assert f"{changed}, {words}" in told
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("line", "change", "words"),
    [
        (
            60,
            lambda line: line.replace("blue", "violet"),
            "line 60: column 'colour' has 'violet'",
        ),
        (
            60,
            lambda line: line.replace("blue", ""),
            "line 60: column 'colour' has no value",
        ),
        (3, lambda line: line.replace("4.9", "x"), "line 3: column 'sepal length' has 'x'"),
        (3, lambda line: line.replace("4.9", ""), "line 3: column 'sepal length' has no"),
        (1, lambda line: line.replace("colour", "color"), "has no column 'colour'"),
    ],
)
def test_a_bad_line_is_named_in_prediction(
    refused, table, table_model, rewritten, line, change, words
):
    changed = rewritten(table, line, change)
    assert words in refused("predict", table_model, changed)


def test_a_label_column_that_is_not_there_is_refused_with_those_that_are(
    refused, table, tmp_path
):
    told = refused("train", table, "-o", tmp_path / "m", "--label", "kind")
    assert f"{table} has no column 'kind' for the labels" in told
    assert "'colour', 'species'" in told


def test_a_label_column_of_measurements_is_refused(refused, table, tmp_path):
    told = refused("train", table, "-o", tmp_path / "m", "--label", "sepal width")
    assert "'sepal width' holds 23 different numbers that are not whole" in told


def test_a_label_column_of_one_class_is_refused(refused, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,b\n1,x\n2,x\n")
    assert "all labels are x" in refused("train", path, "-o", tmp_path / "m")


def test_dates_are_refused(refused, flowers, tmp_path):
    path = tmp_path / "dates.parquet"
    flowers["colour"] = np.datetime64("2014-08-24")
    flowers.to_parquet(path)
    assert "column 'colour' holds datetime64" in refused(
        "train", path, "-o", tmp_path / "m"
    )
