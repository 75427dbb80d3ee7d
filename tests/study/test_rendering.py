"""A table is written as Markdown, CSV and LaTeX."""

import csv
import io
import re

import pytest

from study.rendering import (
    Cell,
    Row,
    Table,
    as_csv,
    escape_latex,
    latex,
    markdown,
)


@pytest.fixture
def table():
    return Table(
        name="table2-paper",
        title="Table 2",
        caption="Accuracy, 5 % of a_b.",
        columns=("set", "SVM"),
        align="lc",
        blocks=(
            (
                Row((Cell("my|file_1"), Cell("0.723±0.071•", bold=True))),
                Row.of("paper", "0.700±0.100◦", printed=True),
                Row.of("none", ""),
            ),
            (Row.of("average", "\N{EN DASH}"),),
        ),
        notes=("Repetitions: 3.",),
        records=(
            {"dataset": 'a, "b"', "mean": 1 / 3},
            {"dataset": "c", "mean": None},
        ),
    )


def test_markdown_has_a_heading_and_a_bar_table(table):
    lines = markdown(table).splitlines()
    assert lines[0] == "## Table 2"
    assert lines[4:6] == ["| set | SVM |", "| --- | :-: |"]
    assert lines[-1] == "Repetitions: 3."


def test_markdown_marks_the_best_and_the_papers(table):
    lines = markdown(table).splitlines()
    assert r"| my\|file\_1 | **0.723±0.071•** |" in lines
    assert "| *paper* | *0.700±0.100◦* |" in lines
    assert "| none |  |" in lines


def test_every_line_of_markdown_has_as_many_cells_as_the_head(table):
    rows = [line for line in markdown(table).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}


def test_csv_keeps_every_digit_and_leaves_fields_empty(table):
    rows = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert float(rows[0]["mean"]) == 1 / 3
    assert rows[0]["dataset"] == 'a, "b"'
    assert rows[1]["mean"] == ""


def test_latex_escapes_what_it_would_read_as_commands(table):
    text = latex(table)
    assert r"my$|$file\_1 & \textbf{0.723$\pm$0.071$\bullet$} \\" in text
    assert r"\printed{paper} & \printed{0.700$\pm$0.100$\circ$} \\" in text
    assert r"\caption{Accuracy, 5 \% of a\_b.}" in text
    assert "average & -- \\\\" in text


def test_latex_keeps_a_backslash():
    assert escape_latex("a\\b") == r"a\textbackslash{}b"


def test_latex_is_plain_ascii_with_balanced_braces_and_environments(table):
    text = latex(table)
    assert text.isascii()
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
    assert begun == ended[::-1] == ["table", "tabular"]


def test_latex_sets_blocks_apart(table):
    assert latex(table).count(r"\midrule") == 2
