"""A data set that the paper does not have: 400 rows, of which the odd ones are +1."""

from study.datasets.entry import Entry

ROWS = "".join(f"{2 * (i % 2) - 1} 1:{i} 3:{0.5 * i}\n" for i in range(1, 401))


def entry_with(sources, **changes):
    """Return the entry of a data set that the paper does not have."""
    known = {
        "name": "tiny",
        "paper_name": "tiny",
        "scale": "regular",
        "paper_rows": 400,
        "paper_features": 4,
        "rows": 400,
        "features": 4,
        "positives": 200,
        "task": "even or odd",
        "positive": "odd",
        "encoding": "raw",
        "sources": sources,
    }
    return Entry(**known | changes)
