"""The 32 data sets of the paper."""

from largemargin.tables import Data, UnreadableFile
from study.datasets.download import DownloadError
from study.datasets.entry import Entry
from study.datasets.loading import MissingDataset, load
from study.datasets.registry import UnknownDataset, info, names

__all__ = [
    "Data",
    "DownloadError",
    "Entry",
    "MissingDataset",
    "UnknownDataset",
    "UnreadableFile",
    "info",
    "load",
    "names",
]
