"""Docstrings that take the descriptions of shared parameters from elsewhere.

Each parameter and attribute is described once. Other classes and methods have its name
only, and the description is inserted when they are defined.
"""

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

Documented = TypeVar("Documented")
# The title of a section, its body, and what comes before the next title or the end.
SECTION = re.compile(r"(?ms)^(Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)")


def described_like(*others: object) -> Callable[[Documented], Documented]:
    """Return a decorator that replaces lists of names by the descriptions of others.

    In the sections "Parameters" and "Attributes", a line such as ``tol, max_iter`` without
    a type is replaced by the entries of these names in the docstrings of ``others``, of
    which the first counts.
    """
    known: dict[str, str] = {}
    for other in reversed(others):
        for _, body in SECTION.findall(inspect.cleandoc(other.__doc__ or "")):
            described = [entry for entry in entries_of(body) if ":" in entry]
            known |= {name: entry for entry in described for name in names_in(entry)}

    def filled(section: re.Match) -> str:
        title, body = section.groups()
        found: list[str] = []
        for entry in entries_of(body):
            found += [entry] if ":" in entry else map(known.__getitem__, names_in(entry))
        return f"{title}\n{'-' * len(title)}\n" + "\n\n".join(dict.fromkeys(found)) + "\n\n"

    def decorate(thing: Documented) -> Documented:
        if thing.__doc__:  # Python -OO removes docstrings.
            thing.__doc__ = SECTION.sub(filled, inspect.cleandoc(thing.__doc__))
        return thing

    return decorate


def entries_of(body: str) -> list[str]:
    """Return the entries of a section: lines without indentation, and what is below."""
    return [entry.rstrip() for entry in re.split(r"\n+(?=\w)", body.strip("\n"))]


def names_in(entry: str) -> list[str]:
    """Return the names that an entry begins with."""
    return re.findall(r"\w+", entry.partition(" :")[0])
