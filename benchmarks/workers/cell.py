"""Measure cells, one per line of standard input, and answer each with its row."""

import faulthandler
import json
import os
import sys
import time
import traceback
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.measure import Missing
from benchmarks.settings import MODES
from benchmarks.targets import TARGETS
from benchmarks.workers.memory import limit_memory


def row_of(bench, name, cell):
    """Return the row of a cell; if there are no measurements, it says why."""
    begin = time.perf_counter()
    try:
        row = TARGETS[name].measure(bench, **cell)
    except Missing as reason:
        row = {"missing": str(reason)}
    except Exception as error:
        traceback.print_exc()
        message = f"{type(error).__name__}: {error}".splitlines()[0]
        row = {"failed": message.replace(f"{bench.data}/", "")}
    return {**cell, **row, "took": time.perf_counter() - begin}


def main():
    """Answer until there are no more lines."""
    mode, output, data = sys.argv[1:]
    bench = Bench(MODES[mode], Path(data) if data else None, Path(output))
    limit_memory()
    faulthandler.enable()
    # Libraries that print must not disturb the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(row_of(bench, *json.loads(line)), default=float), file=answers)
        answers.flush()


if __name__ == "__main__":
    main()
