"""What is known about a data set."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """A version of a data set that may be used under its name.

    Parameters
    ----------
    file : str
        The name of the file that holds them, up to ``.libsvm``.

    rows, features : int
        Their size.

    positives : int or None
        How many rows are of the class +1, where it is known.

    difference : str, default=""
        How they differ from the whole set.
    """

    file: str
    rows: int
    features: int
    positives: int | None
    difference: str = ""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set of the paper.

    Parameters
    ----------
    name : str
        The name to load it by.

    paper_name : str
        Its name in Table 1.

    scale : {"regular", "large"}
        The part of Table 1 that it is in.

    paper_rows, paper_features : int
        Its size in Table 1.

    rows, features : int
        The size of what its public home gives, after encoding.

    positives : int or None
        How many of those rows are of the class +1, where it is known.

    task : str
        What is to be predicted.

    positive : str
        What +1 means.

    encoding : str
        How the source's values became numbers.

    sources : tuple
        Where it can be downloaded; each has an ``address``.

    text : bool, default=False
        Whether rows are texts, to be scaled to unit length and not feature by feature.

    note : str, default=""
        How the rows differ from the paper's.

    stand_ins : tuple of Form, default=()
        Smaller or rebuilt versions, used if the whole set is not found.
    """

    name: str
    paper_name: str
    scale: str
    paper_rows: int
    paper_features: int
    rows: int
    features: int
    positives: int | None
    task: str
    positive: str
    encoding: str
    sources: tuple
    text: bool = False
    note: str = ""
    stand_ins: tuple = ()

    @property
    def whole(self):
        """The set as its public home gives it."""
        return Form(self.name, self.rows, self.features, self.positives)
