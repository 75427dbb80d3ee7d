"""Time the first and the second fit of a process that has only imported the library."""

import json
import sys
import time

import numpy as np
import scipy.sparse as sp

from largemargin import LDMClassifier, LinearLDMClassifier

N_ROWS, N_FEATURES = 300, 10


def main():
    """Print both times."""
    kind = sys.argv[1]
    rng = np.random.default_rng(0)
    X = rng.random((N_ROWS, N_FEATURES))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(N_ROWS) > 0.5, 1, -1)
    machine = LDMClassifier() if kind == "fit, kernel" else LinearLDMClassifier()
    X = sp.csr_matrix(X) if kind == "fit, sparse" else X
    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        machine.fit(X, y)
        seconds.append(time.perf_counter() - begin)
    told = {"first": seconds[0], "second": seconds[1], "gap": machine.duality_gap_}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
