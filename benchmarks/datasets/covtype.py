"""Forest cover."""

from benchmarks.datasets.base import Dataset


class Covtype(Dataset):
    """Ten measurements and 44 0/1 columns; cover type 2 against the rest."""

    name = "covtype"
    n_rows = 581_012
    n_features = 54
    density = 0.22
    positives = 0.488
