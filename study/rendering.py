"""A table of text, and how it is written as Markdown, CSV and LaTeX."""

import csv
import io
import re
from dataclasses import dataclass

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: "\\" + letter for letter in "&%$#_{}"},
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "±": r"$\pm$",
    "•": r"$\bullet$",
    "◦": r"$\circ$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{EN DASH}": "--",
}
MARKDOWN_LETTERS = re.compile(r"([\\`*_<|\[\]])")
MARKDOWN_ALIGN = {"l": "---", "p": "---", "r": "--:", "c": ":-:"}
LATEX_ALIGN = {"p": r"p{0.5\linewidth}"}


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and whether it stands out."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Row:
    """A line of a table; ``printed`` if it repeats figures that the paper printed."""

    cells: tuple[Cell, ...]
    printed: bool = False

    @classmethod
    def of(cls, *texts, printed=False):
        """Return a row of plain cells."""
        return cls(tuple(Cell(text) for text in texts), printed)


@dataclass(frozen=True)
class Table:
    """A table to be written.

    Parameters
    ----------
    name : str
        That of its files, such as ``"table2-paper"``.

    title : str
        Its number; LaTeX counts by itself.

    caption : str
        What it shows.

    columns : tuple of str
        Heads of the columns.

    align : str
        A letter for each column: ``l``, ``c``, ``r``, or ``p`` for sentences.

    blocks : tuple of tuple of Row
        The lines, in groups that are set apart.

    notes : tuple of str
        Sentences below the table.

    records : tuple of dict
        The same numbers in full, for the CSV file.
    """

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    align: str
    blocks: tuple[tuple[Row, ...], ...]
    notes: tuple[str, ...]
    records: tuple[dict, ...]


def markdown(table):
    """Return a table as Markdown, lines of the paper in italics."""
    lines = [
        f"## {table.title}",
        "",
        escape_markdown(table.caption),
        "",
        markdown_line(map(escape_markdown, table.columns)),
        markdown_line(MARKDOWN_ALIGN[letter] for letter in table.align),
    ]
    rows = [row for block in table.blocks for row in block]
    lines += [markdown_line(markdown_cell(cell, row) for cell in row.cells) for row in rows]
    for note in table.notes:
        lines += ["", escape_markdown(note)]
    return "\n".join(lines) + "\n"


def markdown_line(cells):
    """Return cells with bars between them."""
    return f"| {' | '.join(cells)} |"


def markdown_cell(cell, row):
    """Return the text of a cell, in bold or italics if it should be."""
    text = escape_markdown(cell.text)
    if not text:
        return text
    return f"**{text}**" if cell.bold else f"*{text}*" if row.printed else text


def escape_markdown(text):
    """Return text without letters that mean something in a Markdown table."""
    return MARKDOWN_LETTERS.sub(r"\\\1", text)


def as_csv(table):
    """Return the records of a table as CSV; what is not there is an empty field."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(table.records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.records)
    return file.getvalue()


def latex(table):
    """Return a table as a LaTeX ``table`` for documents with booktabs and graphicx."""
    columns = "".join(LATEX_ALIGN.get(letter, letter) for letter in table.align)
    blocks = [
        "\n".join(latex_line(latex_cell(cell, row) for cell in row.cells) for row in block)
        for block in table.blocks
    ]
    notes = "".join(
        f"\n\\par\\smallskip\\footnotesize {escape_latex(note)}" for note in table.notes
    )
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs,graphicx}.",
            r"\begin{table}[!htbp]",
            r"\centering",
            r"\providecommand{\printed}[1]{{\footnotesize\itshape #1}}",
            rf"\caption{{{escape_latex(table.caption)}}}",
            rf"\label{{tab:{table.name}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            latex_line(map(escape_latex, table.columns)),
            r"\midrule",
            "\n\\midrule\n".join(blocks),
            r"\bottomrule",
            rf"\end{{tabular}}}}{notes}",
            r"\end{table}",
            "",
        ]
    )


def latex_line(cells):
    """Return cells as a line of a tabular."""
    return " & ".join(cells) + r" \\"


def latex_cell(cell, row):
    """Return the text of a cell, in bold or small italics if it should be."""
    text = escape_latex(cell.text)
    if not text:
        return text
    if cell.bold:
        return rf"\textbf{{{text}}}"
    return rf"\printed{{{text}}}" if row.printed else text


def escape_latex(text):
    """Return text without letters that mean something to LaTeX."""
    return "".join(LATEX.get(letter, letter) for letter in text)


# What writes each kind of file.
RENDERERS = {"md": markdown, "csv": as_csv, "tex": latex}
