"""Sphinx configuration: ``make docs`` builds the pages offline, warnings are errors."""

import inspect
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import largemargin  # noqa: E402
from docs.api_reference import public_modules, write_reference  # noqa: E402

write_reference(HERE / "api" / "index.md")
# Sphinx imports names from the modules that users know, wherever their code is.
sys.modules.update(public_modules())

project = "largemargin"
author = "the largemargin developers"
release = version = largemargin.__version__
language = "en_GB"
smartquotes = False  # words such as "scale" are to be copied

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "study/table*.md", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "copyfile_regex": "",
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": float("inf"),
}

html_theme = "pydata_sphinx_theme"
html_title = f"largemargin {release}"
html_static_path = ["_static"]
html_css_files = ["largemargin.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "largemargin"},
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}
copyright = "2026, the largemargin developers, BSD 3-Clause licence"

# Metadata routing of scikit-learn, the same for every estimator.
ROUTING = re.compile(r"get_metadata_routing|set_\w+_request")
# References of inherited docstrings to pages of scikit-learn.
REFERENCE = re.compile(r":ref:`([^`<]+?)\s*(?:<[^`]*>)?`")
# A shape such as (n_features_in_,), whose last underscore would be a link.
SHAPE = re.compile(r"\((\w+_),\)")


def plain_docstring(app, what, name, obj, options, lines):
    """Join continued lines, and keep only the words of what has no page here."""
    text = re.sub(r"\s*\\\n\s+", " ", "\n".join(lines))
    text = SHAPE.sub(r"(``\1``,)", REFERENCE.sub(r"\1", text))
    lines[:] = text.split("\n")


def skip_routing(app, what, name, obj, skip, options):
    """Leave the methods of metadata routing out; None asks the others."""
    return True if ROUTING.fullmatch(name) else None


def signature_of_class(app, what, name, thing, options, signature, returned):
    """Show the parameters of ``__init__``; Sphinx would show those of ``__new__``."""
    if what == "class" and signature is not None:
        without_types = [
            one.replace(annotation=one.empty)
            for one in inspect.signature(thing).parameters.values()
        ]
        return str(inspect.Signature(without_types)), None
    return None


def setup(app):
    """Connect the functions above, the first before numpydoc reads the docstring."""
    app.connect("autodoc-process-docstring", plain_docstring, priority=100)
    app.connect("autodoc-process-signature", signature_of_class)
    app.connect("autodoc-skip-member", skip_routing)
