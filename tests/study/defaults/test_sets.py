from collections import Counter

import pytest

from study import datasets
from study.defaults import sets
from study.defaults.sets import SETS, TABLE, Source, division


def test_there_are_many_sets_of_both_kinds_and_no_name_twice():
    kinds = Counter(one.kind for one in TABLE)
    assert len(SETS) == len(TABLE) >= 60
    assert min(kinds.values()) >= 20
    assert sum(one.rows > 5000 for one in TABLE) >= 5


def test_the_two_halves_share_the_sets_and_are_always_the_same():
    selection, report = division()
    assert selection | report == set(SETS)
    assert not selection & report
    many = [sum(SETS[name].classes > 2 for name in half) for half in (selection, report)]
    assert abs(many[0] - many[1]) <= 1
    assert division() == (selection, report)


def test_sets_of_scikit_learn_have_the_size_of_the_table():
    data = Source("digits").load()
    assert data.X.shape == (SETS["digits"].rows, SETS["digits"].features)


def test_a_set_of_another_size_is_refused(tiny_sets, monkeypatch):
    whole = sets.read
    monkeypatch.setattr(sets, "read", lambda *where: [one[2:] for one in whole(*where)])
    with pytest.raises(ValueError, match=r"58 rows.*study knows it with 60"):
        Source("pair").load()


def test_a_missing_set_of_the_paper_is_reported_as_such(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    with pytest.raises(datasets.MissingDataset):
        Source("sonar", data_home=str(tmp_path)).load()
