"""Files of your own, read into rows and labels."""

from largemargin.datasets.own_files import Data, load_file
from largemargin.datasets.reading import UnreadableFile

__all__ = ["Data", "UnreadableFile", "load_file"]
