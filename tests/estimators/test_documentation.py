"""Every class describes all of its parameters and attributes, each in the same words."""

import inspect
import re
import subprocess
import sys

import pytest

import largemargin
from every_estimator import some
from largemargin.estimators.documentation import (
    SECTION,
    described_like,
    entries_of,
    names_in,
)
from largemargin.estimators.table import ALONE, SEARCHES

ALL = pytest.mark.parametrize("name", ALONE | SEARCHES)


def documented(cls, title):
    """Return the entries of a section by name."""
    sections = dict(SECTION.findall(inspect.getdoc(cls)))
    return {
        name: entry for entry in entries_of(sections[title]) for name in names_in(entry)
    }


@ALL
def test_all_parameters_are_described_in_order_with_their_defaults(name):
    cls = getattr(largemargin, name)
    entries = documented(cls, "Parameters")
    parameters = inspect.signature(cls).parameters
    assert list(entries) == list(parameters)
    for parameter in parameters.values():
        shown = re.search(r"default=([^\n]+)", entries[parameter.name])[1]
        default = eval(shown, {"numpy": __import__("numpy")})
        assert default == parameter.default or default != default


@ALL
def test_all_fitted_attributes_are_described(name, iris):
    X, y = iris
    cls, model = getattr(largemargin, name), some(name).fit(X, y)
    entries = documented(cls, "Attributes")
    fitted = {one for one in vars(model) if one.endswith("_") and not one.startswith("_")}
    assert fitted <= set(entries)
    assert all("\n    " in entry for entry in entries.values())


def test_names_are_replaced_by_the_first_description_and_the_rest_stays():
    class First:
        """One.

        Parameters
        ----------
        a : int, default=1
            The a.

        b, c : int
            Both.
        """

    @described_like(First)
    class Second:
        """Two.

        Parameters
        ----------
        b, c, a

        d : float
            The d.

        Notes
        -----
        a, b
        """

    assert Second.__doc__.splitlines() == [
        "Two.",
        "",
        "Parameters",
        "----------",
        "b, c : int",
        "    Both.",
        "",
        "a : int, default=1",
        "    The a.",
        "",
        "d : float",
        "    The d.",
        "",
        "Notes",
        "-----",
        "a, b",
    ]


def test_a_name_without_a_description_is_refused():
    class Second:
        """Two.

        Attributes
        ----------
        nowhere_
        """

    with pytest.raises(KeyError, match="nowhere_"):
        described_like(Second)(Second)


def test_classes_can_be_defined_without_docstrings():
    code = "from largemargin import LinearLDMClassifierCV as c; print(c.__doc__)"
    told = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True
    )
    assert told.stdout.strip() == "None"
