"""Results as people read them: one line in a prompt, a table in a notebook."""

from collections.abc import Callable
from html import escape
from numbers import Integral, Real
from typing import Any


class Record:
    """A result whose arrays are too long to print.

    Subclasses override ``_summary`` and, if a notebook has more to show, ``_columns``.
    A dataclass needs ``repr=False``.
    """

    def _summary(self) -> dict[str, Any]:
        """Return the values that stand for the record, by name."""
        raise NotImplementedError

    def _columns(self) -> dict[str, dict[str, Any]]:
        """Return the columns of the table by title, each with the same names of rows."""
        return {"": self._summary()}

    def __repr__(self):
        values = [f"{name}={shown(one, repr)}" for name, one in self._summary().items()]
        return f"{type(self).__name__}({', '.join(values)})"

    def _repr_html_(self):
        columns = self._columns()
        head = "".join(f"<th>{escape(title)}</th>" for title in ["", *columns])
        lines = [f"<tr>{head}</tr>"] if any(columns) else []
        for name in next(iter(columns.values())):
            values = [escape(shown(column[name])) for column in columns.values()]
            cells = "".join(f"<td>{value}</td>" for value in values)
            lines.append(f"<tr><th>{escape(name)}</th>{cells}</tr>")
        caption = f"<caption>{type(self).__name__}</caption>"
        return "\n".join([f"<table>{caption}", *lines, "</table>"])


def shown(value: Any, other: Callable[[Any], str] = str) -> str:
    """Return a value as text: numbers with four digits, anything else by ``other``."""
    is_fraction = isinstance(value, Real) and not isinstance(value, Integral)
    return f"{value:.4g}" if is_fraction else other(value)
