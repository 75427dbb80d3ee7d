"""Compare this checkout with another one, fit by fit, in turn on the same machine.

    python -m benchmarks.versions ../another_checkout -o benchmarks/results/versions.md

Each version runs in its own process. The two take turns, and the shortest of several runs
counts, so that other work of the computer affects both alike.
"""

import argparse
import json
import os
import subprocess
import sys
from math import exp, log
from pathlib import Path

from benchmarks.machine import describe_machine
from benchmarks.measure import ROOT
from benchmarks.workers.version import CELLS


class Version:
    """A process that fits with the sources of one checkout."""

    def __init__(self, checkout):
        path = os.pathsep.join([str(Path(checkout).resolve() / "src"), str(ROOT)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.workers.version"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            cwd=ROOT,
            text=True,
        )

    def run(self, cell):
        """Return the seconds of CPU and wall time of one fit."""
        self.process.stdin.write(json.dumps(cell) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def main():
    """Run all cells and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.versions", description=__doc__
    )
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    old, new = Version(options.other), Version(ROOT)
    lines = ["| fit | before, CPU s | now, CPU s | ratio |", "|---|---|---|---|"]
    logs = []
    for cell in CELLS:
        for version in new, old:  # compile first; the newer one fills the cache of rows
            version.run(cell)
        runs = [(old.run(cell)[0], new.run(cell)[0]) for _ in range(options.repeats)]
        before, now = map(min, zip(*runs, strict=True))
        logs.append(log(now / before))
        lines.append(f"| {cell} | {before:.3f} | {now:.3f} | {now / before:.2f} |")
        print(lines[-1], flush=True)
    mean = exp(sum(logs) / len(logs))
    lines.append(f"| geometric mean | | | {mean:.2f} |")
    print(lines[-1])
    if options.output is not None:
        facts = describe_machine()
        machine = ", ".join(f"{name} {facts[name]}" for name in facts if name != "BLAS")
        head = f"# Two versions side by side\n\nMeasured on: {machine}.\n\n"
        about = "One thread; the shortest of several runs, taken in turn. Now / before.\n\n"
        options.output.write_text(head + about + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
