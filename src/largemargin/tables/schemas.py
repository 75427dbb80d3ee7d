"""What the rows of a model look like: learned in training, and kept with it."""

from largemargin.tables.matrix_rows import MatrixSchema
from largemargin.tables.table_rows import TableRows, TableSchema

Schema = MatrixSchema | TableSchema


def learn_schema(rows, *, label=None, missing="refuse", gram=False, drop=()) -> Schema:
    """Return the schema of training rows.

    Parameters
    ----------
    rows : MatrixRows or TableRows
        What a file holds.

    label : str, default=None
        The column of the labels, by name or number; None means the last.

    missing : {"refuse", "impute"}, default="refuse"
        What becomes of missing values.

    gram : bool, default=False
        Whether the rows are those of a Gram matrix.

    drop : sequence of str, default=()
        Columns to leave out, by name or number.
    """
    options = {"label": label, "missing": missing, "drop": drop}
    if isinstance(rows, TableRows):
        return TableSchema.learn(rows, **options)
    return MatrixSchema.learn(rows, gram=gram, **options)


def schema_of_record(record) -> Schema:
    """Return the schema that a model file has."""
    kinds = {"matrix": MatrixSchema, "table": TableSchema}
    fields = {name: value for name, value in record.items() if name != "kind"}
    return kinds[record["kind"]](**fields)
