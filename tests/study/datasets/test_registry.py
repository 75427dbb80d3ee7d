"""The registry against Table 1."""

import subprocess
import sys

import pytest

from study import datasets
from study.datasets.recipes import RECIPES
from study.datasets.sources import LibsvmFiles, OpenML

TABLE_1 = """
promoters 106 57, planning 182 12, colic 188 13, parkinsons 195 22, colic.ORIG 205 17,
sonar 208 60, vote 232 16, house 232 16, heart 270 9, breast 277 9, haberman 306 14,
vehicle 435 16, clean1 476 166, wdbc 569 14, isolet 600 51, credit-a 653 15, austra 690 15,
australian 690 42, fourclass 862 2, german 1000 59, farm-ads 4143 54877,
news20 19996 1355191, adult-a 32561 123, w8a 49749 300, cod-rna 59535 8,
real-sim 72309 20958, ijcnn1 141691 22, skin 245057 3, covtype 581012 54,
rcv1 697641 47236, url 2396130 3231961, kdd2010 8407752 20216830
"""


def entries():
    return [datasets.info(name) for name in datasets.names()]


def test_names_and_sizes_are_those_of_table_1_in_its_order():
    known = [f"{e.paper_name} {e.paper_rows} {e.paper_features}" for e in entries()]
    assert known == [line.strip() for line in TABLE_1.replace("\n", " ").split(",")]


def test_twenty_sets_are_regular_and_twelve_large():
    assert len(datasets.names("regular")) == 20
    assert len(datasets.names("large")) == 12
    assert datasets.names("regular") + datasets.names("large") == datasets.names()


def test_an_unknown_scale_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'regular', 'large'.*'huge'"):
        datasets.names("huge")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("germann", "german"),
        ("Covtype", "covtype"),
        ("rcv", "rcv1"),
        ("planing", "planning-relax"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(typed, meant):
    with pytest.raises(datasets.UnknownDataset, match=f"Did you mean '{meant}'"):
        datasets.info(typed)


def test_a_name_near_to_none_lists_them_all():
    with pytest.raises(datasets.UnknownDataset) as caught:
        datasets.load("zzzzzzzz")
    assert "Did you mean" not in str(caught.value)
    assert all(name in str(caught.value) for name in datasets.names())


@pytest.mark.parametrize("paper_name", ["planning", "breast"])
def test_the_names_of_the_paper_are_understood(paper_name):
    assert datasets.info(paper_name).paper_name == paper_name


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_says_what_it_is_and_where_it_comes_from(entry):
    assert entry.task
    assert entry.positive
    assert entry.encoding
    assert all(source.address for source in entry.sources)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_a_size_unlike_the_papers_is_explained(entry):
    same = (entry.rows, entry.features) == (entry.paper_rows, entry.paper_features)
    assert same or entry.note


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_sources_can_give_the_rows_of_the_entry(entry):
    for source in entry.sources:
        if isinstance(source, OpenML):
            assert entry.name in RECIPES
        if isinstance(source, LibsvmFiles):
            assert sum(file.rows for file in source.files) == entry.rows
            assert all(file.url.startswith("https://") for file in source.files)


def test_importing_the_package_leaves_scikit_learns_data_sets_alone():
    code = "import sys, study.datasets; sys.exit('sklearn.datasets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
