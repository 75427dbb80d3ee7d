"""Parquet files, whose size is estimated before they are read."""

import io

from largemargin.numerics.memory import FLOAT_BYTES, check_room
from largemargin.tables.reading import read_whole
from largemargin.tables.table_rows import rows_of_frame
from largemargin.tables.table_text import UnreadableFile

# Values of any length, each of which a file may keep once and repeat.
VARIABLE_LENGTH = "BYTE_ARRAY"


def read_parquet(stream, name, header):
    """Return the rows of a Parquet file."""
    try:
        frame = read_frame(io.BytesIO(read_whole(stream)))
    except ImportError:
        raise ImportError(
            "Parquet files need pandas and pyarrow: pip install 'largemargin[cli]'."
        ) from None
    except LookupError as error:  # what pyarrow looks for in vain in a broken file
        raise UnreadableFile(f"{name} cannot be read as Parquet: no {error}.") from error
    if frame.empty:
        raise UnreadableFile(f"{name} is empty; expected rows.")
    return rows_of_frame(frame, name)


def read_frame(content):
    """Return a file as a data frame, in which no word is stored more than once."""
    import pandas as pd
    from pyarrow.parquet import ParquetFile

    metadata = ParquetFile(content).metadata
    check_room(decoded_bytes(metadata), "The table", "Leave out rows or columns")
    words = names_of_words(metadata)
    return pd.read_parquet(content, engine="pyarrow", read_dictionary=words)


def decoded_bytes(metadata):
    """Return how much memory the values of a file take, words without their letters."""
    lengths = [
        max(metadata.schema.column(place).length or 0, FLOAT_BYTES)
        for place in range(metadata.num_columns)
    ]
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return sum(
        group.column(place).num_values * length
        for group in groups
        for place, length in enumerate(lengths)
    )


def names_of_words(metadata):
    """Return the columns of words, those inside of other columns left out."""
    columns = (metadata.schema.column(place) for place in range(metadata.num_columns))
    return [
        column.name
        for column in columns
        if column.physical_type == VARIABLE_LENGTH
        and column.path == column.name
        and column.logical_type.type in ("STRING", "NONE")
    ]
