"""Non-coding RNA."""

from benchmarks.datasets.base import Dataset


class CodRna(Dataset):
    """Eight measurements per row."""

    name = "cod-rna"
    n_rows = 59_535
    n_features = 8
    density = 1.0
    positives = 0.333
