"""Parquet files, whose size is estimated before they are read."""

import io
from numbers import Number

import numpy as np

from largemargin.numerics.memory import FLOAT_BYTES, check_room
from largemargin.tables.columns import TEXT, NumberColumn, TextColumn
from largemargin.tables.opening import UnreadableFile, read_whole
from largemargin.tables.rows import TableRows, short

# Values of any length; a file may store each of them once.
VARIABLE_LENGTH = "BYTE_ARRAY"
# What a cell of a data frame may be.
CELLS = str, bool, Number


def read_parquet(stream, name) -> TableRows:
    """Return the rows of a Parquet file."""
    try:
        frame = read_frame(io.BytesIO(read_whole(stream)))
    except ImportError:
        raise ImportError(
            "Parquet files need pandas and pyarrow: pip install 'largemargin[cli]'."
        ) from None
    except LookupError as error:  # what pyarrow does not find in a broken file
        raise UnreadableFile(f"{name} cannot be read as Parquet: no {error}.") from error
    if frame.empty:
        raise UnreadableFile(f"{name} is empty; expected rows.")
    names = [str(given) for given in frame.columns]
    if len(set(names)) < len(names):
        raise UnreadableFile(f"{name} has two columns of one name; rename one of them.")
    columns = {given: column_of(frame.iloc[:, k]) for k, given in enumerate(names)}
    return TableRows(name, columns, has_header=True)


def read_frame(content):
    """Return a file as a data frame, in which no word is stored more than once."""
    import pandas as pd
    from pyarrow.parquet import ParquetFile

    metadata = ParquetFile(content).metadata
    places = range(metadata.num_columns)
    columns = [metadata.schema.column(place) for place in places]
    # The letters of words are not counted.
    n_bytes = sum(
        metadata.row_group(group).column(place).num_values
        * max(columns[place].length or 0, FLOAT_BYTES)
        for group in range(metadata.num_row_groups)
        for place in places
    )
    check_room(n_bytes, "The table", "Leave out rows or columns")
    # Without those inside other columns.
    words = [
        column.name
        for column in columns
        if column.physical_type == VARIABLE_LENGTH
        and column.path == column.name
        and column.logical_type.type in ("STRING", "NONE")
    ]
    return pd.read_parquet(content, engine="pyarrow", read_dictionary=words)


def column_of(series):
    """Return a series as a column; one of neither numbers nor words stays an array."""
    if hasattr(series, "cat"):
        # Equal words become one object; pandas would make one for each cell.
        words = np.append(series.cat.categories.to_numpy(dtype=object), None)
        series = type(series)(words[series.cat.codes], name=series.name, dtype=object)
    kind = series.dtype.kind
    if kind in "iuf":
        return NumberColumn(series.to_numpy(dtype=np.float64, na_value=np.nan))
    present = series.dropna()
    if kind not in "bOUT" or not present.map(lambda cell: isinstance(cell, CELLS)).all():
        return series.to_numpy()
    cells = [
        "" if absent else str(value)
        for value, absent in zip(series, series.isna(), strict=True)
    ]
    n_bytes = len(cells) * TEXT.itemsize + sum(map(len, cells))
    check_room(n_bytes, f"Column {short(series.name)}", "Leave it out")
    return TextColumn(np.strings.strip(np.array(cells, TEXT)))
