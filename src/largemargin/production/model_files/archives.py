"""Archives of models, checked before skops reads them."""

import json
import math
from collections import defaultdict
from io import BytesIO
from numbers import Real
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from largemargin.numerics.memory import MAX_EXPANSION, MAX_ROOM
from largemargin.production.model_files.trust import trusted_functions


class Unsound(Exception):
    """A file holds what ``save`` never writes."""


def checked_archive(payload, names, **compression):
    """Return an archive with its classes renamed and, with options, compressed again.

    Raises Unsound if it calls functions, or would take far more memory or time to read than
    its length suggests.
    """
    limit = max(MAX_ROOM, MAX_EXPANSION * len(payload))
    with ZipFile(BytesIO(payload)) as archive:
        entries = archive.infolist()
        if any(one.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for one in entries):
            raise Unsound("it is packed in a way that save does not use")
        check_unpacked(sum(one.file_size for one in entries), limit)
        text = archive.read("schema.json")
        try:
            schema = json.loads(text)
            nodes = list(dicts_in(schema))
            n_visits = count_visits(schema, nodes)
        except RecursionError:
            raise Unsound("its parts are nested too deep") from None
        # A node takes about a hundred characters, so a sound file has far fewer visits.
        if n_visits > len(text):
            raise Unsound("its parts hold one another again and again")
        renamed = [node for node in nodes if class_in(node) in names]
        for node in renamed:
            node["__module__"], _, node["__class__"] = names[class_in(node)].rpartition(".")
        for node in nodes:  # skops would call a function in the place of a class
            is_function = class_in(node) in trusted_functions()
            if is_function and node.get("__loader__") != "FunctionNode":
                raise Unsound(f"it calls {class_in(node)}")
        check_unpacked(room_of_arrays(nodes, archive), limit)
        if not (renamed or compression):
            return payload
        return with_schema(archive, schema, **compression)


def class_in(node):
    """Return the full name of the class in a node, or None if it is no node."""
    parts = node.get("__module__"), node.get("__class__")
    return ".".join(parts) if all(isinstance(part, str) for part in parts) else None


def with_schema(archive, schema, **compression):
    """Return a copy of an archive with another schema."""
    stream = BytesIO()
    with ZipFile(stream, "w", **compression) as copy:
        # Of entries with the same name, this copies the one that was checked.
        for name in sorted({*archive.namelist()} - {"schema.json"}):
            copy.writestr(name, archive.read(name))
        copy.writestr("schema.json", json.dumps(schema))
    return stream.getvalue()


def check_unpacked(room, limit):
    """Raise if an archive expands to more bytes than the limit."""
    if room > limit:
        raise Unsound(
            f"it expands to {room / 2**30:.1f} GiB; a model file of its length expands "
            f"to {limit / 2**30:.1f} GiB at most"
        )


def count_visits(schema, nodes):
    """Return how many nodes skops visits; it visits repeated nodes again and again.

    The ``__id__`` of a node may stand for it elsewhere. Of several nodes with the same
    ``__id__`` the largest is counted, since any of them may be the one that skops takes.
    """
    written, counts = defaultdict(list), {}
    for node in nodes:
        if isinstance(node.get("__id__"), str | Real):
            written[node["__id__"]].append(node)

    def count(part):
        if isinstance(part, list):
            return sum(map(count, part))
        if not isinstance(part, dict):
            return 0
        name = part.get("__id__")
        if not isinstance(name, str | Real):
            return 1 + sum(map(count, part.values()))
        if name not in counts:
            counts[name] = math.inf  # stays if the node holds itself
            inner = max(sum(map(count, node.values())) for node in written[name])
            counts[name] = 1 + inner
        return counts[name]

    return count(schema)


def room_of_arrays(nodes, archive):
    """Return the bytes that all arrays expand to; several nodes may read the same entry."""
    reads = {
        (str(node.get("__id__", -k)), node["file"], node.get("__loader__"))
        for k, node in enumerate(nodes)
        if isinstance(node.get("file"), str)
    }
    room = 0
    for _, file, loader in reads:
        entries = [archive.getinfo(file)]
        if loader == "SparseMatrixNode":  # the entry is an archive itself
            with ZipFile(BytesIO(archive.read(file))) as inner:
                entries = inner.infolist()
        room += sum(one.file_size for one in entries)
    return room


def dicts_in(schema):
    """Yield all dicts in parsed JSON."""
    rest = [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            yield part
            rest.extend(part.values())
        elif isinstance(part, list):
            rest.extend(part)
