import numpy as np
import pytest
from click.testing import CliRunner
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


def write_cells(cells, folder):
    """Write the clouds as LIBSVM text."""
    path = folder / "cells.libsvm"
    dump_svmlight_file(*cells, str(path), zero_based=False)
    return path


def iris_with_words():
    """Return iris, with a column of words that helps to separate the species."""
    data = load_iris(as_frame=True)
    frame = data.frame.rename(columns=lambda name: name.removesuffix(" (cm)"))
    frame["colour"] = np.where(frame["target"] == 0, "red", "blue")
    frame.loc[::7, "colour"] = "white"
    frame["species"] = data.target_names[frame.pop("target")]
    return frame


def trained(data, *options):
    """Return the bytes of a model that the command has trained on a file."""
    model = data.with_suffix(".model")
    told = CliRunner().invoke(command, ["train", str(data), "-o", str(model), *options])
    assert told.exit_code == 0, told.stderr
    return model.read_bytes()


@pytest.fixture
def libsvm(tmp_path, cells):
    return write_cells(cells, tmp_path)


@pytest.fixture
def flowers():
    return iris_with_words()


@pytest.fixture
def table(tmp_path, flowers):
    path = tmp_path / "flowers.csv"
    flowers.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def model_of_cells(tmp_path_factory, cells):
    return trained(write_cells(cells, tmp_path_factory.mktemp("cells")), "-t", "linear")


@pytest.fixture(scope="session")
def model_of_flowers(tmp_path_factory):
    path = tmp_path_factory.mktemp("flowers") / "flowers.csv"
    iris_with_words().to_csv(path, index=False)
    return trained(path)


@pytest.fixture
def model(tmp_path, libsvm, model_of_cells):
    path = tmp_path / "cells.model"
    path.write_bytes(model_of_cells)
    return path


@pytest.fixture
def table_model(tmp_path, table, model_of_flowers):
    path = tmp_path / "flowers.model"
    path.write_bytes(model_of_flowers)
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
