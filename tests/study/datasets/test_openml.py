"""Tables of OpenML, by a stand-in for scikit-learn's function that fetches them."""

import re
import zlib
from http.client import IncompleteRead

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from numpy.testing import assert_array_equal
from sklearn.utils import Bunch

from study import datasets
from study.datasets.encodings import Recipe
from study.datasets.recipes import RECIPES
from study.datasets.sources import OpenML


@pytest.fixture
def openml(monkeypatch):
    """Tables by number, and the calls that asked for them."""
    served = Bunch(tables={}, calls=[])

    def fetch_openml(**options):
        served.calls.append(options)
        found = served.tables[options["data_id"]]
        if isinstance(found, Exception):
            raise found
        return Bunch(data=found.drop(columns="target"), target=found["target"])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    return served


@pytest.fixture
def houses(openml, register, monkeypatch):
    """A table with identifiers, words, numbers and missing values."""
    openml.tables[7] = pd.DataFrame(
        {
            "identifier": ["h1", "h2", "h3", "h4", "h5"],
            "roof": pd.Categorical(["'flat'", "steep", None, "flat", "none"]),
            "size": [0.1, 2.0, 3.0, np.nan, 1 / 3],
            "target": pd.Categorical(["1", "2", "1", "2", "2"]),
        }
    )
    orders = {0: ["none", "flat", "steep"]}
    monkeypatch.setitem(RECIPES, "tiny", Recipe(2, "sold", "kept", orders=orders))
    source = OpenML(7, labels=(("1", "kept"), ("2", "sold")))
    return register(source, rows=3, features=2, positives=2)


def test_a_fetched_table_is_encoded(houses):
    data = datasets.load("tiny")
    assert_array_equal(data.X, [[2, 0.1], [3, 2.0], [1, 1 / 3]])
    assert_array_equal(data.y, [-1, 1, 1])


def test_a_fetched_table_is_kept_and_read_without_the_net(houses, openml):
    first = datasets.load("tiny")
    again = datasets.load("tiny", download=False)
    assert_array_equal(first.X, again.X)
    assert_array_equal(first.y, again.y)
    assert first.source == again.source == "file tiny.csv from https://www.openml.org/d/7"
    assert len(openml.calls) == 1


def test_an_altered_table_of_the_cache_is_an_error(houses, cache):
    datasets.load("tiny")
    kept = cache / "tiny.csv"
    kept.write_text(kept.read_text().replace("flat", "steep"))
    with pytest.raises(datasets.UnreadableFile, match=r"altered.*Delete it"):
        datasets.load("tiny")


def test_a_table_that_is_not_the_set_is_not_kept(houses, openml, cache):
    openml.tables[7] = openml.tables[7].iloc[:-1]
    with pytest.raises(
        datasets.MissingDataset, match=r"d/7 failed: .*\(2, 2, 1\); expected"
    ):
        datasets.load("tiny")
    assert not cache.exists()


@pytest.mark.parametrize(
    "error",
    [
        OSError("no route"),
        ValueError("md5 differs"),
        ImportError("pandas"),
        EOFError("cut off"),
        IncompleteRead(b"half", 4),
        zlib.error("no gzip"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_scikit_learn_complains_of_is_told(houses, openml, error):
    openml.tables[7] = error
    with pytest.raises(datasets.MissingDataset, match=re.escape(f"d/7 failed: {error}")):
        datasets.load("tiny")


def test_a_raw_table_in_the_data_directory_is_encoded(houses, tmp_path):
    rows = "roof,size,class\nflat,1,kept\n,2,sold\nsteep,2,sold\nnone,3,sold\n"
    (tmp_path / "tiny.csv").write_text(rows)
    data = datasets.load("tiny", data_home=tmp_path, download=False)
    assert_array_equal(data.X, [[2, 1], [3, 2], [1, 3]])
    assert data.source == "file tiny.csv"


def test_an_encoded_file_goes_before_a_raw_table(houses, tmp_path):
    (tmp_path / "tiny.csv").write_text("unreadable")
    (tmp_path / "tiny.libsvm").write_text("1 1:2\n1 1:3\n-1 2:4\n")
    data = datasets.load("tiny", data_home=tmp_path, download=False)
    assert_array_equal(data.X, [[2, 0], [3, 0], [0, 4]])


def test_a_raw_table_with_other_words_is_named(houses, tmp_path):
    (tmp_path / "tiny.csv").write_text("roof,size,class\nround,1,kept\nflat,2,sold\n")
    with pytest.raises(
        datasets.UnreadableFile, match=r"tiny\.csv.*'roof' holds \['round'\]"
    ):
        datasets.load("tiny", data_home=tmp_path)


def test_the_label_column_of_the_registry_is_asked_for(openml):
    openml.tables[25] = OSError("enough")
    with pytest.raises(datasets.MissingDataset):
        datasets.load("colic.ORIG")
    assert openml.calls[0]["target_column"] == "pathology_cp_data"
