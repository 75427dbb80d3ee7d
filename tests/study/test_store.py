import errno
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from study.store import Facts, Result, Store, StoreError

ONE = Result("paper", "heart", "rbf", "ldm", 3, 0.8125, {"C": 10.0, "gamma": 0.3}, 0.01)
OTHER = replace(ONE, method="svm", chosen={})
HEART = Facts(270, 13, 120, "file heart.libsvm.xz", "abcd")
SONAR = Facts(208, 60, 111, "file sonar.libsvm.xz", "bcde")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "study") as store:
        yield store


def written_by_hand(store, content):
    store.close()
    store.path.write_bytes(content)


def line(result, **changes):
    return json.dumps(vars(result) | changes).encode() + b"\n"


def test_a_store_that_does_not_exist_has_no_results_and_is_not_made_by_reading(tmp_path):
    store = Store(tmp_path / "none")
    assert store.results() == []
    assert store.datasets() == {}
    assert not (tmp_path / "none").exists()


def test_results_come_back_as_they_were_given(store):
    store.append([OTHER, ONE])
    assert Store(store.directory).results() == [ONE, OTHER]


def test_results_are_sorted_whatever_order_they_ended_in(store):
    later = replace(ONE, repetition=10)
    store.append([later])
    store.append([OTHER])
    store.append([ONE])
    assert store.results() == [ONE, later, OTHER]


def test_a_time_that_was_not_measured_comes_back_as_none(store):
    store.append([replace(ONE, cpu_seconds=None)])
    assert store.results()[0].cpu_seconds is None


def test_done_holds_what_was_measured(store):
    store.append([ONE])
    assert store.done() == {("paper", "heart", "rbf", "ldm", 3)}


def test_of_two_results_for_one_thing_the_later_counts(store):
    again = replace(ONE, accuracy=0.5)
    store.append([ONE])
    store.append([again])
    assert store.results() == [again]


@pytest.mark.parametrize("n_bytes", [1, 30, -2])
def test_a_last_line_cut_short_is_not_read(store, n_bytes):
    written_by_hand(store, line(ONE) + line(OTHER)[:n_bytes])
    assert store.results() == [ONE]


def test_a_last_line_cut_short_is_removed_by_the_next_run_with_a_word(store, caplog):
    written_by_hand(store, line(ONE) + line(OTHER)[:40])
    store.append([OTHER])
    assert store.path.read_bytes() == line(ONE) + line(OTHER)
    assert "cut short" in caplog.text


def test_a_last_line_that_only_lacks_its_end_is_kept_and_ended_by_the_next_run(store):
    written_by_hand(store, line(ONE) + line(OTHER)[:-1])
    assert store.results() == [ONE, OTHER]
    later = replace(ONE, repetition=4)
    store.append([later])
    assert store.path.read_bytes() == line(ONE) + line(OTHER) + line(later)


@pytest.mark.parametrize("accuracy", [float("nan"), float("inf"), -0.1])
def test_an_accuracy_that_is_no_share_is_no_result(accuracy):
    with pytest.raises(ValueError, match=f"between 0 and 1; got {accuracy}"):
        replace(ONE, accuracy=accuracy)


@pytest.mark.parametrize(
    "bad",
    [
        b"\n",
        b"\x00\x00\n",
        b"[1, 2]\n",
        b'{"protocol": "paper"}\n',
        line(ONE, accuracy="0.8"),
        line(ONE, accuracy=float("nan")),
        line(ONE, repetition=None),
    ],
)
def test_a_bad_line_elsewhere_is_named_with_its_file_and_the_way_out(store, bad):
    written_by_hand(store, line(ONE) + bad + line(OTHER))
    with pytest.raises(StoreError, match=r"Line 2 of .*results\.jsonl .*Delete that line"):
        store.results()


def test_a_second_run_on_the_same_store_is_refused(store):
    second = Store(store.directory)
    with pytest.raises(StoreError, match="another run"):
        second.append([ONE])


def test_a_store_can_be_read_while_it_is_written(store):
    store.append([ONE])
    assert Store(store.directory).done() == {ONE.key}


def test_a_run_that_was_killed_leaves_no_lock(tmp_path):
    program = (
        "import os, sys\n"
        "from study.store import Store\n"
        "store = Store(sys.argv[1])\n"
        "store.open()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path], check=False)
    with Store(tmp_path) as store:
        store.append([ONE])
    assert store.results() == [ONE]


def test_a_full_disk_leaves_what_was_there_and_nothing_half_written(store, monkeypatch):
    store.append([ONE])

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.append([OTHER])
    assert store.path.read_bytes() == line(ONE)


def test_facts_of_data_sets_are_kept_by_name(store):
    store.note_dataset("sonar", SONAR)
    store.note_dataset("heart", HEART)
    found = Store(store.directory).datasets()
    assert found == {"heart": HEART, "sonar": SONAR}
    assert list(found) == ["heart", "sonar"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 303}, "270 rows.* now has 303 rows"),
        ({"positives": 121}, "must not be mixed"),
        ({"digest": "cdef"}, "digest abcd .* now has .* digest cdef"),
    ],
)
def test_a_data_set_that_changed_is_not_mixed_with_what_it_was(store, changes, words):
    store.note_dataset("heart", HEART)
    with pytest.raises(StoreError, match=words):
        store.note_dataset("heart", replace(HEART, **changes))
    assert store.datasets() == {"heart": HEART}


def test_a_digest_that_an_old_store_lacks_is_filled_in(store):
    old = {"rows": 270, "features": 13, "positives": 120, "source": "file heart.libsvm.xz"}
    (store.directory / "datasets.json").write_text(json.dumps({"heart": old}))
    assert store.datasets() == {"heart": replace(HEART, digest=None)}
    store.note_dataset("heart", HEART)
    assert store.datasets() == {"heart": HEART}


@pytest.mark.parametrize("content", ["{", "[]", '{"heart": {"rows": 1}}', '{"heart": 3}'])
def test_a_broken_table_of_data_sets_is_an_error_with_the_way_out(store, content):
    (store.directory / "datasets.json").write_text(content)
    with pytest.raises(StoreError, match=r"datasets\.json .*Delete it"):
        store.datasets()
