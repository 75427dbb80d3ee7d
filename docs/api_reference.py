"""The page of the API reference, generated from the lists of public names.

``docs/conf.py`` writes it before each build, so a new name of ``largemargin.__all__`` is on
it without an edit here.
"""

import inspect
from pathlib import Path
from types import ModuleType

import largemargin
from largemargin import tables

# Titles of the rooms that public names come from, in the order of the page.
TITLES = {
    "estimators": "Large margin distribution machines",
    "compared": "Methods it is compared with",
    "inspection": "Inspection",
    "production": "Production",
}
HEADER = """\
# API reference

Names are imported from `largemargin`, as in `from largemargin import LDMClassifier`. Two
modules have names of their own: `from largemargin import model_files, tables`.

Estimators follow the conventions of scikit-learn: `fit`, `predict`, `decision_function`,
`get_params`, pipelines and searches work as they do there. The words that are our own are
in the [glossary](../glossary.md).
"""


def write_reference(path: Path) -> None:
    """Write the page, unless it is up to date: Sphinx reads what is newer again."""
    text = reference()
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def reference() -> str:
    """Return the page in MyST: one section for each room and each public module."""
    rooms: dict[str, list[str]] = {title: [] for title in TITLES.values()}
    for name in largemargin.__all__:
        thing = getattr(largemargin, name)
        if not inspect.ismodule(thing):
            room = room_of(thing)
            rooms.setdefault(TITLES.get(room, room.capitalize()), []).append(name)
    sections = [section(title, "largemargin", names) for title, names in rooms.items()]
    sections += [
        section(f"`{name}`", name, sorted(module.__all__))
        for name, module in public_modules().items()
    ]
    return "\n".join([HEADER, *sections])


def public_modules() -> dict[str, ModuleType]:
    """Return the modules that are public as such, by the names that users know."""
    named = {name: getattr(largemargin, name) for name in largemargin.__all__}
    named["tables"] = tables
    return {f"largemargin.{name}": x for name, x in named.items() if inspect.ismodule(x)}


def room_of(thing) -> str:
    """Return the directory of the package that a class or function is defined in."""
    package = Path(largemargin.__file__).parent
    return Path(inspect.getfile(thing)).relative_to(package).parts[0]


def section(title, module, names) -> str:
    """Return a section with a table of names, each with a page of its own."""
    lines = [f"## {title}", "", "```{eval-rst}", f".. currentmodule:: {module}", ""]
    lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
    lines += [f"   {name}" for name in names]
    return "\n".join([*lines, "```", ""])
