"""Echoes of mines and rocks."""

from benchmarks.datasets.base import Dataset


class Sonar(Dataset):
    """UCI's sonar."""

    name = "sonar"
    n_rows = 208
    n_features = 60
    density = 1.0
    positives = 0.53
