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
    code = "import sys, largemargin; {}; print(*sys.modules)"

    def loaded(statement):
        arguments = [sys.executable, "-c", code.format(statement)]
        return subprocess.run(arguments, capture_output=True, text=True).stdout.split()

    assert "numba" not in loaded("pass")
    with_machine = loaded("largemargin.LDMClassifier")
    assert "largemargin.estimators.kernel" in with_machine
    assert "largemargin.displays" not in with_machine
    assert "matplotlib" not in with_machine
