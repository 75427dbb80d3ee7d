"""Write the model file of this release, to be kept: later releases must load it.

Run once a release: ``python tests/data/write_model.py``.
"""

import json
from pathlib import Path

from sklearn.datasets import load_iris

from largemargin import LDMClassifierCV, __version__
from largemargin.model_files import save


def rows_and_names():
    """Return every third iris, by the names of the species."""
    iris = load_iris()
    return iris.data[::3], iris.target_names[iris.target[::3]]


def write(directory):
    """Write a search and, beside it, what it predicts for its rows."""
    X, y = rows_and_names()
    search = LDMClassifierCV(Cs=[1, 10], gammas=["scale"], cv=3).fit(X, y)
    path = directory / f"search_{__version__}.model"
    save(search, path)
    told = {
        "labels": search.predict(X).tolist(),
        "scores": search.decision_function(X).tolist(),
    }
    path.with_suffix(".json").write_text(json.dumps(told))


if __name__ == "__main__":
    write(Path(__file__).parent)
