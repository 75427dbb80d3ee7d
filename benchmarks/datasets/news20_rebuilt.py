"""Newsgroup articles."""

from benchmarks.datasets.base import Dataset


class News20Rebuilt(Dataset):
    """Words and pairs of words of 20 Newsgroups, 400 per row."""

    name = "news20-rebuilt"
    n_rows = 18_846
    n_features = 1_607_500
    density = 0.00025
    positives = 0.512
    text = True
