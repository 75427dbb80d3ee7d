"""The recipes against the data directory."""

import os
from pathlib import Path

import numpy as np
import pytest

from study.datasets import info
from study.datasets.encodings import encode
from study.datasets.reading import read_libsvm, read_table
from study.datasets.recipes import RECIPES

DATA = os.environ.get("LARGEMARGIN_DATA")


@pytest.mark.skipif(DATA is None, reason="LARGEMARGIN_DATA names no data directory")
@pytest.mark.parametrize("name", RECIPES)
def test_the_raw_table_gives_the_encoded_file_bit_for_bit(name):
    entry = info(name)
    raw = Path(DATA, entry.sources[0].file_of(entry))
    if not raw.exists():
        pytest.skip(f"the data directory has no {raw.name}")
    X, y = encode(read_table(raw), RECIPES[name])
    expected, labels = read_libsvm(Path(DATA, f"{name}.libsvm.xz"), entry.features)
    assert np.array_equal(X, expected.toarray())
    assert np.array_equal(y, labels)
