"""Files whose digest is right and whose contents are not run no code and crash nothing."""

import json
import os
import zipfile
from io import BytesIO

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
import skops.io._protocol
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from largemargin import LinearLDMRegressor
from largemargin.kernels.functions import Kernel
from largemargin.production.model_files import (
    FORMAT,
    MAGIC,
    ModelFileError,
    archives,
    digest,
    load,
    read_header,
    save,
)
from largemargin.production.model_files.archives import Unsound
from largemargin.production.model_files.contents import check_sound
from largemargin.production.model_files.trust import public_names
from machines import fixed_ldm, fixed_linear_ldm, fixed_regressor

HEADER = b'{"model": "", "saved": "", "versions": {}}'


def forge(model, path):
    """Write a file as ``save`` does, with no questions asked."""
    enclose(archives.checked_archive(skops.io.dumps(model), public_names()), path)


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


@pytest.mark.parametrize("function", [os.system, eval, node])
def test_a_forged_file_is_refused_by_the_name_of_what_it_smuggles(function, path):
    forge(make_pipeline(FunctionTransformer(function), fixed_ldm()), path)
    with pytest.raises(ModelFileError, match=rf"not trusted: .*\.{function.__name__}"):
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


def old_node(name):
    """Return a node of a class of ours that is named as 0.1.0 did."""
    return node("ObjectNode", name, content=dict_node(list_node(), {}))


@pytest.mark.parametrize("name", ["kernels.np", "solvers.asgd.Kernel", "kernels"])
def test_only_names_that_0_1_0_wrote_stand_for_others(name, path):
    enclose(archive_of(list_node(old_node(f"largemargin.{name}"))), path)
    with pytest.raises(ModelFileError, match=f"not trusted: largemargin.{name}"):
        load(path)


def test_an_old_name_lets_nothing_else_in(path):
    smuggled = node("FunctionNode", "os.system")
    enclose(
        archive_of(list_node(old_node("largemargin.kernels.Kernel"), smuggled)),
        path,
    )
    with pytest.raises(ModelFileError, match=r"not trusted: os\.system"):
        load(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("last", ["largemargin.kernels.Kernel", "os.system"])
def test_of_two_schemas_the_one_that_is_checked_is_loaded(last, path):
    names = ["largemargin.kernels.Kernel", "os.system"]
    stream = BytesIO(archive_of(old_node(names[last == names[0]])))
    with zipfile.ZipFile(BytesIO(archive_of(old_node(last)))) as other:
        schema = other.read("schema.json")
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("schema.json", schema)
    enclose(stream.getvalue(), path)
    if last == "os.system":
        with pytest.raises(ModelFileError, match=r"not trusted: os\.system"):
            load(path)
    else:
        assert type(load(path)) is Kernel


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
    machine = fixed_ldm().fit(sp.csr_array(X), y)
    change(machine.support_vectors_)
    forge({"inside": [machine]}, path)
    with pytest.raises(ModelFileError, match=r"on purpose.* its csr_array is broken"):
        load(path)


def shorten(machine):
    machine.support_vectors_ = machine.support_vectors_[:, :1]


def forget_width(machine):
    del machine.n_features_in_


@pytest.mark.parametrize("change", [shorten, forget_width])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_support_vectors_shorter_than_the_rows_to_score_are_refused(
    change, kind, path, iris
):
    X, y = iris
    machine = fixed_ldm().fit(kind(X), y)
    change(machine)
    save(machine, path)
    with pytest.raises(ModelFileError, match=r"on purpose.* its LDMClassifier is broken"):
        load(path)


def test_indices_that_are_no_integers_are_refused():
    rows = sp.csr_array(np.eye(3))
    rows.indices = np.full(3, np.nan)
    with pytest.raises(Unsound, match="no integers"):
        check_sound([rows])


@pytest.mark.parametrize("name", ["v", "u", "scalars"])
@pytest.mark.parametrize("array", [np.zeros(1), np.zeros(4, dtype=np.int8)])
@pytest.mark.parametrize("task", ["Classifier", "Regressor"])
def test_a_stream_with_wrong_arrays_is_refused(name, array, task, path, blobs):
    if task == "Classifier":
        machine = fixed_linear_ldm().partial_fit(*blobs, [-1, 1])
    else:
        machine = fixed_regressor(LinearLDMRegressor).partial_fit(*blobs)
    setattr(machine._descents[0], name, array)
    forge(make_pipeline(StandardScaler(), machine), path)
    with pytest.raises(ModelFileError, match=f"its LinearLDM{task} is broken"):
        load(path)


def narrow(machine):
    machine.coef_ = machine.coef_[:, :1]


def lose_width(machine):
    del machine.n_features_in_


def take_another_for_a_run(machine):
    machine._descents = [fixed_ldm()]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (narrow, "the wrong lengths"),
        (lose_width, "n_features_in_"),
        (take_another_for_a_run, "a run is a LDMClassifier"),
    ],
)
def test_a_machine_from_which_no_stream_can_go_on_is_refused(change, told, path, blobs):
    machine = fixed_linear_ldm().fit(*blobs)
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
    enclose(skops.io.dumps(fixed_ldm()), path, header)
    for function in load, read_header:
        with pytest.raises(ModelFileError, match="its second line should be JSON"):
            function(path)


def test_a_format_of_a_thousand_digits_is_none(path):
    path.write_bytes(MAGIC + b" " + b"9" * 5000 + b" " + b"a" * 64 + b"\n")
    with pytest.raises(ModelFileError, match="not a model file"):
        load(path)


def test_a_file_copied_as_text_is_an_altered_model_file(saved, path):
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(ModelFileError, match=r"cut short or altered .* Copy or save it"):
        load(path)


@pytest.mark.parametrize("line", [b"%s 2 %s\r", b"%s  2\t%s", b"%s2 %s "])
def test_white_space_in_the_first_line_does_not_matter(line, saved, path):
    _, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(line % (MAGIC, digest(rest)) + b"\n" + rest)
    assert read_header(path)["model"] == type(load(path)).__name__
