"""Everything that the study writes: tables, figures, and a report with all of them."""

from io import BytesIO
from itertools import product
from pathlib import Path

from largemargin.production.files import replaced
from study.methods import STUDIED
from study.protocols import PROTOCOLS
from study.rendering import RENDERERS, markdown
from study.tables import KINDS, Comparison, sets_table

# Differences of our SVM from the paper's that deserve a line.
LARGE_DIFFERENCE = 0.02
CAPTIONS = {
    1: "Cumulative frequency of the margins of SVM and LDM on the training rows of some "
    "regular sets, linear kernel, margins divided by the length of w. The further right "
    "the curve, the larger the margins.",
    2: "CPU time of one fit on the large sets at the chosen parameters, median over the "
    "repetitions.",
    3: "Test accuracy of LDM over each of its prices on some regular sets, linear kernel, "
    "the other prices as chosen by cross-validation.",
}
INTRODUCTION = """# The study of the LDM paper

Each repetition trains on a random half of the rows and tests on the other half; parameters
are chosen by cross-validation on the training half. Protocol *paper* has the paper's grids
and scaling. Protocol *fair* gives every method a grid that suits it, and scales by the
training half alone. SVM is this library's LDM with both lambdas at zero."""


def write(store, output_dir, *, data_home=None):
    """Write the tables and figures of a study, and a report with all of them.

    Parameters
    ----------
    store : Store
        The results.

    output_dir : path-like
        Where to write; files of an earlier report are replaced, and its figures that can
        no longer be drawn are removed.

    data_home : path-like, default=None
        Where Figures 1 and 3, which fit some machines again, look for data sets first.

    Returns
    -------
    paths : list of Path
        The files: ``table1.md``, ``table2-paper.csv``, ``figure1-paper.png`` and so on,
        and ``report.md``. A figure that cannot be drawn is left out, and the
        report says why.
    """
    output_dir = Path(output_dir)
    output_dir.mkdir(parents=True, exist_ok=True)
    results, facts = store.results(), store.datasets()
    labels = {key: method.label for key, method in STUDIED.items()}
    found = {result.protocol for result in results}
    protocols = [protocol for protocol in PROTOCOLS if protocol in found]
    comparisons = [
        Comparison(number, protocol, results, facts, labels)
        for number in KINDS
        for protocol in protocols
    ]
    tables = [sets_table(facts), *(comparison.table() for comparison in comparisons)]
    # Before the figures, whose fits take minutes.
    paths = [
        write_atomically(output_dir / f"{table.name}.{suffix}", render(table).encode())
        for table in tables
        for suffix, render in RENDERERS.items()
    ]
    figures, left_out = draw_all(results, protocols, labels, data_home)
    known = {picture_name(*kind) for kind in product(CAPTIONS, PROTOCOLS)}
    for stale in known - figures.keys():
        (output_dir / stale).unlink(missing_ok=True)
    report = assemble(comparisons, tables, figures, left_out)
    files = {**figures, "report.md": report.encode()}
    return paths + [write_atomically(output_dir / name, files[name]) for name in files]


def picture_name(number, protocol):
    """Return the file name of a figure."""
    return f"figure{number}-{protocol}.png"


def write_atomically(path, content):
    """Write a file so that it is never seen half written."""
    with replaced(path) as stream:
        stream.write(content)
    return path


def draw_all(results, protocols, labels, data_home):
    """Return the figures as PNG by file name, and why others are left out."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        reason = "matplotlib is not installed: pip install 'largemargin[plot]'."
        return {}, [f"Figures 1 to 3: {reason}"]
    from study.figures import influence_figure, margin_figure, time_figure

    drawers = {
        1: lambda protocol: margin_figure(results, protocol, labels, data_home),
        2: lambda protocol: time_figure(results, protocol, labels),
        3: lambda protocol: influence_figure(results, protocol, data_home),
    }
    pictures, left_out = {}, []
    for number, draw in drawers.items():
        for protocol in protocols:
            try:
                figure = draw(protocol)
                if figure is not None:
                    pictures[picture_name(number, protocol)] = as_png(figure)
                    continue
                reason = "no results of its sets and methods."
            except (ValueError, OSError) as error:
                reason = str(error)
            left_out.append(f"Figure {number}, protocol {protocol}: {reason}")
    return pictures, left_out


def as_png(figure):
    """Return a figure as the content of a PNG file."""
    file = BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def assemble(comparisons, tables, figures, left_out):
    """Return the report as Markdown."""
    parts = [INTRODUCTION, "## What is missing", missing_part(comparisons, left_out)]
    parts += ["## SVM here and in the paper", difference_part(comparisons)]
    for table in tables:
        files = f"[CSV]({table.name}.csv), [LaTeX]({table.name}.tex)"
        parts += [markdown(table).rstrip(), f"The same as {files}."]
    for name in figures:
        number, protocol = name.removeprefix("figure").removesuffix(".png").split("-")
        title = f"Figure {number}, protocol {protocol}"
        parts += [f"## {title}", f"![{title}]({name})", CAPTIONS[int(number)]]
    return "\n\n".join(parts) + "\n"


def missing_part(comparisons, left_out):
    """Return a list of the sets and figures that are missing."""
    lines = [
        f"- Table {comparison.number}, protocol {comparison.protocol}: "
        f"{', '.join(comparison.missing)}."
        for comparison in comparisons
        if comparison.missing
    ]
    lines += [
        f"- Protocol {protocol}: no results at all."
        for protocol in PROTOCOLS
        if protocol not in {comparison.protocol for comparison in comparisons}
    ]
    lines += [f"- {line}" for line in left_out]
    return "\n".join(lines) or "Nothing."


def difference_part(comparisons):
    """Return where our SVM is far from the paper's, the largest difference first."""
    far = [
        (comparison.kernel, record)
        for comparison in comparisons
        if comparison.protocol == "paper"
        for record in comparison.records()
        if record["method"] == "svm" and abs(record["difference"] or 0) > LARGE_DIFFERENCE
    ]
    far.sort(key=lambda found: -abs(found[1]["difference"]))
    lines = [
        f"- {record['dataset']}, {kernel} kernel: {record['mean']:.3f} here, "
        f"{record['paper_mean']:.3f} in the paper ({record['difference']:+.3f})."
        for kernel, record in far
    ]
    head = f"Protocol paper, sets with a difference of more than {LARGE_DIFFERENCE}:"
    return "\n".join([head, "", *(lines or ["- none."])])
