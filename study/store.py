"""The stored results: one line per result, written as soon as it is known."""

import json
import logging
import os
from dataclasses import asdict, dataclass
from numbers import Real
from operator import attrgetter
from pathlib import Path

from largemargin.production.files import replaced

try:
    import fcntl
except ImportError:  # Windows has no such locks; runs there are not kept apart.
    fcntl = None

logger = logging.getLogger("largemargin")

RESULTS, DATASETS = "results.jsonl", "datasets.json"
# Of the values in a line; all others are strings.
TYPES = {
    "repetition": int,
    "accuracy": Real,
    "chosen": dict,
    "cpu_seconds": Real | None,
    "log_loss": Real | None,
    "r2": Real,
    "mae": Real,
}


class StoreError(RuntimeError):
    """A store that cannot be read or written."""


@dataclass(frozen=True)
class Result:
    """What one method reached on one random half of a data set.

    Attributes
    ----------
    protocol : {"paper", "fair"}
        How data were scaled and parameters chosen.

    dataset : str
        A name of the registry, or that of a user's file.

    kernel : {"linear", "rbf"}
        The kernel.

    method : str
        A key of ``STUDIED``.

    repetition : int
        Number of the random half, from 0.

    accuracy : float
        Share of the test half that is predicted right.

    chosen : dict
        Parameters chosen by cross-validation; empty if there was no choice.

    cpu_seconds : float or None
        CPU time of one fit on the training half at these parameters.

    log_loss : float or None, default=None
        Of calibrated probabilities on the test half; None where they are not measured.
    """

    protocol: str
    dataset: str
    kernel: str
    method: str
    repetition: int
    accuracy: float
    chosen: dict
    cpu_seconds: float | None
    log_loss: float | None = None

    def __post_init__(self):
        if not 0.0 <= self.accuracy <= 1.0:
            raise ValueError(f"accuracy must be between 0 and 1; got {self.accuracy}")

    @property
    def key(self):
        """What was measured: protocol, data set, kernel, method, repetition."""
        return self.protocol, self.dataset, self.kernel, self.method, self.repetition


@dataclass(frozen=True)
class Facts:
    """Size, origin and digest of a data set; older stores have no digests.

    Of more than two classes, ``positives`` are the rows of the last one.
    """

    rows: int
    features: int
    positives: int
    source: str
    digest: str | None = None
    classes: int = 2

    def contradicts(self, other):
        """Return whether the two cannot be of the same rows and labels."""
        sizes = [(fact.rows, fact.features, fact.positives) for fact in (self, other)]
        digests = {self.digest, other.digest} - {None}
        return sizes[0] != sizes[1] or len(digests) > 1

    def __str__(self):
        digest = "" if self.digest is None else f" and the digest {self.digest[:8]}"
        return f"{self.rows} rows, {self.features} features{digest} from {self.source}"


class Store:
    """Results in a directory, kept even if the run is killed.

    Reading takes no lock and leaves out a last line that was cut short. Writing locks the
    file and removes such a line first: its task is then done again. A last line that only
    lacks its end is kept.

    Parameters
    ----------
    directory : path-like
        Where ``results.jsonl`` and ``datasets.json`` are, or will be.

    kind : type, default=Result
        The class of a result.
    """

    def __init__(self, directory, kind=Result):
        self.directory, self.kind = Path(directory), kind
        self.path = self.directory / RESULTS
        self._file = None

    def results(self):
        """Return all results, sorted by what was measured."""
        whole, rest = self._lines()
        found = {}
        for number, line in enumerate([*whole, *self._result_in(rest)], start=1):
            result = self._parsed(line, number)
            found[result.key] = result
        return sorted(found.values(), key=attrgetter("key"))

    def done(self):
        """Return the keys of all results."""
        return {result.key for result in self.results()}

    def append(self, results):
        """Add results; they are on disk on return, or none of them if the disk is full."""
        self.open()
        lines = [json.dumps(asdict(result)) + "\n" for result in results]
        left = memoryview("".join(lines).encode())
        size = os.fstat(self._file.fileno()).st_size
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(size)
            raise

    def datasets(self):
        """Return the facts of each data set seen, by name."""
        path = self.directory / DATASETS
        try:
            noted = json.loads(path.read_text(encoding="utf-8"))
            return {name: Facts(**facts) for name, facts in noted.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{path} is not a table of data sets ({error}). Delete it: the next run "
                "writes it anew."
            ) from error

    def note_dataset(self, name, facts):
        """Keep the facts of a data set; refuse those that contradict earlier ones."""
        noted = self.datasets()
        before = noted.get(name, facts)
        if facts.contradicts(before):
            raise StoreError(
                f"{self.path} has results of {name} with {before}; it now has {facts}. "
                "Results of the two must not be mixed: give another output directory, or "
                "the data of the earlier run."
            )
        self.open()
        table = {
            key: asdict(value) for key, value in sorted({**noted, name: facts}.items())
        }
        with replaced(self.directory / DATASETS) as stream:
            stream.write(json.dumps(table, indent=1).encode() + b"\n")

    def open(self):
        """Lock the store for writing; end the last line, or remove it if it is torn."""
        if self._file is not None:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        file = self.path.open("ab", buffering=0)
        try:
            self._lock(file)
            whole, rest = self._lines()
            if self._result_in(rest):
                file.write(b"\n")
            elif rest:
                logger.warning(
                    "%s ends in a line that was cut short; it is removed, and what it "
                    "stood for is done again",
                    self.path,
                )
                file.truncate(sum(map(len, whole)))
        except BaseException:
            file.close()
            raise
        self._file = file

    def close(self):
        """Give the lock back."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *details):
        self.close()

    def _lock(self, file):
        if fcntl is None:
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"{self.path} is being written by another run. Wait until it ends, or give "
                "another output directory."
            ) from None

    def _lines(self):
        """Return the lines that end, and what is left after them."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return [], b""
        lines = content.split(b"\n")
        return [line + b"\n" for line in lines[:-1]], lines[-1]

    def _result_in(self, rest):
        """Return a list of what is left after the last line that ends, if it is whole."""
        try:
            self._parsed(rest, 0)
        except StoreError:
            return []
        return [rest]

    def _parsed(self, line, number):
        try:
            values = json.loads(line)
            result = self.kind(**values)
            # Sorting and averaging come later: a wrong type is better reported here.
            wrong = [
                name
                for name in values
                if not isinstance(values[name], TYPES.get(name, str))
            ]
        except (ValueError, TypeError) as error:
            raise self._unreadable(number, error) from error
        if wrong:
            raise self._unreadable(number, f"wrong type of {wrong[0]}")
        return result

    def _unreadable(self, number, reason):
        return StoreError(
            f"Line {number} of {self.path} is not a result ({reason}). Delete that line: "
            "the next run does its task again and keeps all others."
        )
