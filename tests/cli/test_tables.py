"""Tables: words, missing values, columns found by name."""

from decimal import Decimal

import numpy as np
import pandas as pd
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
    options = "--label", "sepal width", "--task", "classification"
    told = refused("train", table, "-o", tmp_path / "m", *options)
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


@pytest.fixture
def trained(good, tmp_path):
    """Train on the text of a table and return what is told, and the model."""

    def train(text, *options):
        data, model = tmp_path / "some.csv", tmp_path / "some.model"
        data.write_text(text)
        return good("train", data, "-o", model, "--json", *options).record, model

    return train


ROWS = "".join(f"{k},{k % 3},{'pq'[k % 2]}\n" for k in range(20))


@pytest.mark.parametrize(
    ("header", "classes"), [("a,0,kind\n", ["p", "q"]), ("1,2,p\n", ["p", "q"])]
)
def test_numbers_may_be_names_of_columns(trained, header, classes):
    told, _ = trained(header + ROWS)
    assert told["classes"] == classes
    assert told["rows"] == (20 if header.startswith("a") else 21)


@pytest.mark.parametrize("header", ["id,a,b,kind\n", ""])
@pytest.mark.parametrize("drop", [["0"], ["0", "-2"]])
def test_columns_may_be_left_out(good, predicted, trained, header, drop):
    text = "".join(f"n{k},{k},{k % 3},{'pq'[k % 2]}\n" for k in range(30))
    options = [part for given in drop for part in ("--drop", given)]
    told, model = trained(header + text, *options)
    assert told["features"] == 3 - len(drop)
    data = model.with_suffix(".csv")
    bare = model.with_name("bare.csv")
    rows = [line.split(",") for line in (header + text).splitlines()]
    kept = [k for k in range(3) if str(k) not in drop and str(k - 4) not in drop]
    bare.write_text("".join(",".join(row[k] for k in kept) + "\n" for row in rows))
    assert predicted(model, bare, "--format", "csv") == predicted(model, data)


@pytest.mark.parametrize(
    ("dropped", "words"),
    [("kind", "'kind' is the column of the labels"), ("size", "no column 'size' to drop")],
)
def test_columns_that_cannot_be_left_out_are_told(refused, tmp_path, dropped, words):
    data = tmp_path / "some.csv"
    data.write_text("a,b,kind\n" + ROWS)
    told = refused("train", data, "-o", tmp_path / "m", "--drop", dropped)
    assert words in told


def test_the_header_that_pandas_gives_to_nameless_columns_is_one(trained):
    text = "".join(f"{k},1,{k % 3},{'pq'[k % 2]}\n" for k in range(20))
    assert trained("0,1,2,target\n" + text)[0]["classes"] == ["p", "q"]


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.filterwarnings("ignore:.*has no name:UserWarning")
def test_a_frame_without_names_is_read_as_pandas_writes_it(good, tmp_path, index):
    data = tmp_path / "some.csv"
    rows = np.column_stack(
        [np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2]
    )
    pd.DataFrame(rows).to_csv(data, index=index)
    told = good("train", data, "-o", tmp_path / "m", "--json").record
    assert (told["rows"], told["features"]) == (20, 3)
    assert told["classes"] == ["0", "1"]


def test_a_dash_above_a_number_does_not_make_a_header(refused, tmp_path):
    told = refused(
        "train", "-", "-o", tmp_path / "m", "--format", "csv", stdin="1.0,-,1\n2.0,3,0\n"
    )
    assert "standard input, line 1: column '1' mixes numbers and words" in told


def test_separators_in_quotes_do_not_count(trained):
    told, _ = trained('"size, in cm";"kind, of it, or so"\n' + "1;p\n2;q\n" * 5)
    assert told["features"] == 1


def test_parquet_and_text_hold_the_same_words(good, tmp_path):
    frame = pd.DataFrame({"a": [" u", "v ", "NA", "u"] * 5, "kind": [0, 1, 0, 1] * 5})
    table, text, model = (tmp_path / name for name in ("f.parquet", "f.csv", "m"))
    frame.to_parquet(table)
    frame.to_csv(text, index=False)
    good("train", table, "-o", model, "--missing", "impute")
    assert good("info", model, "--json").record["rows"]["words"] == {"a": ["u", "v"]}
    assert good("predict", model, text).out == good("predict", model, table).out


def test_lists_in_a_parquet_file_are_refused(refused, tmp_path):
    path = tmp_path / "some.parquet"
    pd.DataFrame({"a": [[1], [2]], "kind": [0, 1]}).to_parquet(path)
    assert "column 'a' holds object" in refused("train", path, "-o", tmp_path / "m")


def test_an_infinite_value_is_not_to_be_imputed(refused, tmp_path):
    told = refused(
        "train",
        *("-", "-o", tmp_path / "m", "--missing", "impute", "--format", "csv"),
        stdin="a,kind\ninf,0\n2,1\n",
    )
    assert "column 'a' has the value inf. Correct it, or leave the row out." in told


def test_a_column_without_a_name_is_left_out_with_a_warning(good, tmp_path):
    data = tmp_path / "some.csv"
    data.write_text(",a,kind\n" + ROWS)
    told = good("train", data, "-o", tmp_path / "m", "--json")
    assert "column 0 has no name, so it is left out" in told.err
    assert told.record["features"] == 1


@pytest.mark.parametrize(
    ("spelled", "classes"),
    [
        (("true", "false"), ["false", "true"]),
        (("001", "002"), ["001", "002"]),
        (("+1", "-1"), ["-1", "1"]),
        (("1.0", "2.0"), ["1", "2"]),
        (("0.5", "1.5"), ["0.5", "1.5"]),
        (("1", "x"), ["1", "x"]),
    ],
)
def test_labels_are_predicted_as_they_are_spelled(predicted, trained, spelled, classes):
    text = "a,kind\n" + "".join(f"{k},{spelled[k < 10]}\n" for k in range(20))
    told, model = trained(text, "-c", "1000")
    assert told["classes"] == classes
    data = model.with_suffix(".csv")
    assert sorted(set(predicted(model, data))) == classes


def test_a_file_with_some_of_the_words_and_labels_only_is_evaluated(good, trained):
    text = "colour,kind\n" + "TRUE,1\nFALSE,0\nmaybe,x\n" * 5
    _, model = trained(text)
    data = model.with_name("fewer.csv")
    data.write_text("colour,kind\nTRUE,1\nFALSE,0\n")
    told = good("evaluate", model, data, "--json").record
    assert told["accuracy"] == 1.0
    assert "(2/2)" in good("predict", model, data).err


@pytest.mark.parametrize("text", ["a,kind\n1,\n2,?\n", "a,kind\n1,0.1\n2,0.2\n3,0.3\n"])
def test_labels_that_cannot_be_read_are_not_needed_to_predict(good, trained, text):
    _, model = trained("a,kind\n" + "1,p\n2,q\n" * 5)
    data = model.with_name("new.csv")
    data.write_text(text)
    told = good("predict", model, data)
    assert len(told.out.split()) == text.count("\n") - 1
    assert told.err == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "size,kind\n" + "".join(f'"{k},5",{k % 2}\n' for k in range(30)),
            "column 'size' has 30 different words in 30 rows, such as '0,5'",
        ),
        ("a ,a,kind\n1,2,0\n2,3,1\n", "has more than one column 'a'"),
        ("a,kind\n1,1e30\n2,2e30\n3,3e30\n", "'kind' holds 3 different numbers"),
        ("kind\n0\n1\n", "has no column beside the labels in 'kind'"),
        (f"{'a' * 500};b\n", "has a header and no rows"),
        (f"{'a' * 500}\n1\n2\n", "aaa...'"),
    ],
)
def test_what_is_no_table_of_classes_is_refused(refused, tmp_path, text, words):
    data = tmp_path / "some.csv"
    data.write_text(text)
    told = refused("train", data, "-o", tmp_path / "m")
    assert words in told
    assert len(told) < 500


def test_labels_may_be_numbers_beyond_integers(trained):
    told, _ = trained("a,kind\n" + "1,1e30\n2,2e30\n" * 5)
    assert told["classes"] == ["1e30", "2e30"]


def test_an_empty_cell_in_the_only_column_is_a_missing_value(refused, trained):
    _, model = trained("a,kind\n" + "1,p\n2,q\n" * 5)
    told = refused("predict", model, "-", "--format", "csv", stdin='a\n1\n""\n')
    assert "standard input, line 3: column 'a' has no value" in told


@pytest.mark.parametrize(
    "values", [["1", "2"], [Decimal("1.5"), Decimal("2.5")], [1, None], [True, False]]
)
def test_whatever_spells_numbers_in_a_parquet_file_is_numbers(good, tmp_path, values):
    path, model = tmp_path / "some.parquet", tmp_path / "m"
    pd.DataFrame({"a": values * 5, "kind": ["p", "q"] * 5}).to_parquet(path)
    good("train", path, "-o", model, "--missing", "impute")
    words = good("info", model, "--json").record["rows"]["words"]
    assert words == ({"a": ["False", "True"]} if values[0] is True else {})


def test_a_column_of_dates_does_no_harm_to_a_model_without_it(good, trained):
    _, model = trained("a,kind\n" + "1,p\n2,q\n" * 5)
    path = model.with_name("some.parquet")
    frame = pd.DataFrame({"day": pd.to_datetime(["2014-08-24"] * 2), "a": [1, 2]})
    frame.to_parquet(path)
    assert good("predict", model, path).out.split() == ["p", "q"]
