"""What the package offers by name."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import largemargin


def test_every_public_name_is_there():
    for name in largemargin.__all__:
        assert getattr(largemargin, name).__name__.rpartition(".")[2] == name
        assert name in dir(largemargin)
    with pytest.raises(AttributeError, match="has no attribute 'SVC'"):
        _ = largemargin.SVC


def test_what_is_not_used_is_not_loaded():
    code = "import sys, largemargin; {}; print(*sys.modules)"

    def loaded(statement):
        arguments = [sys.executable, "-c", code.format(statement)]
        return subprocess.run(arguments, capture_output=True, text=True).stdout.split()

    assert "numba" not in loaded("pass")
    assert "sklearn" not in loaded("import largemargin.production.files")
    with_machine = loaded("largemargin.LDMClassifier")
    assert "largemargin.estimators.ldm" in with_machine
    assert "largemargin.inspection.displays" not in with_machine
    # Compiled loops wait for the first fit; the others are for some users only.
    assert not {"numba", "matplotlib", "skops", "click"} & set(with_machine)


def imports_of(path):
    """Yield the names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def library_files():
    return list(Path(largemargin.__file__).parent.rglob("*.py"))


def test_numba_is_imported_in_one_place_which_waits_for_the_first_loop():
    users = [path.name for path in library_files() if "numba" in imports_of(path)]
    assert users == ["jit.py"]


def test_the_library_does_not_import_what_uses_it():
    files = library_files()
    imported = {name.split(".")[0] for path in files for name in imports_of(path)}
    assert {"largemargin", "numpy"} <= imported
    assert not {"study", "benchmarks", "fuzz"} & imported
