"""The 32 data sets by name."""

from difflib import get_close_matches

from study.datasets.large import LARGE
from study.datasets.regular import REGULAR

ENTRIES = {entry.name: entry for entry in (*REGULAR, *LARGE)}
SCALES = ("regular", "large")


class UnknownDataset(ValueError):
    """No data set has this name."""


def names(scale=None):
    """Return the names of the data sets in the order of Table 1.

    Parameters
    ----------
    scale : {"regular", "large"}, default=None
        Only those of one scale.

    Returns
    -------
    names : tuple of str
        The names.

    Examples
    --------
    >>> from study import datasets
    >>> datasets.names("regular")[:3]
    ('promoters', 'planning-relax', 'colic')
    >>> len(datasets.names())
    32
    """
    if scale not in (None, *SCALES):
        raise ValueError(f"scale must be one of {SCALES} or None; got {scale!r}.")
    return tuple(n for n, entry in ENTRIES.items() if scale in (None, entry.scale))


def info(name):
    """Return what is known of a data set.

    Parameters
    ----------
    name : str
        Its name here or in the paper.

    Returns
    -------
    entry : Entry
        Its sizes, meaning, encoding and sources.

    Examples
    --------
    >>> from study import datasets
    >>> entry = datasets.info("german")
    >>> entry.rows, entry.features, entry.positive
    (1000, 59, 'bad credit')
    """
    known = ENTRIES | {entry.paper_name: entry for entry in ENTRIES.values()}
    if name in known:
        return known[name]
    near = get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
    hint = f"Did you mean {known[near[0]].name!r}? " if near else ""
    raise UnknownDataset(
        f"No data set is called {name!r}. {hint}The names are {', '.join(ENTRIES)}; "
        "a file of your own is read by largemargin.tables.load_file."
    )
