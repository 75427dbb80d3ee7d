"""The 32 data sets of the paper, and files of your own."""

from largemargin.datasets.download import DownloadError
from largemargin.datasets.entry import Data, Entry
from largemargin.datasets.loading import MissingDataset, load
from largemargin.datasets.own_files import load_file
from largemargin.datasets.reading import UnreadableFile
from largemargin.datasets.registry import UnknownDataset, info, names

__all__ = [
    "Data",
    "DownloadError",
    "Entry",
    "MissingDataset",
    "UnknownDataset",
    "UnreadableFile",
    "info",
    "load",
    "load_file",
    "names",
]
