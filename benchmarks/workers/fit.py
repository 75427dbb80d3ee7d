"""Fit one of our estimators in a new process; print its time and peak of memory."""

import argparse
import ctypes
import gc
import json
import os
import resource
import time
from pathlib import Path

import scipy.sparse as sp

from benchmarks.competitors import OurKernel, OurLinear
from benchmarks.datasets import DATASETS
from benchmarks.measure import n_bytes
from benchmarks.objectives import Prices, gamma_scale
from benchmarks.settings import TOL

STATUS = Path("/proc/self/status")
REFERENCES = Path("/proc/self/clear_refs")


def memory_now():
    """Return the bytes that the process holds and the most it held since the last reset."""
    if not STATUS.exists():
        peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak, peak
    lines = (line.split() for line in STATUS.read_text().splitlines())
    kib = {words[0]: int(words[1]) for words in lines if words[0] in ("VmRSS:", "VmHWM:")}
    return 1024 * kib["VmRSS:"], 1024 * kib["VmHWM:"]


def settle_memory():
    """Give back what is free, and forget the peak so far where the system can."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        REFERENCES.write_text("5")
    except (AttributeError, OSError):
        pass


def main():
    """Load, warm up, fit, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine", choices=["linear", "kernel"])
    parser.add_argument("set", choices=DATASETS)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--warm-rows", type=int)
    parser.add_argument("--held-out", type=int, default=0)
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    # A fit that wants more than there is shall fail, not have the system end processes.
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    resource.setrlimit(resource.RLIMIT_AS, (physical, physical))

    rows = DATASETS[options.set].load(options.data)
    n_held_out = options.held_out
    new_X, new_y = (
        rows.X[len(rows.y) - n_held_out :].copy(),
        rows.y[len(rows.y) - n_held_out :],
    )
    X, y, source = rows.first(options.rows)
    del rows
    prices = Prices.paper(options.C)
    ours = OurLinear(prices, TOL)
    if options.machine == "kernel":
        ours = OurKernel(prices, gamma_scale(X), TOL)
    # Compilers and linear algebra libraries take their memory at the first fit.
    ours.fit(X[: options.warm_rows], y[: options.warm_rows])
    settle_memory()
    before, _ = memory_now()
    begin = time.perf_counter()
    machine = ours.fit(X, y)
    seconds = time.perf_counter() - begin
    _, peak = memory_now()
    facts = {
        "source": source,
        "rows": len(y),
        "kind": "sparse" if sp.issparse(X) else "dense",
        "data_bytes": n_bytes(X),
        "peak_bytes": peak - before,
        "process_bytes": peak,
        "seconds": seconds,
        "gap": machine.duality_gap_,
        "residual": getattr(machine, "low_rank_residual_", None),
        "support": len(getattr(machine, "support_", ())),
        "accuracy": machine.score(new_X, new_y) if n_held_out else None,
    }
    print(json.dumps(facts, default=float))


if __name__ == "__main__":
    main()
