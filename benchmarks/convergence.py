"""Show whether the defaults converge on every data set of a directory.

Reads ``index.tsv`` and ``<name>.libsvm.xz`` files, scales features to [0, 1] (text, with
far more features than rows, to rows of unit length), fits both estimators with their
default settings at C = 1 and 100 (with a kernel, on up to 1,000 rows), and fails if there
is any warning or a gap above tol.

    python -m benchmarks.convergence DIRECTORY
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.datasets.files import read_index, read_rows, scaled
from largemargin import LDMClassifier, LinearLDMClassifier

MAX_KERNEL_ROWS = 1000


def fit(machine, X, y):
    """Return a line about the fit, and whether it converged without warnings."""
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(X, y)
    gap = np.max(machine.duality_gap_)
    good = gap <= machine.tol and not caught
    line = f"gap {gap:.1e}, {machine.n_iter_:3} steps, {time.perf_counter() - begin:6.2f} s"
    return line + "".join(f"  {warning.message}" for warning in caught), good


def main():
    """Fit everything, print one line per fit, exit with 1 if any does not converge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    directory = parser.parse_args().directory
    index = read_index(directory)
    all_good = True
    for entry in sorted(index.values(), key=lambda e: int(e["instances"])):
        X, y = read_rows(directory, entry["name"])
        X = scaled(X, text=X.shape[1] > 10 * X.shape[0])
        for C in 1, 100:
            machines = [LinearLDMClassifier(C)]
            if len(y) <= MAX_KERNEL_ROWS:
                machines.append(LDMClassifier(C))
            for machine in machines:
                line, good = fit(machine, X, y)
                all_good &= good
                name = f"{entry['name']:15} {type(machine).__name__:19} C={C:<4}"
                print(f"{'  ' if good else '! '}{name} {line}", flush=True)
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
