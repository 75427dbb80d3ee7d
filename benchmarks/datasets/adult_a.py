"""Adult census incomes."""

from benchmarks.datasets.base import Dataset


class AdultA(Dataset):
    """LIBSVM's a9a: 0/1 columns, 14 ones per row."""

    name = "adult-a"
    n_rows = 32_561
    n_features = 123
    density = 0.113
    positives = 0.24
