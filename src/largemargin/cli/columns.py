"""Single columns of rows: as numbers, as words, as labels."""

import numpy as np

from largemargin.datasets.own_files import MAX_WORDS, label_number
from largemargin.datasets.reading import UnreadableFile

MAX_NAMED = 10
WAYS_OUT = "Fill it in, leave the row out, or train with --missing impute."


def holds_words(rows, column):
    """Return whether a column of a table holds words; raise if it is of another kind."""
    series = rows.frame[column]
    kind = series.dtype.kind
    if kind in "iuf":
        return False
    if kind not in "bOUT":
        raise UnreadableFile(
            f"{rows.name}: column {column!r} holds {series.dtype}; expected "
            "numbers or words."
        )
    return True


def words_in(rows, column):
    """Return a column as words, None where nothing is."""
    series = rows.frame[column].astype(object)
    return series.where(series.isna(), series.astype(str)).where(series.notna(), None)


def values_of_words(rows, column):
    """Return the different words in a column; raise if numbers are among them."""
    import pandas as pd

    words = words_in(rows, column).dropna()
    numeric = pd.to_numeric(words, errors="coerce").notna()
    if numeric.any():
        odd = numeric.index[numeric if 2 * numeric.sum() < len(words) else ~numeric][0]
        raise UnreadableFile(
            f"{rows.name}, {rows.place(odd)}: column {column!r} mixes numbers and words; "
            f"here it has {words[odd]!r}. Make all its cells one kind."
        )
    values = sorted(set(words))
    if len(values) > MAX_WORDS:
        raise UnreadableFile(
            f"{rows.name}: column {column!r} has {len(values)} different words, which "
            f"would make as many features; leave it out or keep at most {MAX_WORDS}."
        )
    return values


def numbers_in(rows, column):
    """Return a column as floats, NaN where nothing is; raise if a word is among them."""
    import pandas as pd

    series = rows.frame[column]
    if series.dtype.kind in "iuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    values = pd.to_numeric(series.astype(object), errors="coerce")
    wrong = (values.isna() & series.notna()).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise UnreadableFile(
            f"{rows.name}, {rows.place(row)}: column {column!r} has {series.iloc[row]!r}; "
            "expected a number."
        )
    return values.to_numpy(dtype=np.float64)


def label_place(rows, label):
    """Return the place of the column of the labels, given by name or number or None."""
    names = list(rows.frame)
    if label is None or names.count(label) == 1 or is_place(label, len(names)):
        return label_number(names, label)
    raise UnreadableFile(
        f"{rows.name} has no column {label!r} for the labels; its columns are "
        f"{some(names)}, counted from 0."
    )


def is_place(text, n_columns):
    """Return whether a text is the number of a column, or, if negative, from the end."""
    return text.lstrip("-").isdigit() and -n_columns <= int(text) < n_columns


def labels_in(rows, column):
    """Return a column of a table as labels."""
    series = rows.frame[column]
    absent = series.isna().to_numpy()
    if absent.any():
        raise UnreadableFile(
            f"{rows.name}, {rows.place(int(absent.argmax()))}: no label in column "
            f"{column!r}. Fill it in or leave the row out."
        )
    numeric = series.dtype.kind in "iuf"
    values = series.to_numpy() if numeric else series.astype(str).to_numpy(dtype=str)
    return tidy_labels(values, rows, column)


def tidy_labels(values, rows, column):
    """Return labels, whole numbers as integers; raise if they are measurements."""
    if values.dtype.kind != "f":
        return values
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise UnreadableFile(f"{rows.name}, {rows.place(row)}: its label is {values[row]}.")
    if (values == np.round(values)).all():
        return values.astype(np.int64)
    found = len(np.unique(values))
    if found > 2:
        raise UnreadableFile(
            f"{rows.name}: {column!r} holds {found} different numbers that are not whole; "
            "expected classes. Name the column of the labels by --label."
        )
    return values


def first_index(X):
    """Return the smallest index in sparse rows, 1 if there is none."""
    return int(X.indices.min()) if X.nnz else 1


def some(names):
    """Return names in a sentence, not too many of them."""
    told = ", ".join(repr(name) for name in names[:MAX_NAMED])
    return told + (f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")


def wrong_width(name, found, expected):
    """Return the error for rows with too many or too few features."""
    return UnreadableFile(
        f"{name} has {found} features; the model was trained on {expected}."
    )
