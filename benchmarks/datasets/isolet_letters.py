"""Spoken letters."""

from benchmarks.datasets.files import read_rows
from benchmarks.datasets.many_classes import ManyClasses, existing


class IsoletLetters(ManyClasses):
    """Two of five groups of speakers of UCI's isolet: 3,119 x 617, 26 classes."""

    name = "isolet-letters"

    def read(self, directory):
        """Return the rows of the file."""
        existing(directory, f"{self.name}.libsvm.xz")
        return read_rows(directory, self.name)
