"""Fit an estimator in a new process; print its time and peak of memory."""

import argparse
import json
import time
from pathlib import Path

import scipy.sparse as sp

from benchmarks.competitors import LibsvmSVM, OurDefault, OurKernel, OurLinear
from benchmarks.datasets import DATASETS
from benchmarks.measure import Missing, n_bytes
from benchmarks.objectives import Prices, gamma_paper, gamma_scale
from benchmarks.settings import TOL
from benchmarks.workers.memory import limit_memory, memory_now, settle_memory


def competitor(options, X):
    """Return what is to be fitted."""
    prices, C = options.prices, options.C
    if options.machine == "linear":
        return OurLinear(Prices.named(prices, C, X.shape[0]), options.tol, options.loss)
    gamma = gamma_paper(X) if options.width == "paper" else gamma_scale(X)
    if options.machine == "SVC":
        return LibsvmSVM(C, gamma)
    if prices == "default":
        return OurDefault(C, gamma, options.tol, options.time_limit)
    prices = Prices.named(prices, C, X.shape[0])
    return OurKernel(prices, gamma, options.tol, options.loss, options.time_limit)


def main():
    """Load, warm up, fit, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine", choices=["linear", "kernel", "SVC"])
    parser.add_argument("set", choices=DATASETS)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--warm-rows", type=int)
    parser.add_argument("--held-out", type=int, default=0)
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--prices", default="paper")
    parser.add_argument("--loss", default="hinge")
    parser.add_argument("--width", choices=["scale", "paper"], default="scale")
    parser.add_argument("--tol", type=float, default=TOL)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    limit_memory()

    rows = DATASETS[options.set].load(options.data)
    n_held_out = options.held_out
    new_X, new_y = (
        rows.X[len(rows.y) - n_held_out :].copy(),
        rows.y[len(rows.y) - n_held_out :],
    )
    X, y, source = rows.first(options.rows)
    del rows
    try:
        # Compilers and linear algebra libraries take their memory at the first fit.
        warm = slice(options.warm_rows)
        competitor(options, X[warm]).fit(X[warm], y[warm])
    except Missing as reason:
        print(json.dumps({"missing": str(reason)}))
        return
    fitting = competitor(options, X)
    settle_memory()
    before, _ = memory_now()
    begin = time.perf_counter()
    machine = fitting.fit(X, y)
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
        "gap": getattr(machine, "duality_gap_", None),
        "residual": getattr(machine, "low_rank_residual_", None),
        "support": len(getattr(machine, "support_", ())),
        "accuracy": machine.score(new_X, new_y) if n_held_out else None,
    }
    print(json.dumps(facts, default=float))


if __name__ == "__main__":
    main()
