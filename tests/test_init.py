"""What the package offers by name."""

import subprocess
import sys

import pytest

import largemargin


def test_every_public_name_is_there():
    for name in largemargin.__all__:
        assert getattr(largemargin, name).__name__ == name
        assert name in dir(largemargin)
    with pytest.raises(AttributeError, match="has no attribute 'SVC'"):
        _ = largemargin.SVC


def test_what_is_not_used_is_not_loaded():
    code = "import sys, largemargin; print(*(m for m in sys.modules if 'largemargin' in m))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = said.stdout.split()
    assert "largemargin.estimators.kernel" in loaded
    assert "largemargin.plotting" not in loaded
    assert "matplotlib" not in loaded
