"""German credit risks."""

from benchmarks.datasets.base import Dataset


class German(Dataset):
    """Statlog's german, its categories as 0/1 columns."""

    name = "german"
    n_rows = 1000
    n_features = 59
    density = 0.4
    positives = 0.3
