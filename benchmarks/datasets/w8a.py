"""Web pages."""

from benchmarks.datasets.base import Dataset


class W8a(Dataset):
    """LIBSVM's w8a: 0/1 columns, 12 ones per row, few positives."""

    name = "w8a"
    n_rows = 49_749
    n_features = 300
    density = 0.039
    positives = 0.03
