"""Imports point one way: from what users meet down to plain numerics."""

import ast
from pathlib import Path

import largemargin

SOURCES = Path(largemargin.__file__).parent
# Each room imports from rooms to the right of it only; those in one set stand side by side.
ROOMS = (
    {"cli"},
    {"inspection", "production"},
    {"compared"},
    {"estimators"},
    {"solvers"},
    {"problem"},
    {"designs"},
    {"kernels", "tables"},
    {"numerics"},
)
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
# The table of estimators names all of them but imports none; ``_compat`` stands for
# scikit-learn.
EVERYWHERE = {"_compat"}
# Rows of files know nothing of machines.
ALONE = {"tables": {"numerics"}, "kernels": {"numerics"}}


def modules_imported(path):
    """Return the modules of the library that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.partition(".")[0] == "largemargin"}


def room_of(name):
    """Return the room of a module, or a name that the package itself offers."""
    return name.partition(".")[2].partition(".")[0]


def edges():
    """Yield every import of one room from another: the file, its room, and the other."""
    for path in SOURCES.rglob("*.py"):
        room = path.relative_to(SOURCES).parts[0]
        if room in LEVELS:
            for name in modules_imported(path):
                target = room_of(name)
                if target in LEVELS and target != room:
                    yield path.relative_to(SOURCES), room, target


def test_every_room_has_its_place():
    rooms = {path.name for path in SOURCES.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(LEVELS)
    loose = {path.stem for path in SOURCES.glob("*.py")}
    assert loose == {"__init__", *EVERYWHERE}


def test_no_room_imports_what_stands_above_or_beside_it():
    found = list(edges())
    assert len(found) > 100
    wrong = [
        f"{path} imports {to}" for path, room, to in found if LEVELS[to] <= LEVELS[room]
    ]
    assert wrong == []


def test_kernels_and_tables_know_numerics_only():
    wrong = [
        f"{path} imports {to}"
        for path, room, to in edges()
        if room in ALONE and to not in ALONE[room]
    ]
    assert wrong == []


def test_what_the_whole_package_offers_is_asked_for_at_its_top_only():
    askers = {
        path.relative_to(SOURCES).parts[0]
        for path in SOURCES.rglob("*.py")
        for name in modules_imported(path)
        if room_of(name) not in {*LEVELS, *EVERYWHERE}
    }
    assert askers <= {"cli", "production"}
