"""The IJCNN 2001 engine."""

from benchmarks.datasets.base import Dataset


class Ijcnn1(Dataset):
    """The training and validation part of LIBSVM's ijcnn1."""

    name = "ijcnn1"
    n_rows = 49_990
    n_features = 22
    density = 0.59
    positives = 0.097
