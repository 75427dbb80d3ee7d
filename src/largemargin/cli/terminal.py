"""What the commands show: progress bars, tables and facts.

Bars are drawn on standard error, only on a terminal and only after two seconds. Results go
to standard output: drawn by rich on a terminal, as plain aligned text elsewhere.
"""

import json
import logging
import math
import os
import shutil
import sys
import textwrap
import threading
from contextlib import contextmanager

from largemargin.numerics.progress_log import logger

PATIENCE_SECONDS = 2.0
# Of 80 columns, this leaves enough for the bar and the time.
TITLE_WIDTH = 26
FACTS_WIDTH, UNLIMITED_WIDTH = 92, 10_000


def on_terminal(name: str = "stderr") -> bool:
    """Return whether a standard stream is a terminal; a closed one is None."""
    stream = getattr(sys, name)
    return stream is not None and stream.isatty()


def brief(title: str) -> str:
    """Return a title that leaves room for a bar; of a path, only the last part is kept."""
    verb, space, what = title.partition(" ")
    short = f"{verb}{space}{os.path.basename(what)}"
    if len(short) <= TITLE_WIDTH:
        return short
    n_last = TITLE_WIDTH // 3
    return f"{short[: TITLE_WIDTH - n_last - 3]}...{short[-n_last:]}"


@contextmanager
def bar(title: str, *, quiet: bool = False):
    """Give ``move(done, total, title=None)``, which moves a bar if there is a terminal."""
    if quiet or not on_terminal():
        yield lambda done, total, title=None: None
        return
    from rich import console, progress

    drawn = progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left:"),
        progress.TimeRemainingColumn(),
        console=console.Console(stderr=True),
        transient=True,
        # Steps differ by a factor of thousands: only a long memory steadies the estimate.
        speed_estimate_period=86400,
    )
    task = drawn.add_task(brief(title), total=None)

    def move(done, total, title=None):
        title = None if title is None else brief(title)
        drawn.update(task, completed=done, total=total, description=title)

    timer = threading.Timer(PATIENCE_SECONDS, drawn.start)
    timer.daemon = True
    timer.start()
    try:
        yield move
    finally:
        timer.cancel()
        timer.join()  # the bar may be just about to appear
        if drawn.live.is_started:
            drawn.stop()


class ProgressHandler(logging.Handler):
    """Moves a bar by the log records of a search, or of ``n_fits`` fits down to ``tol``."""

    def __init__(self, move, tol, n_fits):
        super().__init__(logging.INFO)
        self.move, self.tol, self.n_fits = move, tol, n_fits
        self.n_done, self.shares = 0, {}

    def emit(self, record):
        """Move the bar if the record says how far the work is."""
        if hasattr(record, "progress"):
            self.move(*record.progress)
        elif hasattr(record, "gap"):
            thread, gap, tol = record.thread, record.gap, self.tol
            if record.step == 1 and thread in self.shares:  # the fit before has ended
                self.n_done, self.shares[thread] = self.n_done + 1, 0.0
            # The gap falls by about the same factor in every step.
            done = math.log(gap) / math.log(tol) if tol < gap < 1 else float(gap <= tol)
            self.shares[thread] = max(self.shares.get(thread, 0.0), done)
            # Rounded once, so that the bar does not move back in the last digit.
            share = math.fsum((self.n_done, *self.shares.values())) / self.n_fits
            self.move(100.0 * min(share, 1.0), 100.0)


@contextmanager
def watched(title: str, *, tol: float, n_fits: int = 1, quiet: bool = False):
    """Show a bar that the library's log records move while the block runs."""
    with bar(title, quiet=quiet) as move:
        handler, level = ProgressHandler(move, tol, n_fits), logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)


def show(facts: dict, *, as_json: bool, quiet: bool = False):
    """Print facts as one JSON object, or else one per line unless ``quiet``."""
    if as_json:
        print(json_of(facts))
    elif not quiet:
        width = max(map(len, facts)) + 2
        columns = shutil.get_terminal_size((FACTS_WIDTH, 0)).columns
        wrapper = textwrap.TextWrapper(columns, subsequent_indent=" " * width)
        wrapper.break_long_words = wrapper.break_on_hyphens = False
        for name, value in facts.items():
            wrapper.initial_indent = f"{name:<{width}}"
            print(wrapper.fill(as_text(value)) or name)


def json_of(record: dict) -> str:
    """Return a record, which may hold arrays, as JSON with null for NaN and infinity."""
    text = json.dumps(record, default=lambda value: value.tolist())
    return json.dumps(json.loads(text, parse_constant=lambda name: None))


def as_text(value) -> str:
    """Return a value as text, numbers to six digits."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {as_text(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0:
        return ", ".join(map(as_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def show_table(columns, rows):
    """Print a table, with columns of numbers aligned at the right."""
    from rich import box, console, table

    on_screen = on_terminal("stdout")
    drawn = table.Table(box=box.SIMPLE_HEAD)
    if not on_screen:
        drawn.box, drawn.padding, drawn.pad_edge = None, (0, 2, 0, 0), False
    for name, *cells in zip(columns, *rows, strict=True):
        numeric = all(isinstance(cell, int | float) for cell in cells)
        drawn.add_column(name, justify="right" if numeric else "left")
    for row in rows:
        drawn.add_row(*map(as_text, row))
    screen = console.Console(
        width=None if on_screen else UNLIMITED_WIDTH,
        force_terminal=on_screen,  # else FORCE_COLOR would put colours into plain text
        markup=False,
        emoji=False,
    )
    with screen.capture() as captured:
        screen.print(drawn)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))
