"""Write the model file of this release, to be kept: later releases must load it.

Run once a release: ``python tests/data/write_model.py``.
"""

import json
from pathlib import Path

from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
    __version__,
)
from largemargin.calibration import CalibratedMachine
from largemargin.model_files import save


def rows_and_names():
    """Return every third iris, by the names of the species."""
    iris = load_iris()
    return iris.data[::3], iris.target_names[iris.target[::3]]


def all_models():
    """Return one model of each class, fitted, by the name of the class."""
    X, y = rows_and_names()
    models = [
        make_pipeline(StandardScaler(), LDMClassifier()),
        LDMClassifierCV(Cs=[1], gammas=["scale"], cv=2),
        LinearLDMClassifierCV(Cs=[1], cv=2),
        MAMCClassifier(),
        MDOClassifier(random_state=0),
        KOMDClassifier(),
        ODMClassifier(),
        CalibratedMachine(LinearLDMClassifier(), method="sigmoid"),
    ]
    fitted = {type(model).__name__: model.fit(X, y) for model in models}
    stream = LinearLDMClassifier(random_state=0).partial_fit(X, y, classes=sorted({*y}))
    return fitted | {"LinearLDMClassifier": stream}


def told(model):
    """Return what a model predicts for the rows."""
    X, _ = rows_and_names()
    return {
        "labels": model.predict(X).tolist(),
        "scores": model.decision_function(X).tolist(),
    }


def write(directory):
    """Write all models together and, beside them, what they predict."""
    models = all_models()
    path = directory / f"all_{__version__}.model"
    save(models, path)
    records = {name: told(model) for name, model in models.items()}
    path.with_suffix(".json").write_text(json.dumps(records))


if __name__ == "__main__":
    write(Path(__file__).parent)
