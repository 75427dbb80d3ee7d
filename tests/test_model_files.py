"""Model files give back what was saved, or say why not."""

import json
import os
import pickle
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import skops.io
import skops.io._protocol
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import model_selection
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, chi2, mutual_info_classif
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)

import largemargin
from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
)
from largemargin.calibration import CalibratedMachine
from largemargin.model_files import (
    FORMAT,
    MAGIC,
    ModelFileError,
    archives,
    digest,
    load,
    read,
    read_header,
    save,
)
from largemargin.model_files.archives import Unsound
from largemargin.model_files.contents import check_sound
from largemargin.model_files.trust import SPLITTERS, TRUSTED

MODELS = {
    "kernel": LDMClassifier(),
    "linear": LinearLDMClassifier(random_state=np.random.RandomState(0)),
    "kernel search": LDMClassifierCV(Cs=[1], gammas=["scale"], cv=StratifiedKFold(3)),
    "linear search": LinearLDMClassifierCV(Cs=[1], cv=3),
    "mamc": MAMCClassifier(),
    "mdo": MDOClassifier(random_state=0),
    "komd": KOMDClassifier(kernel="linear"),
    "odm": ODMClassifier(kernel="laplacian"),
    "scikit-learn's search": GridSearchCV(LDMClassifier(), {"C": [1, 10]}, cv=3),
    "pipeline": make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), [0, 1]), (OneHotEncoder(handle_unknown="ignore"), [2])
        ),
        StandardScaler(with_mean=False),
        LDMClassifier(),
    ),
    "sigmoid": CalibratedMachine(LinearLDMClassifier()),
    "isotonic": CalibratedMachine(
        make_pipeline(MinMaxScaler(), LDMClassifier()), method="isotonic"
    ),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "machine.model"


@pytest.fixture
def saved(path, blobs):
    X, y = blobs
    machine = LinearLDMClassifier().fit(X, y)
    save(machine, path)
    return machine


HEADER = b'{"model": "", "saved": "", "versions": {}}'


def forge(model, path):
    """Write a file as ``save`` does, with no questions asked."""
    enclose(skops.io.dumps(model), path)


def enclose(payload, path, header=HEADER):
    """Write an archive, with the digest that it should have."""
    rest = header + b"\n" + payload
    path.write_bytes(b"%s %d %s\n%s" % (MAGIC, FORMAT, digest(rest), rest))


def archive_of(schema, method=zipfile.ZIP_DEFLATED, **entries):
    """Return an archive as skops writes it, of what may be no model."""
    schema |= {"protocol": skops.io._protocol.PROTOCOL, "_skops_version": "0.16.0"}
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("schema.json", json.dumps(schema))
        for name, contents in entries.items():
            archive.writestr(name, contents)
    return stream.getvalue()


def node(loader, name, **fields):
    """Return a node of skops' tree, for a class by its full name."""
    module, _, name = name.rpartition(".")
    return {"__class__": name, "__module__": module, "__loader__": loader, **fields}


def text_node(value):
    return node("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)


def list_node(*content, **fields):
    return node("ListNode", "builtins.list", content=list(content), **fields)


def dict_node(key_types, content):
    return node("DictNode", "builtins.dict", key_types=key_types, content=content)


def own_kernel(X, Y):
    return X @ Y.T


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_gives_the_same_scores_to_the_last_bit(name, path, iris):
    X, y = iris
    model = clone(MODELS[name]).fit(X, np.array(["a", "b", "c"])[y])
    save(model, path)
    loaded = load(path)
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize("sparse", [sp.csr_matrix, sp.csr_array])
def test_sparse_support_vectors_stay_sparse(sparse, path, iris):
    X, y = iris
    machine = LDMClassifier().fit(sparse(X), y)
    save(machine, path)
    loaded = load(path)
    assert type(loaded.support_vectors_) is sparse
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_a_stream_goes_on_after_loading_as_it_would_have(path, blobs):
    X, y = blobs
    machine = LinearLDMClassifier(random_state=0).partial_fit(X[:40], y[:40], [-1, 1])
    save(machine, path)
    loaded = load(path).partial_fit(X[40:], y[40:])
    assert_array_equal(loaded.coef_, machine.partial_fit(X[40:], y[40:]).coef_)


@pytest.mark.parametrize("library", [pickle, joblib])
@pytest.mark.parametrize("name", MODELS)
def test_pickle_and_joblib_keep_working(name, library, iris):
    X, y = iris
    machine = clone(MODELS[name]).fit(X, y)
    stream = BytesIO()
    library.dump(machine, stream)
    stream.seek(0)
    loaded = library.load(stream)
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


def test_a_file_tells_what_wrote_it(saved, path):
    header = read_header(path)
    assert header["model"] == "LinearLDMClassifier"
    assert header["versions"]["largemargin"] == largemargin.__version__
    assert header["versions"]["scikit-learn"] == sklearn.__version__
    assert header["versions"]["numpy"] == np.__version__


OLD_FILES = sorted((Path(__file__).parent / "data").glob("*.model"))


@pytest.mark.parametrize("old", OLD_FILES, ids=lambda path: path.name)
def test_files_of_earlier_releases_load_and_predict_as_they_did(old, iris):
    told, models = json.loads(old.with_suffix(".json").read_text()), load(old)
    if not isinstance(models, dict):
        told, models = {"": told}, {"": models}
    X = iris[0][::3]
    assert told.keys() == models.keys()
    for name, model in models.items():
        scores = told[name]["scores"]
        assert model.predict(X).tolist() == told[name]["labels"]
        assert_allclose(model.decision_function(X), scores, rtol=1e-10, atol=1e-10)


def test_the_files_of_the_first_release_are_kept():
    names = {path.name for path in OLD_FILES}
    assert names >= {"search_0.1.0.model", "all_0.1.0.model"}


def test_every_class_of_ours_is_in_the_file_of_a_release():
    payload = read(OLD_FILES[0])[1]
    ours = {name for name in TRUSTED if name.startswith("largemargin.")}
    assert ours <= set(skops.io.get_untrusted_types(data=payload))


def test_any_changed_byte_is_noticed(saved, path):
    contents = path.read_bytes()
    first_lines = contents.index(b"\n", contents.index(b"\n") + 1) + 1
    for place in [*range(first_lines), *range(first_lines, len(contents), 37)]:
        changed = bytearray(contents)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(ModelFileError):
            load(path)


def test_a_file_cut_short_anywhere_is_noticed(saved, path):
    contents = path.read_bytes()
    for length in [*range(300), *range(300, len(contents), 37), len(contents) - 1]:
        path.write_bytes(contents[:length])
        with pytest.raises(ModelFileError, match=r"cut short|not a model file"):
            load(path)


def test_something_else_is_no_model_file(path, blobs):
    X, y = blobs
    machine = LDMClassifier().fit(X, y)
    for contents in b"", b"a,b\n1,2\n", pickle.dumps(machine), skops.io.dumps(machine):
        path.write_bytes(contents)
        with pytest.raises(ModelFileError, match="not a model file of largemargin"):
            load(path)


def test_a_later_format_asks_for_a_later_release(saved, path):
    contents = path.read_bytes()
    path.write_bytes(contents.replace(b"model 1 ", b"model 2 ", 1))
    with pytest.raises(ModelFileError, match=r"format 2; .* Install a later release"):
        load(path)


@pytest.mark.parametrize("kernel", [own_kernel, rbf_kernel, lambda X, Y: X @ Y.T])
def test_a_function_is_not_saved_and_no_file_appears(kernel, path, blobs):
    X, y = blobs
    machine = LDMClassifier(kernel=kernel).fit(X, y)
    with pytest.raises(ModelFileError, match=f"holds .*{kernel.__name__}"):
        save(machine, path)
    assert list(path.parent.iterdir()) == []


def test_what_skops_cannot_hold_is_said_to_be_so(path):
    with pytest.raises(ModelFileError, match="cannot hold this LDMClassifier"):
        save(LDMClassifier(kernel=(row for row in ())), path)


@pytest.mark.parametrize("function", [os.system, eval, own_kernel])
def test_a_forged_file_is_refused_by_the_name_of_what_it_smuggles(function, path):
    forge(make_pipeline(FunctionTransformer(function), LDMClassifier()), path)
    with pytest.raises(ModelFileError, match=rf"not trusted: .*\.{function.__name__}"):
        load(path)


def test_a_trusted_name_is_let_in_and_out(path, blobs):
    X, y = blobs
    machine = LDMClassifier(kernel=own_kernel).fit(X, y)
    names = [f"{own_kernel.__module__}.own_kernel"]
    save(machine, path, trusted=names)
    with pytest.raises(ModelFileError, match="own_kernel"):
        load(path)
    loaded = load(path, trusted=names)
    assert_array_equal(loaded.decision_function(X), machine.decision_function(X))


@pytest.mark.parametrize("trusted", ["largemargin.Something", LDMClassifier])
def test_trusted_must_be_several_names(trusted, saved, path):
    with pytest.raises(TypeError, match="iterable of types or of their names"):
        load(path, trusted=trusted)
    with pytest.raises(TypeError, match="Put it into a list"):
        save(saved, path, trusted=trusted)


def test_trusted_may_be_a_generator_of_things_themselves(path):
    machine = LDMClassifier(kernel=own_kernel)
    save(machine, path, trusted=(one for one in [own_kernel]))
    assert load(path, trusted=(one for one in [own_kernel])).kernel is own_kernel


def test_an_unharmed_file_that_cannot_be_loaded_tells_who_wrote_it(
    saved, path, monkeypatch
):
    monkeypatch.delattr("largemargin.estimators.linear.LinearLDMClassifier")
    with pytest.raises(ModelFileError, match=r"unharmed .* written by largemargin 0"):
        load(path)


def test_an_interrupted_save_leaves_the_old_file_alone(saved, path, monkeypatch):
    before = path.read_bytes()

    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(LDMClassifier(), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_saving_again_replaces_the_file(saved, path):
    save(LDMClassifier(C=7), path)
    assert load(path).C == 7
    assert list(path.parent.iterdir()) == [path]


def test_a_model_file_may_be_read_by_whoever_may_read_others(saved, path):
    plain = path.with_name("plain")
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_without_skops_the_extra_is_named(saved, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ImportError, match=r"largemargin\[cli\]"):
        load(path)


@pytest.mark.parametrize("version", ["0.11.0", "0.12.1"])
def test_a_skops_that_lets_files_run_code_is_refused(saved, path, monkeypatch, version):
    monkeypatch.setattr(skops, "__version__", version)
    with pytest.raises(ImportError, match=rf"0\.13 or later; found {version}"):
        load(path)


def test_a_file_that_calls_methods_runs_nothing(path, tmp_path):
    prey = tmp_path / "prey"
    kernel = "largemargin.kernels.Kernel"
    words = list_node(node("TypeNode", "builtins.str"))
    owner = node("ObjectNode", kernel, content=dict_node(words, {"name": text_node("rbf")}))
    for function in "__call__", "__builtins__", "get":
        owner = node("MethodNode", kernel, content={"func": function, "obj": owner})
    evaluate = dict_node(list_node(owner), {"eval": text_node(1)})
    command = f"__import__('pathlib').Path({str(prey)!r}).touch()"
    enclose(archive_of(dict_node(evaluate, {command: text_node(1)})), path)
    with pytest.raises(ModelFileError, match=r"not trusted: .*Kernel\.__builtins__"):
        load(path)
    assert not prey.exists()


@pytest.mark.parametrize("loader", ["ConstructorFromReduceNode", "TypeNode"])
def test_a_trusted_function_is_not_called(loader, path):
    rows = node("TupleNode", "builtins.tuple", content=[text_node([0]), text_node([0])])
    enclose(
        archive_of(node(loader, "sklearn.metrics._ranking.roc_auc_score", content=rows)),
        path,
    )
    with pytest.raises(ModelFileError, match=r"it calls .*roc_auc_score"):
        load(path)


def change_indices(rows):
    rows.indices = np.full_like(rows.indices, 600)


def change_ends(rows):
    rows.indptr[1:-1] = 10**6
    rows.indptr[-1] = 0


@pytest.mark.parametrize("change", [change_indices, change_ends])
def test_sparse_rows_that_reach_beyond_their_arrays_are_refused(change, path, iris):
    X, y = iris
    machine = LDMClassifier().fit(sp.csr_array(X), y)
    change(machine.support_vectors_)
    forge({"inside": [machine]}, path)
    with pytest.raises(ModelFileError, match=r"on purpose.* its csr_array is broken"):
        load(path)


def test_indices_that_are_no_integers_are_refused():
    rows = sp.csr_array(np.eye(3))
    rows.indices = np.full(3, np.nan)
    with pytest.raises(Unsound, match="no integers"):
        check_sound([rows])


@pytest.mark.parametrize("name", ["v", "u", "scalars"])
@pytest.mark.parametrize("array", [np.zeros(1), np.zeros(4, dtype=np.int8)])
def test_a_stream_with_wrong_arrays_is_refused(name, array, path, blobs):
    machine = LinearLDMClassifier().partial_fit(*blobs, [-1, 1])
    setattr(machine._descents[0], name, array)
    forge(make_pipeline(StandardScaler(), machine), path)
    with pytest.raises(ModelFileError, match="its LinearLDMClassifier is broken"):
        load(path)


def narrow(machine):
    machine.coef_ = machine.coef_[:, :1]


def lose_width(machine):
    del machine.n_features_in_


def take_another_for_a_run(machine):
    machine._descents = [LDMClassifier()]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (narrow, "the wrong lengths"),
        (lose_width, "n_features_in_"),
        (take_another_for_a_run, "a run is a LDMClassifier"),
    ],
)
def test_a_machine_from_which_no_stream_can_go_on_is_refused(change, told, path, blobs):
    machine = LinearLDMClassifier().fit(*blobs)
    change(machine)
    forge(machine, path)
    with pytest.raises(ModelFileError, match=f"LinearLDMClassifier is broken: .*{told}"):
        load(path)


def change_place(schema, name, value):
    """Put a number in the place of all of this name."""
    for part in archives.dicts_in(schema):
        if isinstance(part.get(name), dict):
            part[name] = text_node(value)


@pytest.mark.parametrize(
    ("random", "name"),
    [
        (np.random.RandomState(0), "pos"),
        (np.random.Generator(np.random.MT19937(0)), "pos"),
        (np.random.Generator(np.random.Philox(0)), "buffer_pos"),
    ],
)
@pytest.mark.parametrize("place", [-1, 625])
def test_random_numbers_from_beyond_their_state_are_refused(random, name, place, path):
    with zipfile.ZipFile(BytesIO(skops.io.dumps([random]))) as archive:
        entries = {one: archive.read(one) for one in archive.namelist()}
    schema = json.loads(entries.pop("schema.json"))
    enclose(archive_of(schema, **entries), path)
    load(path)
    change_place(schema, name, place)
    enclose(archive_of(schema, **entries), path)
    with pytest.raises(ModelFileError, match=f"position {place} is out of range"):
        load(path)


BOTH = {False: 1, True: 30}


@pytest.mark.parametrize(
    "model",
    [
        LDMClassifier(class_weight=BOTH),
        LDMClassifier(class_weight={np.False_: 1, np.True_: 30}),
        LDMClassifier(class_weight={1: 1, "1": 30}),
        LDMClassifier(class_weight={None: 1}),
        make_pipeline(GridSearchCV(LDMClassifier(), {"class_weight": [None, BOTH]})),
    ],
)
def test_keys_that_would_not_come_back_are_not_saved(model, path):
    with pytest.raises(ModelFileError, match=r"keys of dicts as text.* write 0 and 1"):
        save(model, path)


def test_keys_in_the_table_of_a_search_are_looked_at(path, blobs):
    X, y = blobs
    search = GridSearchCV(LinearLDMClassifier(), {"class_weight": [BOTH]}, cv=2)
    search.fit(X, y > 0).set_params(param_grid={}, estimator=LDMClassifier())
    search.best_estimator_, search.best_params_ = LDMClassifier(), {}
    search.cv_results_["params"] = []
    with pytest.raises(ModelFileError, match=r"keys \[False, True\]"):
        save(search, path)


def test_zero_and_one_do_for_false_and_true(path, blobs):
    X, y = blobs
    machine = LDMClassifier(class_weight={0: 1, 1.0: 30, 2.5: 1, np.int64(7): 2})
    save(machine, path)
    assert load(path).class_weight == machine.class_weight
    truths = LDMClassifier(class_weight=BOTH).fit(X, y > 0).decision_function(X)
    numbers = LDMClassifier(class_weight={0: 1, 1: 30}).fit(X, y > 0).decision_function(X)
    assert_array_equal(numbers, truths)


def doubled(n):
    """Return lists in lists, each holding the one before twice."""
    inner = text_node(1) | {"__id__": 1}
    for k in range(2, n + 2):
        inner = list_node(inner, {"__id__": k - 1}, __id__=k)
    return inner


def hidden():
    """Return the same, each list written twice, the empty one where it counts less."""
    inner = text_node(1) | {"__id__": 1}
    for k in range(2, 26):
        inner = list_node(list_node(__id__=k - 1), inner, list_node(__id__=k - 1), __id__=k)
    return inner


def circle():
    return list_node(list_node({"__id__": 1}, __id__=2), __id__=1)


@pytest.mark.parametrize("schema", [doubled(40), hidden(), circle()])
def test_parts_that_hold_one_another_again_and_again_are_refused(schema, path):
    enclose(archive_of(schema), path)
    with pytest.raises(ModelFileError, match="again and again"):
        load(path)


def test_parts_may_be_shared(path):
    enclose(archive_of(doubled(3)), path)
    assert load(path) == [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]


def test_parts_nested_too_deep_are_refused(path):
    depth = 100_000
    text = '{"content": ' * depth + "1" + "}" * depth
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("schema.json", text)
    enclose(stream.getvalue(), path)
    with pytest.raises(ModelFileError, match="nested too deep"):
        load(path)


ZEROS = np.zeros(10**6, dtype=np.int8)


def many_readers():
    stream = BytesIO()
    np.save(stream, ZEROS[:1000])
    array = node("NdArrayNode", "numpy.ndarray", type="numpy", file="zeros")
    readers = [array | {"__id__": k} for k in range(1, 1000)]
    return archive_of(list_node(*readers), zeros=stream.getvalue())


@pytest.mark.parametrize(
    "payload",
    [
        skops.io.dumps(ZEROS, compression=zipfile.ZIP_DEFLATED),
        skops.io.dumps(sp.csr_matrix((ZEROS, np.zeros_like(ZEROS), [0, len(ZEROS)]))),
        many_readers(),
        archive_of(text_node("x" * 10**6)),
    ],
    ids=["array", "sparse matrix", "many readers", "text"],
)
def test_a_file_that_expands_beyond_all_measure_is_refused(payload, path, monkeypatch):
    enclose(payload, path)
    load(path)
    monkeypatch.setattr(archives, "MAX_ROOM", 5 * 10**5)
    monkeypatch.setattr(archives, "MAX_EXPANSION", 10)
    with pytest.raises(ModelFileError, match="expands to"):
        load(path)


def test_what_would_not_be_loaded_is_not_saved(path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_ROOM", 0)
    with pytest.raises(ModelFileError, match=r"cannot hold .* expands .* joblib\.dump"):
        save([ZEROS], path)


def test_other_packings_are_refused(path):
    enclose(archive_of(text_node(1), zipfile.ZIP_LZMA), path)
    with pytest.raises(ModelFileError, match="packed in a way that save does not use"):
        load(path)


def test_every_scorer_can_be_saved_by_its_name(path):
    scorers = {name: get_scorer(name) for name in get_scorer_names()}
    save(scorers, path)
    loaded = load(path)
    assert {name: repr(one) for name, one in loaded.items()} == {
        name: repr(one) for name, one in scorers.items()
    }


@pytest.mark.parametrize("scoring", ["accuracy", make_scorer(f1_score, average="macro")])
def test_a_search_by_another_score_can_be_saved(scoring, path, iris):
    X, y = iris
    search = GridSearchCV(LinearLDMClassifier(), {"C": [1]}, cv=2, scoring=scoring)
    save(search.fit(X, y), path)
    assert load(path).score(X, y) == search.score(X, y)


@pytest.mark.parametrize(
    "step",
    [
        SelectKBest(k=2),
        SelectKBest(chi2, k=2),
        SelectKBest(mutual_info_classif, k=2),
        make_column_transformer(
            (StandardScaler(), make_column_selector(dtype_include=np.number)),
            (OneHotEncoder(), make_column_selector(dtype_include=object)),
        ),
    ],
)
def test_steps_that_choose_columns_can_be_saved(step, path):
    data = load_iris(as_frame=True)
    pipeline = make_pipeline(step, LinearLDMClassifier()).fit(data.data, data.target)
    save(pipeline, path)
    assert_array_equal(load(path).predict(data.data), pipeline.predict(data.data))


ARGUMENTS = {
    "LeavePGroupsOut": {"n_groups": 2},
    "LeavePOut": {"p": 2},
    "PredefinedSplit": {"test_fold": np.arange(12) // 4},
    **{name: {"n_splits": 2} for name in SPLITTERS if name.endswith("KFold")},
}


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize("name", SPLITTERS)
def test_a_search_with_any_splitter_can_be_saved(name, path, blobs):
    X = blobs[0][:12]
    y, groups = np.arange(12) % 2, np.arange(12) // 4
    splitter = getattr(model_selection, name)(**ARGUMENTS.get(name, {}))
    search = GridSearchCV(LinearLDMClassifier(), {"C": [1]}, cv=splitter)
    search.fit(X, y, groups=groups)
    save(search, path)
    loaded = load(path)
    assert type(loaded.cv) is type(splitter)
    assert loaded.cv.get_n_splits(X, y, groups) == search.n_splits_


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"null",
        b"{}",
        b"",
        b"no JSON",
        b"\xff",
        b"[" * 10**5,
        b'{"model": "", "saved": "", "versions": []}',
        b'{"model": "", "saved": "", "versions": {"numpy": 2}}',
        b'{"model": "", "versions": {}}',
        b'{"saved": "", "versions": {}}',
    ],
    ids=lambda header: header[:50].decode(errors="replace"),
)
def test_a_header_of_another_shape_is_refused(header, path):
    enclose(skops.io.dumps(LDMClassifier()), path, header)
    for function in load, read_header:
        with pytest.raises(ModelFileError, match="its second line should be JSON"):
            function(path)


def test_a_format_of_a_thousand_digits_is_none(path):
    path.write_bytes(MAGIC + b" " + b"9" * 5000 + b" " + b"a" * 64 + b"\n")
    with pytest.raises(ModelFileError, match="not a model file"):
        load(path)


def test_an_earlier_format_asks_for_an_earlier_release(saved, path):
    contents = path.read_bytes()
    path.write_bytes(contents.replace(b"model 1 ", b"model 0 ", 1))
    with pytest.raises(ModelFileError, match=r"format 0; .* the release that wrote it"):
        load(path)
