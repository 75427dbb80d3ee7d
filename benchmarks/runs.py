"""Running a target: cells that are known are kept, others measured within limits."""

import os
import sys
import textwrap
import time
from datetime import datetime

from benchmarks.machine import fingerprint, revision
from benchmarks.report import GrowingTable, cell_name, show_claims, usable
from benchmarks.targets.base import Claim

SAVE_SECONDS = 30.0


class Choice:
    """Which cells of a run are measured."""

    def __init__(self, *, sets=None, rows=None, where=None, again=False):
        self.sets, self.rows, self.where, self.again = sets, rows, where or {}, again

    def wants(self, cell):
        """Return whether a cell passes the filters; cells without such a key do."""
        n_rows = cell.get("m", cell.get("rows"))
        return (
            (not self.sets or cell.get("set") in (None, *self.sets))
            and (not self.rows or n_rows in (None, *self.rows))
            and all(
                key not in cell or str(cell[key]) in values
                for key, values in self.where.items()
            )
        )


class KnownRows:
    """The rows of an earlier record, found by their cells."""

    def __init__(self, record, sources):
        self.rows = record["rows"] if record else []
        self.is_current = bool(record) and record.get("sources") == sources
        self._by_values = {}

    def of(self, cell):
        """Return the row of a cell from any version, or None."""
        keys = tuple(cell)
        if keys not in self._by_values:
            self._by_values[keys] = {
                tuple(row.get(key) for key in keys): row for row in self.rows
            }
        return self._by_values[keys].get(tuple(cell.values()))

    def current(self, cell):
        """Return the row of a cell if it was measured with these sources, or None."""
        row = self.of(cell) if self.is_current else None
        return None if row is None or "failed" in row else row


class TargetRun:
    """What one target still has to measure, and about how long that takes."""

    def __init__(self, target, bench, choice, earlier):
        self.target, self.bench = target, bench
        self.sources = fingerprint(sys.modules[type(target).__module__])
        self.skipped = target.skipped(bench)
        self.cells = [] if self.skipped else target.cells(bench)
        known = KnownRows(earlier, self.sources)
        self.kept, self.expected = {}, {}
        for place, cell in enumerate(self.cells):
            row, wanted = known.current(cell), choice.wants(cell)
            if row is not None and not (wanted and choice.again):
                self.kept[place] = row
            elif wanted:
                guess = min(target.guess(bench, cell), bench.settings.max_guess)
                self.expected[place] = (known.of(cell) or {}).get("took") or guess

    @property
    def seconds(self):
        """About how long this takes."""
        return sum(self.expected.values())

    def new_record(self):
        """Return the record before the first measurement."""
        return {
            "date": datetime.now().astimezone().isoformat(timespec="seconds"),
            "revision": revision(),
            "sources": self.sources,
            "load": os.getloadavg()[0],
            "seconds": 0.0,
            "skipped": self.skipped,
            "complete": False,
            "left_out": 0,
            "claims": [],
            "files": [],
            "rows": [],
        }

    def measure(self, process, record, patience, save):
        """Measure cell by cell into a record, for about ``patience`` seconds; at least one.

        ``save`` is called from time to time, so that little is lost with this process.
        """
        target = self.target
        print(f"\n{target.title}\n{textwrap.fill(target.about, 92)}\n", flush=True)
        if self.skipped:
            print(f"Skipped: {self.skipped}.", flush=True)
            record["complete"] = True
            return
        if self.kept:
            print(f"{len(self.kept)} cells are known; --again measures them again.\n")
        begin = saved = time.perf_counter()
        table = GrowingTable(target.columns)
        rows = dict(self.kept)
        try:
            for place in self.expected:
                is_late = time.perf_counter() - begin > patience
                if is_late and len(rows) > len(self.kept):
                    break
                before = in_order(rows)
                row = self._row(process, self.cells[place], before)
                rows[place] = target.compared(row, before)
                table.add(rows[place])
                if time.perf_counter() - saved > SAVE_SECONDS:
                    record["rows"] = in_order(rows)
                    save()
                    saved = time.perf_counter()
            record["complete"] = True
        finally:
            record["rows"] = in_order(rows)
            record["left_out"] = len(self.cells) - len(rows)
            record["seconds"] = time.perf_counter() - begin
            conclude(target, self.bench, record)
        print()
        show_claims(record)

    def _row(self, process, cell, rows):
        reason = self.target.hopeless(cell, rows)
        if reason:
            return {**cell, "failed": reason, "took": 0.0}
        if sys.stdout.isatty():
            print(f"... {cell_name(cell)}", end="\033[K\r", flush=True)
        limit = self.target.limit(self.bench, cell)
        return process.measure(self.target.name, cell, limit)


def in_order(rows):
    """Return rows in the order of their cells."""
    return [rows[place] for place in sorted(rows)]


def conclude(target, bench, record):
    """Compare all rows of a record, and add claims and pictures."""
    # Again, because kept rows may have been compared with others than those here.
    rows = [target.compared(row, record["rows"]) for row in record["rows"]]
    record["rows"] = rows
    good = usable(rows)
    n_failed = sum("failed" in row for row in rows)
    claims = target.claims(good)
    if n_failed:
        claims.append(Claim("cells that failed", "0", str(n_failed), False))
    n_missing = sum("missing" in row for row in rows)
    counts = {"cells not available": n_missing, "cells left out": record["left_out"]}
    claims += [Claim(what, "", str(n), None) for what, n in counts.items() if n]
    record["claims"] = [claim._asdict() for claim in claims]
    record["files"] = target.finish(bench, good)
