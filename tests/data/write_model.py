"""Write the model files of this release, to be kept: later releases must load them.

Run once a release: ``python tests/data/write_model.py``.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import largemargin
from largemargin import (
    KOMDClassifier,
    LDMClassifier,
    LDMClassifierCV,
    LinearLDMClassifier,
    MAMCClassifier,
    MDOClassifier,
    ODMClassifier,
    __version__,
)
from largemargin.estimators.table import CLASSIFIERS
from largemargin.production.calibration import CalibratedMachine
from largemargin.production.model_files import save

SMALL = {"Cs": [1], "gammas": ["scale"], "cv": 2, "random_state": 0}


def rows_and_names():
    """Return every third iris, by the names of the species."""
    iris = load_iris()
    return iris.data[::3], iris.target_names[iris.target[::3]]


def all_models():
    """Return one model of each class, fitted, by the name of the class."""
    X, y = rows_and_names()
    models = [getattr(largemargin, name)() for name in CLASSIFIERS]
    for model in models:
        known = model.get_params()
        model.set_params(**{key: value for key, value in SMALL.items() if key in known})
    models.append(make_pipeline(StandardScaler(), LDMClassifier()))
    models.append(CalibratedMachine(LinearLDMClassifier(), method="sigmoid"))
    fitted = {type(model).__name__: model.fit(X, y) for model in models}
    stream = LinearLDMClassifier(random_state=0).partial_fit(X, y, classes=sorted({*y}))
    return fitted | {"LinearLDMClassifier": stream}


def more_models():
    """Return models of many kinds, fitted, by what is special about them."""
    X, y = rows_and_names()
    is_first, heavy = (y == y[0]).astype(int), {y[0]: 1, y[-1]: 2.5}
    unfitted = {
        "poly, weights": LDMClassifier(kernel="poly", degree=2, class_weight=heavy),
        "linear": MAMCClassifier(kernel="linear"),
        "random state": LinearLDMClassifier(random_state=np.random.RandomState(0)),
        "isotonic": CalibratedMachine(LDMClassifier(), method="isotonic", cv=2),
        "search without refit": LDMClassifierCV(
            Cs=[1], gammas=["scale"], cv=StratifiedKFold(2), refit=False
        ),
        "search of scikit-learn": GridSearchCV(
            make_pipeline(StandardScaler(), "passthrough", LDMClassifier()),
            {"ldmclassifier": [LinearLDMClassifier(), ODMClassifier()]},
            cv=2,
        ),
    }
    models = {name: model.fit(X, y) for name, model in unfitted.items()}
    return models | {
        "precomputed": LDMClassifier(kernel="precomputed").fit(X @ X.T, y),
        "sparse": KOMDClassifier(kernel="laplacian").fit(sp.csr_matrix(X), y),
        "float32": ODMClassifier(kernel="cosine").fit(sp.csr_array(X, dtype="f"), y),
        "two classes": LDMClassifier(kernel="sigmoid", gamma=0.01).fit(X, is_first),
        "two classes, odds": CalibratedMachine(
            LinearLDMClassifier(class_weight={0: 1, 1: 5.0}), method="sigmoid"
        ).fit(X, is_first),
        "not fitted": MDOClassifier(random_state=0),
    }


def told(name, model):
    """Return what a model predicts for the rows, as far as it does."""
    X, _ = rows_and_names()
    rows = X @ X.T if name == "precomputed" else X
    asked = {"labels": "predict", "scores": "decision_function", "odds": "predict_proba"}
    facts = {
        key: getattr(model, function)(rows).tolist()
        for key, function in asked.items()
        if hasattr(model, "classes_") and hasattr(model, function)
    }
    return facts | {"parameters": sorted(model.get_params())}


def write(path, models):
    """Write models together and, beside them, what they predict."""
    save(models, path)
    records = {name: told(name, model) for name, model in models.items()}
    path.with_suffix(".json").write_text(json.dumps(records))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    directory = Path(__file__).parent
    write(directory / f"all_{__version__}.model", all_models())
    write(directory / f"more_{__version__}.model", more_models())
