import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import dump_svmlight_file, make_blobs

from largemargin.cli import terminal
from study import __main__ as study_command
from study import run_study, runner, sources_of_files
from study.__main__ import main, summarise
from study.runner import Outcome
from study.store import Store
from study.tasks import Source, Task, perform

PLAIN = "--sets", "none", "--methods", "svm,mamc", "--kernels", "linear", "--jobs", "2"


@pytest.fixture
def cells(tmp_path):
    X, y = make_blobs([60, 40], 3, cluster_std=5.0, random_state=0)
    path = tmp_path / "cells.libsvm"
    dump_svmlight_file(X, np.where(y == 1, 1, -1), str(path))
    return path


@pytest.fixture
def output(tmp_path):
    return tmp_path / "study"


def call(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def started(*arguments):
    """Start the command in a process group of its own, as a terminal does."""
    command = [sys.executable, "-m", "study", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, start_new_session=True, **pipes)


@pytest.mark.usefixtures("in_this_process")
def test_an_interrupted_run_keeps_its_results_and_the_same_command_goes_on(cells, output):
    options = *PLAIN, "--file", cells, "--repetitions", 8, "--output", output
    store, process = Store(output), started(*options)
    while process.poll() is None and len(store.results()) < 3:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    text, _ = process.communicate()
    assert process.returncode == 130
    assert "run the same command to resume" in text
    assert "Traceback" not in text
    kept = store.results()
    assert 3 <= len(kept) < 32
    told = call(*options)
    assert told.exit_code == 0, told.output
    assert f"{32 - len(kept)} new results" in told.output
    assert set(map(repr, kept)) <= set(map(repr, store.results()))
    assert (output / "report.md").exists()


def test_results_do_not_depend_on_the_process_they_come_from(cells, output):
    options = *PLAIN, "--file", cells, "--repetitions", 1, "--output", output
    call(*options, "--jobs", 1)
    results = Store(output).results()
    assert len(results) == 4
    source = Source("cells", path=str(cells))
    for there in results:
        task = Task(source, there.protocol, there.kernel, there.method, there.repetition)
        here = perform(task)
        assert replace(here, cpu_seconds=None) == replace(there, cpu_seconds=None)


def test_a_worker_that_dies_is_told_and_the_others_go_on(cells, output, monkeypatch):
    def dies_in_one(task):
        if task.key == ("paper", "cells", "linear", "svm", 0):
            os._exit(1)
        return perform(task)

    monkeypatch.setattr(runner, "perform", dies_in_one)
    options = *PLAIN, "--file", cells, "--repetitions", 3, "--output", output
    told = call(*options, "--jobs", 1)
    assert told.exit_code == 1
    words = "failed: cells, paper protocol, linear kernel, SVM, repetition 0"
    assert told.output.count(words) == 1
    assert len(Store(output).results()) == 11


def test_failures_for_the_same_reason_are_told_together(capsys):
    failures = [("one", "ValueError: a"), ("two", "OSError: b"), ("three", "ValueError: a")]
    summarise(Outcome(failures=failures), "study", downloaded=False)
    assert capsys.readouterr().err.splitlines() == [
        "failed: one and 1 more: ValueError: a",
        "failed: two: OSError: b",
    ]


@pytest.mark.usefixtures("in_this_process")
def test_a_missing_set_is_told_and_is_no_failure(output, tmp_path):
    told = call("--sets", "kdd2010", "--data", tmp_path, "--output", output, "--jobs", 1)
    assert told.exit_code == 0, told.output
    assert "missing: kdd2010" in told.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sets", "sonr"], "sonar"),
        (["--methods", "ldn"], "Did you mean 'ldm'?"),
        (["--kernels", "rbff"], "Did you mean 'rbf'?"),
        (["--protocol", "papers"], "Did you mean 'paper'?"),
        (["--scale", "larg"], "Did you mean 'large'?"),
        (["--repetitions", "0"], "1 or more; got 0"),
        (["--file", "nowhere.csv"], "nowhere.csv"),
        (["report"], "run the study first"),
    ],
)
def test_wrong_input_is_an_error_with_the_way_out(arguments, words, output):
    told = call(*arguments, "--output", output)
    assert told.exit_code == 1
    assert words in told.output
    assert not output.exists()


def test_labels_that_are_not_binary_are_an_error_before_anything_is_run(tmp_path, output):
    path = tmp_path / "three.csv"
    path.write_text("a,class\n" + "".join(f"{k},{'xyz'[k % 3]}\n" for k in range(30)))
    told = call(*PLAIN, "--file", path, "--output", output)
    assert told.exit_code == 1
    assert "three.csv" in told.output
    assert not output.exists()


def test_a_file_too_small_to_be_halved_is_an_error_before_anything_is_run(tmp_path, output):
    path = tmp_path / "small.csv"
    path.write_text("a,class\n" + "".join(f"{k},{k % 2}\n" for k in range(8)))
    told = call(*PLAIN, "--file", path, "--output", output)
    assert told.exit_code == 1
    assert "small is too small to be halved" in told.output
    assert not output.exists()


def test_a_label_is_that_of_csv_files_and_others_may_be_beside_them(cells, tmp_path):
    path = tmp_path / "table.CSV"
    path.write_text("class,a\n" + "".join(f"{k % 2},{k}.5\n" for k in range(20)))
    sources = sources_of_files([cells, path], "class")
    assert [(source.name, source.label) for source in sources] == [
        ("cells", None),
        ("table", "class"),
    ]


def test_a_file_with_the_name_of_a_known_set_is_refused(cells, output):
    path = cells.rename(cells.parent / "heart.libsvm")
    told = call(*PLAIN, "--file", path, "--output", output)
    assert told.exit_code == 1
    assert "Rename the file" in told.output


def test_a_store_in_use_is_refused(cells, output):
    with Store(output):
        told = call(*PLAIN, "--file", cells, "--output", output)
    assert told.exit_code == 1
    assert "another run" in told.output


@pytest.mark.usefixtures("in_this_process")
def test_a_run_may_be_told_as_json_and_goes_on_without_a_word(cells, output):
    options = *PLAIN, "--file", cells, "--output", output
    told = call(*options, "--repetitions", 1, "--json")
    assert told.exit_code == 0, told.output
    assert told.stderr == ""
    report = str(output / "report.md")
    nothing_else = {"report": report, "missing": {}, "left out": [], "failed": []}
    facts = {"new results": 4, "results": 4, **nothing_else}
    assert json.loads(told.stdout) == facts
    assert call(*options, "--repetitions", 2, "--quiet").output == ""
    facts = {"new results": 0, "results": 8, **nothing_else}
    assert json.loads(call(*options, "--repetitions", 2, "--json").stdout) == facts


@pytest.mark.usefixtures("in_this_process")
def test_a_report_may_be_told_as_json_or_not_at_all(cells, output):
    call(*PLAIN, "--file", cells, "--repetitions", 1, "--output", output)
    files = call("report", "--output", output).stdout.splitlines()
    assert str(output / "report.md") in files
    told = json.loads(call("report", "--output", output, "--json").stdout)
    assert told == {"results": 4, "report": str(output / "report.md"), "files": files}
    assert call("report", "--output", output, "--quiet").output == ""


def test_what_failed_is_told_to_machines_and_to_the_quiet(monkeypatch, output):
    outcome = Outcome(missing={"rcv1": "not there"}, failures=[("sonar", "OSError: b")])
    monkeypatch.setattr(study_command, "run_study", lambda *where, **options: outcome)
    told = call("--output", output, "--json")
    assert told.exit_code == 1
    record = json.loads(told.stdout)
    assert record["missing"] == {"rcv1": "not there"}
    assert record["failed"] == [{"task": "sonar", "reason": "OSError: b"}]
    told = call("--output", output, "-q")
    assert told.exit_code == 1
    assert told.output == "failed: sonar: OSError: b\n"


def test_the_bar_tells_the_data_set(monkeypatch):
    moves = []

    def note(done, total, title=None):
        moves.append((done, total, title))

    monkeypatch.setattr(terminal, "bar", lambda title, quiet: nullcontext(note))
    with study_command.bar(quiet=False) as move:
        move(0, 2, None)
        move(1, 2, Task(Source("heart"), "paper", "linear", "svm", 0))
    assert moves == [(0, 2, "study"), (1, 2, "heart")]


def test_importing_the_study_leaves_the_extras_alone():
    program = (
        "import sys, study, study.runner\n"
        "print({'click', 'matplotlib'} & set(sys.modules))\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout == "set()\n"


@pytest.fixture
def program():
    return main


def test_the_help_text_has_an_example_and_json(good):
    told = good("-h").out
    assert "Example: python -m study" in told
    assert "--json" in told


def test_what_goes_wrong_is_told_as_by_other_commands(refused, output):
    assert "run the study first" in refused("report", "--output", output)


def test_the_study_runs_as_a_process_in_any_directory(tmp_path, output, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process = started("--sets", "none", "--methods", "mamc", "--output", output)
    text, _ = process.communicate()
    assert process.returncode == 0, text
    assert "0 new results" in text
    assert "Traceback" not in text


def test_a_process_ends_with_one_sentence_and_the_code_1(tmp_path):
    process = started("report", "--output", tmp_path / "nowhere")
    text, _ = process.communicate()
    assert process.returncode == 1
    assert text.startswith("largemargin: There are no results in")
    assert "run the study first" in text
    assert text.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_results_do_not_go_among_the_modules_of_the_study():
    (option,) = [one for one in main.params if one.name == "output"]
    assert str(option.default) == signature(run_study).parameters["output"].default
    assert str(option.default) != Path(study_command.__file__).parent.name


def test_a_file_of_ones_own_is_studied_alone(cells, output):
    call("--file", cells, "--methods", "mamc", "--repetitions", 1, "--output", output)
    assert {result.dataset for result in Store(output).results()} == {"cells"}
