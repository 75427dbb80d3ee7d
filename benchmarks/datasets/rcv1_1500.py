"""Reuters news."""

from benchmarks.datasets.base import Dataset


class Rcv1Sample(Dataset):
    """A sample of RCV1's tf-idf rows."""

    name = "rcv1-1500"
    n_rows = 1_500
    n_features = 47_236
    density = 0.00165
    positives = 0.469
    text = True
