"""Reports: a table on the screen, row by row, then JSON and Markdown."""

import json
import os
import re

from benchmarks.targets import TARGETS

FIRST_WIDTH, MIN_WIDTH = 15, 9
# To be raised when records change, so that those of an earlier form are not kept.
FORMAT = 2
# Tables of more rows than this have a file of their own.
LONG = 120
# Why a row has no measurements, and how the report calls that.
REASONS = {"failed": "Failed", "missing": "Not available"}
MARKS = {True: "yes", False: "NO", None: ""}


class GrowingTable:
    """A table on the screen, printed line by line."""

    def __init__(self, columns):
        self.columns = columns
        self.known = {None}
        self.widths = [max(MIN_WIDTH, len(column.title)) for column in columns]
        self.widths[0] = max(FIRST_WIDTH, self.widths[0])
        self._show([column.title for column in columns])

    def add(self, row):
        """Show a row; one without measurements says why, the first time."""
        if "missing" not in row:
            self._show([column.show(row) for column in self.columns])
        if "failed" in row:
            print(f"  failed: {row['failed']}", flush=True)
        elif row.get("missing") not in self.known:
            self.known.add(row["missing"])
            print(f"  not available: {row['missing']}", flush=True)

    def _show(self, texts):
        first, *others = zip(texts, self.widths, strict=True)
        padded = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]
        print("  ".join(padded), flush=True)


def show_claims(record):
    """Show what a target claims and whether it holds."""
    for claim in record["claims"]:
        wanted = f"  (wanted {claim['wanted']})" if claim["wanted"] else ""
        mark = "!" if claim["ok"] is False else " "
        print(f"{mark} {claim['what']}: {claim['reached']}{wanted}", flush=True)


class Report:
    """The records of a run, by target, and the files they are written to.

    Targets that are not run again keep the numbers of an earlier run with the same
    packages on this computer.
    """

    def __init__(self, directory, mode, machine):
        self.earlier = {}
        self.paths = {kind: directory / f"{mode}.{kind}" for kind in ("json", "md")}
        self.content = {"format": FORMAT, "mode": mode, "machine": machine, "targets": {}}
        directory.mkdir(parents=True, exist_ok=True)
        if self.paths["json"].exists():
            earlier = json.loads(self.paths["json"].read_text())
            if earlier.get("format") == FORMAT:
                self.earlier = earlier["targets"]
            if (earlier.get("format"), earlier.get("machine")) == (FORMAT, machine):
                self.content["targets"] = dict(self.earlier)
            else:  # the times are still good to expect others by
                for record in self.earlier.values():
                    record["sources"] = None

    def put(self, name, record):
        """Keep the record of a target, and write both files."""
        targets = {**self.content["targets"], name: record}
        self.content["targets"] = {key: targets[key] for key in TARGETS if key in targets}
        replace_file(self.paths["json"], as_json(self.content))
        replace_file(self.paths["md"], markdown(self.content))
        if is_long(record):
            path = self.paths["md"].with_name(table_file(self.content["mode"], name))
            replace_file(path, whole_table(TARGETS[name], record))


def as_json(content):
    """Return the records as JSON with one line per row."""
    texts = []

    def place(row):
        texts.append(json.dumps(row, default=float))
        return f"<row {len(texts) - 1}>"

    targets = {
        name: {**record, "rows": [place(row) for row in record["rows"]]}
        for name, record in content["targets"].items()
    }
    text = json.dumps({**content, "targets": targets}, indent=1, default=float)
    return re.sub(r'"<row (\d+)>"', lambda found: texts[int(found[1])], text) + "\n"


def replace_file(path, text):
    """Write a file so that it is never seen half written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.replace(path)


def markdown(content):
    """Return the report as Markdown: all claims first, then one table per target."""
    lines = [f"# Benchmarks, {content['mode']} run", ""]
    lines += [
        "All times of a ratio are measured in one run, in turn. Each is the best of three; "
        "what takes more than a second (0.3 s in a quick run) runs once. Loading data is "
        "not included. 'Above' is how far the objective is above our certified lower "
        "bound, relative to the size of the objective.",
        "",
    ]
    lines += table(["machine", ""], [[k, str(v)] for k, v in content["machine"].items()])
    lines += ["", "## What was reached", ""]
    claims = [
        [name, claim["what"], claim["wanted"], claim["reached"], MARKS[claim["ok"]]]
        for name, record in content["targets"].items()
        for claim in record["claims"]
    ]
    lines += table(["target", "figure", "wanted", "reached", "holds"], claims)
    for name, record in content["targets"].items():
        lines += section(TARGETS[name], record, content["mode"])
    return "\n".join(lines) + "\n"


def is_long(record):
    """Return whether the table of a target has a file of its own."""
    return len(record["rows"]) > LONG


def table_file(mode, name):
    """Return the name of the file of a long table."""
    return f"{mode}-{name}.md"


def whole_table(target, record):
    """Return the file of a long table."""
    lines = [f"# {target.title}", "", target.about, ""]
    return "\n".join([*lines, *rows_table(target, record)]) + "\n"


def rows_table(target, record):
    """Return the lines of the table of all rows that were measured."""
    titles = [column.title for column in target.columns]
    rows = usable(record["rows"])
    return table(titles, [[column.show(row) for column in target.columns] for row in rows])


def usable(rows):
    """Return the rows that have measurements."""
    return [row for row in rows if not any(reason in row for reason in REASONS)]


def reasons(record):
    """Return the lines about cells without measurements, one per reason."""
    lines = []
    for kind, title in REASONS.items():
        cells = {}
        for row in record["rows"]:
            if kind in row:
                cells.setdefault(row[kind], []).append(cell_name(row))
        if cells:
            lines += ["", f"{title}:", ""]
        for reason, names in cells.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            lines.append(f"- {names[0]}{more}: `{reason}`")
    return lines


def section(target, record, mode):
    """Return the lines about one target."""
    lines = ["", f"## {target.title}", "", target.about, ""]
    if record["skipped"]:
        return [*lines, f"Skipped: {record['skipped']}."]
    complete = "" if record["complete"] else " **Interrupted: not all cells are here.**"
    if record["left_out"]:
        complete = f" **{record['left_out']} cells were left out, by choice or for time.**"
    lines += [
        f"{record['date']}, {record['seconds']:.0f} s, load average {record['load']:.2f}, "
        f"revision {record['revision']}.{complete}",
        "",
    ]
    summary = target.summary(usable(record["rows"]))
    if summary:
        lines += [*table(*summary), ""]
    if is_long(record):
        lines += [f"[All {len(record['rows'])} rows]({table_file(mode, target.name)})"]
    else:
        lines += rows_table(target, record)
    lines += reasons(record)
    lines += [f"\n![{target.name}]({name})" for name in record["files"]]
    return lines


def cell_name(cell):
    """Return a cell in words."""
    hidden = {*REASONS, "took", "late"}
    values = {key: value for key, value in cell.items() if key not in hidden}
    return ", ".join(f"{key} {value}" for key, value in values.items() if value is not None)


def table(titles, rows):
    """Return the lines of a Markdown table, padded to be read as text too."""
    texts = [titles, *rows]
    widths = [max(3, *map(len, texts_of)) for texts_of in zip(*texts, strict=True)]
    lines = [
        "| " + " | ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) + " |"
        for row in texts
    ]
    return [lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]]
