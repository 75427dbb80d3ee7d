"""Models saved by other programs are used, or refused with one sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from largemargin import LDMClassifier, LDMClassifierCV, LinearLDMClassifier
from largemargin.cli.models import load_model
from largemargin.estimators.nesting import width_of
from largemargin.production.calibration import CalibratedMachine
from largemargin.production.model_files import save
from largemargin.tables.schemas import TableSchema

X, Y = load_iris(return_X_y=True)
USED = {
    "nested pipelines": (
        make_pipeline(StandardScaler(), make_pipeline(MinMaxScaler(), LDMClassifier())),
        ["StandardScaler", "MinMaxScaler", "LDMClassifier"],
    ),
    "a place without a step": (
        make_pipeline("passthrough", None, LDMClassifier()),
        ["LDMClassifier"],
    ),
    "a search over pipelines": (
        GridSearchCV(
            make_pipeline("passthrough", LDMClassifier()), {"ldmclassifier__C": [1]}, cv=2
        ),
        ["LDMClassifier"],
    ),
    "probabilities in a pipeline": (
        make_pipeline(StandardScaler(), CalibratedMachine(LDMClassifier())),
        ["StandardScaler", "LDMClassifier", "CalibratedMachine"],
    ),
    "probabilities of a pipeline": (
        CalibratedMachine(make_pipeline("passthrough", StandardScaler(), LDMClassifier())),
        ["StandardScaler", "LDMClassifier", "CalibratedMachine"],
    ),
}
REFUSED = {
    "not fitted": LDMClassifier(),
    "pipeline not fitted": make_pipeline(StandardScaler(), LDMClassifier()),
    "pipeline without steps": Pipeline([]),
    "no model": {"a": 1},
    "no classifier": StandardScaler().fit(X),
    "search without the best": LDMClassifierCV(
        Cs=[1], gammas=["scale"], cv=2, refit=False
    ).fit(X, Y),
}
TABLE = {
    "kind": "table",
    "features": ["a", "b", "c", "d"],
    "label": "e",
    "label_place": 4,
    "named": True,
}
MATRIX = {"kind": "matrix", "n_features": 4}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.model"


@pytest.fixture
def rows(tmp_path):
    table = tmp_path / "rows.csv"
    np.savetxt(table, np.c_[X, Y], delimiter=",")
    return table


@pytest.mark.parametrize("name", USED)
def test_models_of_many_layers_are_told_and_used(good, path, rows, name):
    model, steps = USED[name]
    model.fit(X, Y)
    save(model, path)
    told = good("info", path, "--json").record
    assert told["estimator"] == "LDMClassifier"
    assert told["steps"] == steps
    assert told["rows"]["n_features"] == 4
    assert ("cross-validated score" in told) == hasattr(model, "best_score_")
    labels = good("predict", path, rows, "-q").out.split()
    assert labels == [str(label) for label in model.predict(X)]


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("command", ["info", "predict", "export", "margins"])
def test_what_cannot_predict_is_refused(refused, path, rows, name, command):
    save(REFUSED[name], path)
    more = {"info": [], "export": [path.with_suffix(".onnx")]}.get(command, [rows])
    told = refused(command, path, *more)
    assert f"{path} holds a {type(REFUSED[name]).__name__} that cannot predict" in told


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "nope"},
        {"n_features": 4},
        [1],
        "matrix",
        MATRIX | {"n_features": "x"},
        MATRIX | {"n_features": 0},
        MATRIX | {"n_features": True},
        MATRIX | {"more": 1},
        MATRIX | {"skipped": 2},
        MATRIX | {"dense": "no"},
        MATRIX | {"missing": "keep"},
        MATRIX | {"gram": None},
        {"kind": "table"},
        TABLE | {"features": "abcd"},
        TABLE | {"features": []},
        TABLE | {"features": [1, 2]},
        TABLE | {"label": 3},
        TABLE | {"label_place": 9},
        TABLE | {"named": "yes"},
        TABLE | {"words": ["a"]},
        TABLE | {"words": {"z": ["one"]}},
        TABLE | {"words": {"a": "one"}},
        TABLE | {"missing": None},
        TABLE | {"dropped": [-1]},
        TABLE | {"dropped": "a"},
        MATRIX | {"serials": [0.5]},
    ],
    ids=str,
)
def test_a_record_that_is_no_schema_is_refused(refused, path, record):
    machine = LinearLDMClassifier().fit(X, Y)
    machine.schema_ = record
    save(machine, path)
    assert "does not say what the rows of its model look like" in refused("info", path)


def test_a_record_of_a_schema_is_taken(path):
    machine = LinearLDMClassifier().fit(X, Y)
    machine.schema_ = TABLE | {"words": {"a": ["one", "two"]}}
    save(machine, path)
    assert isinstance(load_model(path)[1], TableSchema)


def test_a_step_that_does_not_tell_its_width_is_not_passed_over():
    step = StandardScaler()
    assert width_of(make_pipeline(step, LDMClassifier().fit(X, Y))) is None


def test_columns_of_a_model_that_was_saved_by_a_program_are_found_by_name(good, path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["word"] = np.where(Y == 0, "red", "blue")
    prepare = make_column_transformer(
        (OneHotEncoder(), ["word"]), remainder=StandardScaler()
    )
    model = make_pipeline(prepare, LDMClassifier()).fit(frame, Y)
    save(model, path)
    shuffled = path.with_name("shuffled.csv")
    frame.assign(kind=Y)[["kind", "d", "word", "b", "a", "c"]].to_csv(shuffled, index=False)
    told = good("predict", path, shuffled, "--label", "kind")
    assert told.out.split() == [str(label) for label in model.predict(frame)]
    assert "(classification)" in told.err
    assert "word" in good("info", path).out


@pytest.mark.parametrize(
    ("options", "told"),
    [({"kernel": "poly", "degree": 2, "coef0": 1}, (2, 1)), ({"kernel": "rbf"}, ())],
)
def test_the_form_of_a_kernel_is_told_where_it_has_one(good, path, options, told):
    save(LDMClassifier(**options).fit(X, Y), path)
    parameters = good("info", path, "--json").record["parameters"]
    found = tuple(parameters[name] for name in ("degree", "coef0") if name in parameters)
    assert found == told


def test_missing_values_are_left_to_a_model_that_was_saved_by_a_program(good, path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(SimpleImputer(), LDMClassifier()).fit(frame, Y)
    save(model, path)
    frame.loc[3, "a"] = np.nan
    holes = path.with_name("holes.csv")
    frame.to_csv(holes, index=False)
    labels = good("predict", path, holes).out.split()
    assert labels == [str(label) for label in model.predict(frame)]


@pytest.mark.parametrize("ways", ["ovo", "ovr"])
def test_info_tells_the_loss_and_how_classes_are_told_apart(good, table, tmp_path, ways):
    options = "--missing", "impute", "--loss", "squared_hinge", "--set"
    path = tmp_path / "some.model"
    good("train", table, "-o", path, *options, f"multi_class={ways}")
    parameters = good("info", path, "--json").record["parameters"]
    assert parameters["loss"] == "squared_hinge"
    assert parameters["multi_class"] == ways


@pytest.mark.parametrize(("lambda_var", "told"), [(0, True), ("scale", False)])
def test_a_model_without_prices_is_called_a_support_vector_machine(
    good, path, lambda_var, told
):
    save(LinearLDMClassifier(C=1.0, lambda_var=lambda_var).fit(X, Y), path)
    assert ("note" in good("info", path, "--json").record) == told
