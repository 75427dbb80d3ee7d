import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris, make_blobs

from largemargin.cli.group import command


@pytest.fixture
def program():
    return command


@pytest.fixture(scope="session")
def cells():
    """Two clouds of rows in five columns, and their labels."""
    X, y = make_blobs([60, 40], 5, cluster_std=6.0, random_state=0)
    return X.round(3), np.where(y == 1, 1, -1)


@pytest.fixture
def libsvm(tmp_path, cells):
    path = tmp_path / "cells.libsvm"
    dump_svmlight_file(*cells, str(path), zero_based=False)
    return path


@pytest.fixture
def flowers():
    """Iris, with a column of words that helps to tell the species."""
    data = load_iris(as_frame=True)
    frame = data.frame.rename(columns=lambda name: name.removesuffix(" (cm)"))
    frame["colour"] = np.where(frame["target"] == 0, "red", "blue")
    frame.loc[::7, "colour"] = "white"
    frame["species"] = data.target_names[frame.pop("target")]
    return frame


@pytest.fixture
def table(tmp_path, flowers):
    path = tmp_path / "flowers.csv"
    flowers.to_csv(path, index=False)
    return path


@pytest.fixture
def model(tmp_path, good, libsvm):
    path = tmp_path / "cells.model"
    good("train", libsvm, "-o", path, "-t", "linear", "-q")
    return path


@pytest.fixture
def table_model(tmp_path, good, table):
    path = tmp_path / "flowers.model"
    good("train", table, "-o", path, "-q")
    return path


@pytest.fixture
def rewritten(tmp_path):
    """Write a table of text with one of its lines changed."""

    def write(path, line, change):
        lines = path.read_text().splitlines(keepends=True)
        lines[line - 1] = change(lines[line - 1])
        changed = tmp_path / f"changed{path.suffix}"
        changed.write_text("".join(lines))
        return changed

    return write
