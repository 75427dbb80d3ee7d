"""The data sets from the shell: listed, and written to files."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_svmlight_file

from study import datasets
from study.datasets import __main__ as datasets_command

COMMAND = [sys.executable, "-m", "study.datasets"]


@pytest.fixture
def program():
    return datasets_command.main


@pytest.mark.parametrize("name", ["", "list", "get"])
def test_every_help_text_has_an_example(good, name):
    told = good(*name.split(), "-h").out
    assert f"Example: python -m study.datasets {name}" in told


def test_datasets_are_listed(good):
    lines = good("list", "--scale", "regular").out.splitlines()
    assert lines[0].split() == ["name", "rows", "features", "scale", "task"]
    assert [line.split()[0] for line in lines[1:]] == list(datasets.names("regular"))
    records = good("list", "--json").record["datasets"]
    assert [record["name"] for record in records] == list(datasets.names())


@pytest.mark.parametrize("ending", ["libsvm", "libsvm.gz"])
def test_a_data_set_is_written_as_libsvm_text(good, tmp_path, ending):
    path = tmp_path / f"cancer.{ending}"
    good("get", "wdbc", "-o", path, "--no-download")
    X, y = load_svmlight_file(str(path))
    data = datasets.load("wdbc", download=False)
    np.testing.assert_array_equal(X.toarray(), data.X)
    np.testing.assert_array_equal(y, data.y)


def test_a_data_set_that_is_not_known_is_refused(refused):
    assert "Did you mean 'sonar'?" in refused("get", "sonr")


def test_a_data_set_may_go_to_standard_output_from_any_directory(good, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    told = good("get", "wdbc", "-o", "-", "--no-download", "--json")
    assert len(told.out.splitlines()) == 569
    assert json.loads(told.err)["rows"] == 569


@pytest.mark.parametrize("name", ["wdbc.csv", "wdbc.npz", "wdbc.csv.gz"])
def test_libsvm_text_is_not_to_be_called_a_table(refused, tmp_path, name):
    told = refused("get", "wdbc", "-o", tmp_path / name, code=2)
    assert "will hold LIBSVM text" in told
    assert not list(tmp_path.iterdir())


def test_a_data_set_that_is_not_there_is_told_in_options(refused):
    told = refused("get", "sonar", "-o", "-", "--no-download")
    assert "--no-download was given" in told
    assert "download=" not in told


def test_a_warning_is_told_though_standard_output_has_the_results(monkeypatch, program):
    def warn(*arguments):
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
        return []

    monkeypatch.setattr(datasets, "names", warn)
    told = CliRunner().invoke(program, ["list", "--json"])
    assert told.stderr == "largemargin: warning: mind the gap\n"
    assert told.stdout == '{"datasets": []}\n'


def run(place, *arguments):
    """Run the command as a process in a directory."""
    return subprocess.run(
        [*COMMAND, *arguments], cwd=place, capture_output=True, text=True, check=False
    )


def test_the_command_runs(tmp_path):
    told = run(tmp_path, "get", "wdbc", "-o", "wdbc.libsvm", "--no-download")
    assert told.returncode == 0, told.stderr
    assert "569" in told.stdout
    assert "Traceback" not in told.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["wdbc.libsvm"]


def test_what_is_wrong_is_one_sentence_and_the_code_1(tmp_path):
    told = run(tmp_path, "get", "no-such-set")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("largemargin: ")
    assert "no-such-set" in told.stderr
    assert told.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_in_one_sentence():
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [*COMMAND, "list"],
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert told.returncode == 1
    assert told.stderr == "largemargin: No space left on device.\n"


def test_a_reader_who_has_had_enough_is_no_error():
    with subprocess.Popen(
        [*COMMAND, "list"],
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
