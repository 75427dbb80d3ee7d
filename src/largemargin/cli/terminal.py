"""What the commands show: bars of progress, tables and facts.

Bars are drawn on standard error, after two seconds and on a terminal only; results go to
standard output, drawn by rich on a terminal and as plain aligned text elsewhere.
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

PATIENCE_SECONDS = 2.0
# Of what is written before a bar; of 80 columns it leaves enough for bar and time.
TITLE_WIDTH = 26
FACTS_WIDTH = 92
logger = logging.getLogger("largemargin")


def on_terminal():
    """Return whether there is a terminal to draw progress on."""
    return is_terminal(sys.stderr)


def is_terminal(stream):
    """Return whether a stream is a terminal; one that was closed by the shell is None."""
    return stream is not None and stream.isatty()


def tell(line):
    """Print a line on standard error, above a bar if one is drawn."""
    # While a bar is drawn, rich has put its own stream there.
    if sys.stderr is not None:
        print(line, file=sys.stderr)


def brief(title):
    """Return a title that leaves room for a bar; of a path it has the last part only.

    Examples
    --------
    >>> brief("reading /home/ada/data of may/cells.csv")
    'reading cells.csv'
    >>> brief("reading cells_of_all_the_patients.csv")
    'reading cells_o...ents.csv'
    """
    verb, space, what = title.partition(" ")
    short = f"{verb}{space}{os.path.basename(what)}"
    if len(short) <= TITLE_WIDTH:
        return short
    n_last = TITLE_WIDTH // 3
    return f"{short[: TITLE_WIDTH - n_last - 3]}...{short[-n_last:]}"


class Bar:
    """A progress bar with the time left, drawn if it is still there after a while."""

    def __init__(self, title):
        from rich import progress
        from rich.console import Console

        # Steps differ by a factor of thousands: only a long memory gives a steady estimate.
        self.drawn = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left:"),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            speed_estimate_period=86400,
        )
        self.console = self.drawn.console
        self.task = self.drawn.add_task(brief(title), total=None)
        self.lock, self.ended = threading.Lock(), False
        self.timer = threading.Timer(PATIENCE_SECONDS, self._appear)
        self.timer.daemon = True

    def _appear(self):
        with self.lock:
            if not self.ended:
                self.drawn.start()

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *details):
        self.timer.cancel()
        with self.lock:
            self.ended = True
            self.drawn.stop()

    def __call__(self, done, total, title=None):
        """Move the bar; ``total`` is None while it is not known."""
        title = None if title is None else brief(title)
        self.drawn.update(self.task, completed=done, total=total, description=title)


class NoBar:
    """What stands in for a bar where there is no terminal."""

    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    def __call__(self, done, total, title=None):
        """Show nothing."""


def bar(title, *, quiet=False):
    """Return a bar, or its stand-in where there is no terminal to draw on."""
    return Bar(title) if on_terminal() and not quiet else NoBar()


class Watcher(logging.Handler):
    """Moves a bar by what searches and fits tell the logger.

    Parameters
    ----------
    move : callable
        Takes how much is done, and of how much.

    tol : float
        The gap at which a fit is done.

    n_fits : int
        How many there will be.
    """

    def __init__(self, move, tol, n_fits):
        super().__init__(logging.INFO)
        self.move = move
        self.tol = tol
        self.n_fits = n_fits
        self.n_done = 0
        self.under_way = {}

    def emit(self, record):
        """Move the bar if the record tells how far the work is."""
        if hasattr(record, "progress"):
            self.move(*record.progress)
        elif hasattr(record, "gap"):
            self._follow(record.thread, record.step, record.gap)
            share = (self.n_done + sum(self.under_way.values())) / self.n_fits
            self.move(100.0 * min(share, 1.0), 100.0)

    def _follow(self, thread, step, gap):
        """Take note of a step of the fit in a thread; the first one ends the fit before."""
        if step == 1 and thread in self.under_way:
            self.n_done += 1
            del self.under_way[thread]
        before = self.under_way.get(thread, 0.0)
        self.under_way[thread] = max(before, share_done(gap, self.tol))


def share_done(gap, tol):
    """Return how much of a fit is done.

    It is done when its gap has fallen to ``tol``; on its way it falls about as much in
    every step, so its logarithm is the measure.

    Examples
    --------
    >>> share_done(1e-2, tol=1e-4)
    0.5
    """
    if gap <= tol:
        return 1.0
    return max(math.log(gap) / math.log(tol), 0.0) if gap < 1 else 0.0


@contextmanager
def watched(title, *, tol, n_fits=1, quiet=False):
    """Show a bar that the records of the library move, while the block runs."""
    with bar(title, quiet=quiet) as move:
        watcher, level = Watcher(move, tol, n_fits), logger.level
        logger.addHandler(watcher)
        logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.removeHandler(watcher)
            logger.setLevel(level)


def show(facts, *, as_json, quiet=False):
    """Print facts as one JSON object, or in lines unless these are not wanted."""
    if as_json:
        print(json_of(facts))
    elif not quiet:
        show_facts(facts)


def json_of(record):
    """Return a record as JSON; numbers that JSON does not have become null.

    Examples
    --------
    >>> json_of({"AUC": float("nan"), "rows": (1, 2)})
    '{"AUC": null, "rows": [1, 2]}'
    """
    return json.dumps(finite(record))


def finite(value):
    """Return a record as JSON can have it, at any depth."""
    if isinstance(value, dict):
        return {str(key): finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    if hasattr(value, "tolist"):
        return finite(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show_facts(facts):
    """Print names and values, a pair a line or, where that is too long, in several.

    Examples
    --------
    >>> show_facts({"rows": 150, "accuracy": 0.96})
    rows      150
    accuracy  0.96
    """
    width = max(len(name) for name in facts)
    columns = shutil.get_terminal_size((FACTS_WIDTH, 0)).columns
    for name, value in facts.items():
        lines = textwrap.wrap(
            words(value),
            max(columns - width - 2, 1),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for k, line in enumerate(lines or [""]):
            print(f"{'' if k else name:<{width}}  {line}")


def words(value):
    """Return a value as text, numbers to six digits.

    Examples
    --------
    >>> words({"C": 0.1234567, "gamma": "scale"})
    'C 0.123457, gamma scale'
    """
    if isinstance(value, dict):
        return ", ".join(f"{name} {words(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0:
        return ", ".join(words(inner) for inner in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def show_table(columns, rows):
    """Print a table: by rich on a terminal, else as aligned text.

    Parameters
    ----------
    columns : sequence of str
        Heads of the columns.

    rows : sequence of sequence
        The cells; numbers are aligned at the right.

    Examples
    --------
    >>> show_table(["name", "rows"], [["iris", 150], ["sonar", 60]])
    name   rows
    iris    150
    sonar    60
    """
    numeric = [
        all(isinstance(row[k], int | float) for row in rows) for k in range(len(columns))
    ]
    texts = [[words(cell) for cell in row] for row in rows]
    if is_terminal(sys.stdout):
        draw_table(columns, texts, numeric)
        return
    for line in [list(columns), *texts]:
        cells = []
        for k, cell in enumerate(line):
            width = max(len(text[k]) for text in [columns, *texts])
            cells.append(f"{cell:>{width}}" if numeric[k] else f"{cell:<{width}}")
        print("  ".join(cells).rstrip())


def draw_table(columns, texts, numeric):
    """Draw a table on the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name, is_number in zip(columns, numeric, strict=True):
        table.add_column(name, justify="right" if is_number else "left")
    for line in texts:
        table.add_row(*line)
    Console().print(table)
