"""What editors and type checkers know of a package whose names are loaded lazily."""

import ast
from pathlib import Path

import jedi

import largemargin

STUB = Path(largemargin.__file__).with_suffix(".pyi")


def completions(code):
    lines = code.splitlines()
    return [one.name for one in jedi.Script(code).complete(len(lines), len(lines[-1]))]


def test_editors_complete_the_public_names():
    found = completions("from largemargin import L")
    expected = [name for name in largemargin.__all__ if name.lower().startswith("l")]
    assert sorted(found) == sorted(expected)


def test_editors_show_the_parameters_of_an_estimator():
    code = "from largemargin import LDMClassifier\nLDMClassifier("
    (signature,) = jedi.Script(code).get_signatures(2, len("LDMClassifier("))
    shown = {parameter.name for parameter in signature.params} - {"*"}
    assert shown == set(largemargin.LDMClassifier().get_params())


def test_type_checkers_know_the_public_names_and_where_they_are():
    imports = [one for one in ast.parse(STUB.read_text()).body if hasattr(one, "names")]
    places = {alias.asname: node.module for node in imports for alias in node.names}
    expected = {name: f"largemargin.{largemargin._MODULES[name]}" for name in places}
    assert sorted(places) == largemargin.__all__
    assert places == expected


def test_the_package_declares_that_it_is_typed():
    assert STUB.with_name("py.typed").exists()
