"""Fit the cells that a parent names, one per line, with the version on the path."""

import json
import os
import sys
import time
import warnings
from functools import lru_cache
from pathlib import Path

from benchmarks.datasets import DATASETS

SVM = {"lambda_var": 0.0, "lambda_mean": 0.0}
HARD_SVM = {"C": 100, **SVM}
SWEPT_SVM = {"solver": "dual_cd", **SVM}
PAPER = {"lambda_var": 2**-4, "lambda_mean": 2**-4}
# name: (data set, rows, estimator, parameters)
CELLS = {
    "linear SVM, dense, C=1": ("covtype", 100_000, "LinearLDMClassifier", SVM),
    "linear SVM, dense, C=100": (
        "covtype",
        100_000,
        "LinearLDMClassifier",
        {"C": 100, **SVM},
    ),
    "linear LDM, dense": ("covtype", 100_000, "LinearLDMClassifier", {}),
    "linear LDM, dense, C=100": ("covtype", 100_000, "LinearLDMClassifier", {"C": 100}),
    "linear SVM, sparse": ("w8a", 40_000, "LinearLDMClassifier", SVM),
    "linear LDM, sparse": ("w8a", 40_000, "LinearLDMClassifier", {}),
    "linear SVM, text": ("rcv1-1500", 10_000, "LinearLDMClassifier", SVM),
    "linear LDM, text": ("rcv1-1500", 10_000, "LinearLDMClassifier", {}),
    "coordinate descent": (
        "w8a",
        20_000,
        "LinearLDMClassifier",
        SWEPT_SVM,
    ),
    "averaged SGD": ("w8a", 40_000, "LinearLDMClassifier", {"solver": "asgd"}),
    "kernel SVM": ("adult-a", 4000, "LDMClassifier", SVM),
    "kernel SVM, C=100": ("ijcnn1", 4000, "LDMClassifier", HARD_SVM),
    "kernel LDM, paper's prices": ("adult-a", 4000, "LDMClassifier", PAPER),
    "kernel LDM": ("adult-a", 2500, "LDMClassifier", {}),
    "kernel LDM, few rows": ("german", 400, "LDMClassifier", {}),
    "ODM": ("adult-a", 2500, "ODMClassifier", {}),
    "ODM, linear": ("covtype", 100_000, "ODMClassifier", {"kernel": "linear"}),
    "KM-OMD": ("adult-a", 2500, "KOMDClassifier", {}),
    "kernel search": ("german", 300, "LDMClassifierCV", {"cv": 3}),
    "linear search": ("german", 500, "LinearLDMClassifierCV", {}),
    "leave-one-out": ("german", 200, "LDMClassifier", {}),
}


@lru_cache(maxsize=1)
def loaded(dataset, data):
    """Return a data set, from memory if it was the last one asked for."""
    return DATASETS[dataset].load(Path(data) if data else None)


def run(cell, data):
    """Return the seconds of CPU and wall time that a cell takes."""
    import largemargin

    dataset, n_rows, name, parameters = CELLS[cell]
    X, y, _ = loaded(dataset, data).first(n_rows)
    machine = getattr(largemargin, name)(**parameters)
    begin = time.process_time(), time.perf_counter()
    machine.fit(X, y)
    if cell == "leave-one-out":
        largemargin.leave_one_out_error(machine, X, y)
    return time.process_time() - begin[0], time.perf_counter() - begin[1]


def main():
    """Answer each line with two numbers."""
    warnings.simplefilter("ignore")
    data = os.environ.get("LARGEMARGIN_DATA") or None
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), data)), flush=True)


if __name__ == "__main__":
    main()
