"""Tests stand where a newcomer looks for them: tests/ mirrors src/largemargin."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCES = TESTS.parent / "src" / "largemargin"
HEART = "problem", "solvers", "designs", "kernels", "numerics"


def modules_of(room):
    """Return the modules of a room by their places, ``__init__`` left out."""
    paths = (SOURCES / room).rglob("*.py")
    places = {path.relative_to(SOURCES) for path in paths if path.stem != "__init__"}
    return sorted(places)


@pytest.mark.parametrize("room", HEART)
def test_every_module_of_the_heart_has_a_test_file_of_its_name(room):
    modules = modules_of(room)
    assert modules
    missing = [
        place.as_posix()
        for place in modules
        if not (TESTS / place.with_name(f"test_{place.name}")).is_file()
    ]
    assert missing == []


def test_every_room_has_its_tests():
    rooms = {path.parent.relative_to(SOURCES) for path in SOURCES.rglob("*.py")}
    missing = [room for room in rooms if not list((TESTS / room).rglob("test_*.py"))]
    assert missing == []
