"""Search for false certificates, endless fits, crashes and wrong attributes."""

import argparse
import itertools
import json
import os
import sys
import time
from pathlib import Path

# One thread per process; this must be set before any library is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from fuzz.exact import EPS
from fuzz.machines import MACHINES
from fuzz.problems import draw, kind_of
from fuzz.report import Report
from fuzz.rows import KINDS
from fuzz.verdicts import BAD
from fuzz.workers import Fuzzer

INTERRUPTED = 130
# Seconds between lines of progress.
BREATH = 10.0
# The precision of 80 bits.
ENOUGH = 2e-19


def parse():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument(
        "--fits",
        type=int,
        default=3000,
        help="minimum number of fits (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed (default: %(default)s)"
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="number of processes (default: %(default)s)"
    )
    parser.add_argument(
        "--deadline",
        type=float,
        default=20.0,
        help="seconds after which a fit counts as endless (default: %(default)s)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        help="stop after this many seconds, at the end of a problem (default: no limit)",
    )
    parser.add_argument("--json", type=Path, help="file for all counts and findings")
    parser.add_argument(
        "--only",
        metavar="NAME",
        help="use only this kind of rows, or only machines whose name starts so",
    )
    parser.add_argument(
        "--replay",
        metavar="SEED:NUMBER",
        help="fit one problem again and print all details",
    )
    options = parser.parse_args()
    names = [*KINDS, *(machine.name for machine in MACHINES)]
    if options.only and not any(name.startswith(options.only) for name in names):
        parser.error(f"--only={options.only!r} is none of {', '.join(names)}")
    return options


def numbers(options):
    """Yield the seed and number of each problem to draw."""
    for number in itertools.count():
        if options.only not in KINDS or kind_of(number) == options.only:
            yield options.seed, number


def chooser(options):
    """Return a function that decides which machines to fit."""
    if options.only is None or options.only in KINDS:
        return lambda machine: True
    return lambda machine: machine.name.startswith(options.only)


def run(options):
    """Fit and judge until there are enough fits; return the report."""
    report, begin = Report(), time.monotonic()
    fuzzer = Fuzzer(jobs=options.jobs, deadline=options.deadline)
    last = begin
    for progress, verdicts in fuzzer.run(numbers(options), chooser(options)):
        kind = kind_of(progress.number)
        report.add(progress.seed, progress.number, kind, verdicts)
        if time.monotonic() > last + BREATH:
            last = time.monotonic()
            bad = ", ".join(
                f"{report.total[name]} {name}" for name in BAD if report.total[name]
            )
            seconds = f"{last - begin:.0f} s"
            print(f"{report.total['fits']} fits, {seconds}: {bad or 'clean'}", flush=True)
        late = time.monotonic() > begin + options.seconds
        if late or report.total["fits"] >= options.fits:
            break
    print(f"\n{report.problems} problems in {time.monotonic() - begin:.0f} s\n")
    return report


def replay(options):
    """Fit one problem again and print all details."""
    seed, number = map(int, options.replay.split(":"))
    print(draw(seed, number).describe())
    fuzzer = Fuzzer(jobs=1, deadline=options.deadline)
    clean = True
    for progress, verdicts in fuzzer.run([(seed, number)], chooser(options)):
        kept = {outcome.machine: outcome.kept for outcome in progress.outcomes}
        for judged in verdicts:
            print(f"\n{judged.machine}: {judged.status}, {judged.seconds:.3f} s")
            show_kept(kept[judged.machine], judged)
            for verdict, fact in judged.faults.items():
                clean = False
                print(f"  {verdict.upper()}: {fact}")
    return 0 if clean else 1


def show_kept(kept, judged):
    """Print the attributes of a fitted model, or why there are none."""
    if kept is None:
        print(f"  {judged.message}")
        return
    for name in "gap", "objective", "margin_mean", "margin_variance", "intercept":
        print(f"  {name}: {' '.join(f'{value:.12g}' for value in kept[name])}")
    print(f"  above the best known objective by {judged.excess:.3g} of its size")


def main():
    """Run the fuzzer; return 1 if it found a fault."""
    if EPS > ENOUGH:
        sys.exit("The judge needs an 80-bit numpy.longdouble; this computer has none.")
    options = parse()
    if options.replay:
        return replay(options)
    report = run(options)
    print(report.show())
    if options.json:
        options.json.write_text(json.dumps(report.as_json(), indent=1))
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
