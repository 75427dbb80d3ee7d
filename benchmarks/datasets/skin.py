"""Pixels of skin and of other things."""

from benchmarks.datasets.base import Dataset


class Skin(Dataset):
    """Three colours per row."""

    name = "skin"
    n_rows = 245_057
    n_features = 3
    density = 1.0
    positives = 0.208
