"""Run the benchmarks: print tables row by row, and write a report (JSON and Markdown)."""

import argparse
import math
import os
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.machine import describe_machine
from benchmarks.measure import ROOT
from benchmarks.report import Report
from benchmarks.runs import Choice, TargetRun
from benchmarks.settings import FULL, QUICK
from benchmarks.targets import TARGETS
from benchmarks.workers.process import CellProcess

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
    parser.add_argument("--only", action="append", default=[], help="a target, as above")
    parser.add_argument(
        "--quick", action="store_true", help="a short run, of less than three minutes"
    )
    parser.add_argument(
        "--sets", type=words, help="measure only these data sets, for example adult-a,w8a"
    )
    parser.add_argument(
        "--rows", type=numbers, help="measure only these numbers of rows, where m is given"
    )
    parser.add_argument(
        "--where",
        type=assignment,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="measure only cells with this value, for example machine=SVC; several values "
        "of one key are allowed",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="measure cells again that the report has from the same versions",
    )
    parser.add_argument(
        "--plan", action="store_true", help="only print what would be measured"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        help="time for all targets; each measures at least one cell (default: no limit)",
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
    options.targets += options.only
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        parser.error(f"unknown target {unknown[0]!r}; choose from {', '.join(TARGETS)}")
    if options.data is not None:
        options.data = Path(options.data).resolve()
        if not options.data.is_dir():
            parser.error(f"there is no directory {options.data}")
    return options


def words(text):
    """Return what commas separate."""
    return tuple(text.split(","))


def numbers(text):
    """Return the numbers that commas separate."""
    return tuple(int(word.replace("_", "")) for word in words(text))


def assignment(text):
    """Return a key and a value."""
    key, _, value = text.partition("=")
    return key, value


def minutes(seconds):
    """Return a time in words."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def main():
    """Run the given targets, or all."""
    options = parse()
    settings = QUICK if options.quick else FULL
    bench = Bench(settings, options.data, options.output)
    report = Report(options.output, settings.mode, describe_machine())
    where = {}
    for key, value in options.where:
        where.setdefault(key, []).append(value)
    choice = Choice(sets=options.sets, rows=options.rows, where=where, again=options.again)
    names = options.targets or TARGETS
    runs = {
        name: TargetRun(TARGETS[name], bench, choice, report.earlier.get(name))
        for name in names
    }
    n_cells = sum(len(run.expected) for run in runs.values())
    left = sum(run.seconds for run in runs.values())
    print(f"{n_cells} cells to measure, expected to take {minutes(left)}.", flush=True)
    if options.plan:
        for name, run in runs.items():
            print(f"  {name:15} {len(run.expected):5} cells {minutes(run.seconds):>12}")
        return 0
    begin = time.perf_counter()
    end = begin + (60 * options.minutes if options.minutes else settings.seconds)
    process = CellProcess(bench)
    for name, run in runs.items():
        record = run.new_record()
        # Every target has its share of the time that is left.
        share = run.seconds / left if left and end < math.inf else 1.0
        left -= run.seconds
        try:
            patience = share * (end - time.perf_counter())
            run.measure(process, record, patience, partial(report.put, name, record))
        except KeyboardInterrupt:
            print(f"\nInterrupted; {report.paths['md'].name} has what was measured.")
            return INTERRUPTED
        finally:
            report.put(name, record)
    process.close()
    print(f"\n{time.perf_counter() - begin:.0f} s; see {report.paths['md'].name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
