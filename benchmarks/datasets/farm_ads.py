"""Farm advertisements."""

from benchmarks.datasets.base import Dataset


class FarmAds(Dataset):
    """Bags of words, more columns than rows."""

    name = "farm-ads"
    n_rows = 4_143
    n_features = 54_877
    density = 0.0036
    positives = 0.533
    text = True
