"""Measuring: runs that take turns, and runs in new processes."""

import gc
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import scipy.sparse as sp

ROOT = Path(__file__).resolve().parent.parent


class Missing(Exception):
    """Why something cannot be measured here: a package or a parameter is not there."""


@dataclass
class Timing:
    """The seconds of each run of one competitor, and the result of its last."""

    seconds: list = field(default_factory=list)
    # Of all threads together; other processes hardly change them.
    cpu_seconds: list = field(default_factory=list)
    result: object = None

    @property
    def best(self):
        """The shortest run."""
        return min(self.seconds)

    @property
    def best_cpu(self):
        """The seconds of the processor in the run that used fewest."""
        return min(self.cpu_seconds)


def side_by_side(runs, *, repeats, slow, warm=()):
    """Return the timings of callables that take turns.

    Those in ``warm`` are run once before, because of the compiler; runs that take longer
    than ``slow`` seconds are not repeated.
    """
    for name in warm:
        runs[name]()
    timings = {name: Timing() for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            timing = timings[name]
            if timing.seconds and timing.best > slow:
                continue
            timing.result = None
            gc.collect()
            begin, cpu_begin = time.perf_counter(), time.process_time()
            timing.result = run()
            timing.seconds.append(time.perf_counter() - begin)
            timing.cpu_seconds.append(time.process_time() - cpu_begin)
    return timings


def n_bytes(X):
    """Return the memory that rows take."""
    if sp.issparse(X):
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return X.nbytes


def in_new_process(*arguments):
    """Return what a new interpreter with these arguments prints, read as JSON."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        told = lines[-1] if lines else f"it ended with code {done.returncode}"
        raise RuntimeError(f"{' '.join(arguments[:2])}: {told}")
    return json.loads(done.stdout)
