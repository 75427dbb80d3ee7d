"""Files of rows: LIBSVM text, CSV, TSV, Parquet and NPZ, read by one set of rules."""

from largemargin.tables.load import Data, load_file
from largemargin.tables.opening import UnreadableFile

__all__ = ["Data", "UnreadableFile", "load_file"]
