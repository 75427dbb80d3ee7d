"""What data sets of many classes share: labels instead of signs, and no generated rows."""

from benchmarks.datasets.base import Rows
from benchmarks.datasets.files import shuffled
from benchmarks.measure import Missing


class ManyClasses:
    """A named data set of more than two classes; subclasses read it."""

    name: str

    def load(self, directory):
        """Return the rows, scaled and shuffled, with their labels."""
        return Rows(*shuffled(*self.read(directory)), "real")

    def read(self, directory):
        """Return the rows and the labels as they are."""
        raise NotImplementedError


def existing(directory, file_name):
    """Return the path of a file; ``Missing`` is raised if it is not there."""
    if directory is None or not (directory / file_name).exists():
        raise Missing(f"{file_name} is not in the directory of data sets")
    return directory / file_name
