"""Single columns of rows: as numbers, as words, as labels.

A column is an array of floats, NaN where nothing is, or of text, "" where nothing is.
"""

import re

import numpy as np

from largemargin.tables.own_files import MAX_WORDS, label_number
from largemargin.tables.table_text import TEXT, UnreadableFile, as_numbers, odd_one

MAX_NAMED = 10
MAX_NAME_LENGTH = 60
# Columns with fewer different words than this may be as they like.
FEW_WORDS = 20
# Numbers that mean a code, such as 007.
CODE = re.compile(r"[-+]?0\d")


def is_text(rows, column):
    """Return whether a column is text; raise if it is neither that nor numbers."""
    values = rows.columns[column]
    if values.dtype.kind not in "fT":
        raise UnreadableFile(
            f"{rows.name}: column {short(column)} holds {values.dtype}; expected numbers "
            "or words. Leave it out by --drop."
        )
    return values.dtype.kind == "T"


def holds_words(rows, column):
    """Return whether a column holds words; raise if numbers are among them."""
    if not is_text(rows, column) or rows.numbers(column) is not None:
        return False
    odd = odd_one(rows.columns[column])
    if odd is None:
        return True
    raise UnreadableFile(
        f"{rows.name}, {rows.place(odd)}: column {short(column)} mixes numbers and words; "
        f"here it has {short(rows.columns[column][odd])}. Make all its cells one kind, or "
        "leave it out by --drop."
    )


def values_of_words(rows, column):
    """Return the different words in a column; raise if they are no categories."""
    cells = words_in(rows, column)
    words = sorted(set(cells.tolist()) - {""})
    if len(words) > MAX_WORDS or len(words) > max(FEW_WORDS, len(cells) / 2):
        raise UnreadableFile(
            f"{rows.name}: column {short(column)} has {len(words)} different words in "
            f"{len(cells)} rows, such as {short(words[0])}, each of which would become a "
            "feature. If they are numbers or dates, write them as 1234.5; else leave the "
            "column out by --drop."
        )
    return words


def words_in(rows, column):
    """Return a column as text, "" where nothing is."""
    values = rows.columns[column]
    if is_text(rows, column):
        return values
    return np.array(["" if np.isnan(value) else f"{value:.17g}" for value in values], TEXT)


def numbers_in(rows, column):
    """Return a column as floats, NaN where nothing is; raise if a word is among them."""
    if not is_text(rows, column):
        return rows.columns[column]
    values = rows.numbers(column)
    if values is not None:
        return values
    cells = rows.columns[column]
    odd = next(row for row in range(len(cells)) if as_numbers(cells[row : row + 1]) is None)
    raise UnreadableFile(
        f"{rows.name}, {rows.place(odd)}: column {short(column)} has {short(cells[odd])}; "
        "expected a number."
    )


def column_place(rows, given, what):
    """Return the place of a column, given by name or number."""
    names = list(rows.columns)
    try:
        return label_number(names, given)
    except ValueError:
        raise UnreadableFile(
            f"{rows.name} has no column {given!r} {what}; its columns are {some(names)}, "
            "counted from 0."
        ) from None


def label_place(rows, label):
    """Return the place of the column of the labels, given by name or number or None."""
    return column_place(rows, label, "for the labels")


def labels_in(rows, column, lenient):
    """Return a column of a table as labels, None if it is lenient and they are not."""
    return readable(lambda: column_labels(rows, column), lenient)


def readable(read, lenient):
    """Return what can be read; what cannot is None, or an error for the strict."""
    try:
        return read()
    except UnreadableFile:
        if lenient:
            return None
        raise


def column_labels(rows, column):
    """Return a column of a table as labels."""
    cells = words_in(rows, column)
    absent = cells == ""
    if absent.any():
        raise UnreadableFile(
            f"{rows.name}, {rows.place(int(absent.argmax()))}: no label in column "
            f"{short(column)}. Fill it in or leave the row out."
        )
    values = as_numbers(cells)
    if values is None or any(CODE.match(cell) for cell in set(cells.tolist())):
        return np.array(cells.tolist())
    labels = tidy_labels(values, rows, f"column {short(column)}")
    return labels if labels.dtype.kind == "i" else np.array(cells.tolist())


def tidy_labels(values, rows, what):
    """Return labels, whole numbers as integers, others as text.

    Numbers that are not whole are measurements, unless there are just two of them.
    """
    if values.dtype.kind != "f":
        return values
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise UnreadableFile(f"{rows.name}, {rows.place(row)}: its label is {values[row]}.")
    if (values == np.round(values)).all() and np.abs(values).max() < 2**53:
        return values.astype(np.int64)
    found = len(np.unique(values))
    if found > 2:
        raise UnreadableFile(
            f"{rows.name}: {what} holds {found} different numbers that are not whole; "
            f"expected classes. {rows.way_to_labels}"
        )
    return values.astype(str)


def way_out(value):
    """Return what to do about a value that is missing or infinite."""
    if np.isnan(value):
        return "Fill it in, leave the row out, or train with --missing impute."
    return "Correct it, or leave the row out."


def are_places(numbers):
    """Return whether numbers are such as count columns."""
    return all(type(number) is int and number >= 0 for number in numbers)


def first_index(X):
    """Return the smallest index in sparse rows, 1 if there is none."""
    return int(X.indices.min()) if X.nnz else 1


def some(names):
    """Return names in a sentence, not too many of them."""
    told = ", ".join(map(short, names[:MAX_NAMED]))
    return told + (f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")


def short(name):
    """Return a name in quotes, not too much of it.

    Examples
    --------
    >>> short("size"), short(3)
    ("'size'", '3')
    """
    told = repr(str(name)) if isinstance(name, str) else repr(name)
    if len(told) <= MAX_NAME_LENGTH:
        return told
    return f"{told[: MAX_NAME_LENGTH - 4]}...{told[0]}"


def wrong_width(name, found, expected):
    """Return the error for rows with too many or too few features."""
    return UnreadableFile(
        f"{name} has {found} features; the model was trained on {expected}."
    )
