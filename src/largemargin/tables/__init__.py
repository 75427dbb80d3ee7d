"""Files of your own, read into rows and labels."""

from largemargin.tables.own_files import Data, load_file
from largemargin.tables.reading import UnreadableFile

__all__ = ["Data", "UnreadableFile", "load_file"]
