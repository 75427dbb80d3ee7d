"""Run the benchmarks: print tables row by row, and write a report (JSON and Markdown)."""

import argparse
import os
import sys
import textwrap
import time
import traceback
from datetime import datetime
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.machine import describe_machine, revision
from benchmarks.measure import ROOT
from benchmarks.report import GrowingTable, Report, cell_name, show_claims
from benchmarks.settings import FULL, QUICK
from benchmarks.targets import TARGETS
from benchmarks.targets.base import Claim

DATA_VARIABLE = "LARGEMARGIN_DATA"
INTERRUPTED = 130


def parse():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="target",
        help=f"any of {', '.join(TARGETS)} (default: all)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a short run, of less than three minutes"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get(DATA_VARIABLE) or None,
        help=f"directory of data sets (default: ${DATA_VARIABLE}); rows are generated for "
        "sets that it does not have",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "benchmarks" / "results",
        help="directory for the report (default: benchmarks/results)",
    )
    options = parser.parse_args()
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        parser.error(f"unknown target {unknown[0]!r}; choose from {', '.join(TARGETS)}")
    if options.data is not None:
        options.data = Path(options.data).resolve()
        if not options.data.is_dir():
            parser.error(f"there is no directory {options.data}")
    return options


def new_record():
    """Return the record of a target before its first measurement."""
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "revision": revision(),
        "load": os.getloadavg()[0],
        "seconds": 0.0,
        "skipped": None,
        "complete": False,
        "left_out": 0,
        "claims": [],
        "files": [],
        "rows": [],
    }


def measure(target, bench, cell):
    """Return the row of a cell; if the measurement fails, the row has the error."""
    if sys.stdout.isatty():
        print(f"... {cell_name(cell)}", end="\033[K\r", flush=True)
    try:
        return {**cell, **target.measure(bench, **cell)}
    except Exception as error:
        traceback.print_exc()
        message = f"{type(error).__name__}: {error}".splitlines()[0]
        for path in filter(None, (bench.data, bench.output.resolve(), ROOT)):
            message = message.replace(f"{path}/", "")
        return {**cell, "failed": message}


def conclude(target, bench, record):
    """Add claims and pictures to the rows of a record."""
    good = [row for row in record["rows"] if "failed" not in row]
    n_failed = len(record["rows"]) - len(good)
    claims = target.claims(good)
    if n_failed:
        claims.append(Claim("cells that failed", "0", str(n_failed), False))
    if record["left_out"]:
        claims.append(Claim("cells left out", "", str(record["left_out"]), None))
    record["claims"] = [claim._asdict() for claim in claims]
    record["files"] = target.finish(bench, good)


def run(target, bench, record):
    """Measure a target cell by cell into its record."""
    print(f"\n{target.title}\n{textwrap.fill(target.about, 92)}\n", flush=True)
    record["skipped"] = target.skipped(bench)
    if record["skipped"]:
        print(f"Skipped: {record['skipped']}.", flush=True)
        record["complete"] = True
        return
    begin = time.perf_counter()
    table = GrowingTable(target.columns)
    try:
        cells = target.cells(bench)
        for cell in cells:
            if time.perf_counter() - begin > bench.settings.patience:
                record["left_out"] = len(cells) - len(record["rows"])
                print(f"{record['left_out']} cells skipped: out of time", flush=True)
                break
            record["rows"].append(measure(target, bench, cell))
            table.add(record["rows"][-1])
        record["complete"] = True
    finally:
        record["seconds"] = time.perf_counter() - begin
        conclude(target, bench, record)
    print()
    show_claims(record)


def main():
    """Run the given targets, or all."""
    options = parse()
    settings = QUICK if options.quick else FULL
    bench = Bench(settings, options.data, options.output)
    report = Report(options.output, settings.mode, describe_machine())
    begin = time.perf_counter()
    for name in options.targets or TARGETS:
        record = new_record()
        try:
            run(TARGETS[name], bench, record)
        except KeyboardInterrupt:
            print(f"\nInterrupted; {report.paths['md'].name} has what was measured.")
            return INTERRUPTED
        finally:
            report.put(name, record)
    print(f"\n{time.perf_counter() - begin:.0f} s; see {report.paths['md'].name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
