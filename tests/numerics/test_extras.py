"""Modules of optional dependencies are loaded, or the message says what to install."""

import json.decoder

import pytest

from largemargin.numerics.extras import optional_module


def test_a_module_that_is_there_is_returned():
    assert optional_module("json.decoder", "Readers", "all") is json.decoder


def test_a_module_that_is_missing_is_named_with_its_extra():
    words = r"^Displays need nowhere: pip install 'largemargin\[plot\]'\.$"
    with pytest.raises(ImportError, match=words):
        optional_module("nowhere.at_all", "Displays", "plot")
