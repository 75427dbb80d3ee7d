"""Text of cells into a table: every line checked and its number kept."""

import csv
import io

from largemargin.datasets.own_files import MISSING
from largemargin.datasets.reading import UnreadableFile, is_number

# pandas knows no "in whatever capitals".
MISSING_SPELLINGS = sorted(
    {spell(word) for word in MISSING for spell in (str, str.upper, str.capitalize)}
    | {"NaN"}
)


def read_text(stream, name, separator, header):
    """Return the table in a stream of text, whether it has a header, and where rows are.

    Parameters
    ----------
    stream : binary file
        UTF-8 text.

    name : str
        The file, for messages.

    separator : str
        Between two cells.

    header : bool or None
        Whether the first line has the names of the columns; None means that it has if
        none of its cells is a number.

    Returns
    -------
    frame : DataFrame
        The cells: columns of numbers, or of words; None or NaN where nothing is.

    has_header : bool
        Whether the first line has names.

    place : callable
        Tells the line that a row of the table is from.
    """
    pd = pandas()
    try:
        text = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            f"{name} is not UTF-8 text ({error.reason} at byte {error.start}); convert it."
        ) from None
    first, lines = survey(text, name, separator)
    if header is None:
        header = not any(is_number(cell) for cell in first)
    if header:
        lines = lines[1:]
    if not lines:
        raise UnreadableFile(f"{name} has a header and no rows below it.")
    frame = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        header=0 if header else None,
        na_values=MISSING_SPELLINGS,
        keep_default_na=False,
        skipinitialspace=True,
        low_memory=False,
    )
    frame.columns = [str(column).strip() for column in frame.columns]
    return frame, header, lambda row: f"line {lines[row]}"


def survey(text, name, separator):
    """Return the cells of the first line, and the number of the line of each record."""
    records = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        skipinitialspace=True,
        strict=True,
    )
    first, lines, before = None, [], 0
    try:
        for record in records:
            line, before = before + 1, records.line_num
            if not any(record) and len(record) < 2:
                continue
            if first is None:
                first = record
            if len(record) != len(first):
                raise UnreadableFile(
                    f"{name}, line {line}: expected {len(first)} cells as in line "
                    f"{lines[0]}; got {len(record)}."
                )
            lines.append(line)
    except csv.Error as error:
        raise UnreadableFile(f"{name}, line {before + 1}: {error}.") from None
    return first, lines


def pandas():
    """Return pandas, or say how to get it."""
    try:
        import pandas
    except ImportError:
        raise ImportError("Tables need pandas: pip install 'largemargin[cli]'.") from None
    return pandas
