"""The table of this study: each reading beside the paper's columns."""

from pathlib import Path

import numpy as np

from study import paper
from study.readings.scalings import GRID, METHODS, READINGS, method_by
from study.readings.tasks import KERNEL, PROTOCOL
from study.rendering import Cell, Row, Table, as_csv, markdown
from study.report import write_atomically
from study.statistics import accuracies

# The number of the paper's table, and what counts as near its numbers.
NUMBER, NEAR = 2, 0.02
INTRODUCTION = """# Readings of the paper's scaling

The paper sums losses and averages margins; the fit of its own numbers may tell whether its
program did. Each reading is run on the paper's regular sets with the linear kernel and the
paper's protocol: its grid, no intercept, random halves, five folds. m is the number of rows
of a fit, a fold or the training half.
"""
CAVEATS = """## What the table cannot show

- Our random halves are not the paper's. The means of both have standard errors of 0.003
  to 0.015, so that on one set a difference of 0.02 is weak evidence.
- The paper's SVM and LDM columns are near each other. The column *paper's SVM* counts
  on how many sets its SVM column is near its LDM column: a reading has to beat that.
- The sizes of the counted sets are the paper's. How the paper encoded words, filled in
  missing values and scaled features is not known, and may matter more than any reading.
- No reading has an intercept, as in the paper's formulas. Its program may have had one,
  or a constant column.
- *vote* and *house* have the same rows here, so that they count twice.
- The solutions are exact. The published program for the LDM stops early, which acts
  like a smaller C, as averaged losses do: the table cannot tell the two apart.
- Four readings are compared on few sets, so that the best count is partly luck.
- On few rows many points of the grid have the same accuracy in cross-validation. The
  one with the smallest prices is taken; another rule would move some means.
"""


def write(results, facts, output):
    """Write ``readings.md`` and ``readings.csv``; return their paths.

    Parameters
    ----------
    results : list of Result
        From a store.

    facts : dict of str to Facts
        From the same store; sets that have not the paper's size are not counted.

    output : path-like
        The directory.
    """
    means = common_means(accuracies(results, PROTOCOL, KERNEL))
    if not means:
        raise ValueError("No set has results of every reading; run the study first.")
    same = [name for name in means if is_of_the_same_size(name, facts)]
    table = readings_table(means, same)
    files = {
        "readings.md": "\n".join([INTRODUCTION, markdown(table), CAVEATS]).encode(),
        "readings.csv": as_csv(table).encode(),
    }
    Path(output).mkdir(parents=True, exist_ok=True)
    return [write_atomically(Path(output) / name, files[name]) for name in files]


def common_means(found):
    """Return mean accuracies by set and method over the splits that all methods have.

    Also the number of these splits, as ``"splits"``. Sets that the paper does not have, or
    that lack a method, are left out.
    """
    means = {}
    for name in paper.ACCURACIES[NUMBER]:
        by_method = found.get(name, {})
        if not by_method.keys() >= METHODS.keys():
            continue
        common = set.intersection(*(set(by_method[method]) for method in METHODS))
        if common:
            means[name] = {
                method: float(np.mean([by_method[method][k] for k in common]))
                for method in METHODS
            } | {"splits": len(common)}
    return means


def is_of_the_same_size(name, facts):
    """Return whether a set has as many rows and features as the paper's."""
    return (facts[name].rows, facts[name].features) == paper.SIZES[name]


def readings_table(means, same):
    """Return the table; sets that are not in ``same`` come last and are not counted."""
    others = [name for name in means if name not in same]
    splits = sorted({one["splits"] for one in means.values()})
    return Table(
        name="readings",
        title="Accuracy by reading",
        caption=(
            f"Mean test accuracy; bold: within {NEAR:g} of the paper's column of the same "
            f"method. Number of random halves: {' or '.join(map(str, splits))}. "
            + " ".join(f"{name}: {one.label}." for name, one in READINGS.items())
        ),
        columns=("set", "paper's SVM", "paper's LDM", *map(title_of, METHODS)),
        align="l" + "r" * (len(GRID) + len(METHODS)),
        blocks=(
            tuple(set_row(name, means[name]) for name in same),
            tuple(summary_rows(means, same)),
            tuple(set_row(name, means[name], note=" (not counted)") for name in others),
        ),
        notes=(),
        records=tuple(records(means, same)),
    )


def title_of(method):
    """Return the head of a column.

    Examples
    --------
    >>> title_of("ldm"), title_of("ldm, summed")
    ('LDM, literal', 'LDM, summed')
    """
    machine, _, reading = method.partition(", ")
    return f"{machine.upper()}, {reading or 'literal'}"


def printed(name, method):
    """Return the accuracy that the paper printed for a method by any reading."""
    return paper.ACCURACIES[NUMBER][name][METHODS[method][0]].mean


def set_row(name, ours, note=""):
    """Return the line of a set."""
    cells = [Cell(f"{printed(name, method):.3f}") for method in GRID]
    cells += [
        Cell(f"{ours[method]:.3f}", bold=is_near(ours[method], printed(name, method)))
        for method in METHODS
    ]
    return Row((Cell(name + note), *cells))


def is_near(ours, theirs):
    """Return whether two accuracies differ by no more than ``NEAR``, rounding apart."""
    return bool(abs(ours - theirs) <= NEAR + 1e-9)


def summary_rows(means, same):
    """Yield how near each reading is to the paper, over the counted sets."""
    if not same:
        return
    columns = {method: [means[name][method] for name in same] for method in METHODS}
    paper_columns = {
        method: np.array([printed(name, method) for name in same]) for method in GRID
    }
    # The paper's own SVM column beside its LDM column is what any reading has to beat.
    columns = {"paper's SVM": paper_columns["svm"], **columns}
    target = {"paper's SVM": paper_columns["ldm"]} | {
        method: paper_columns[METHODS[method][0]] for method in METHODS
    }
    gaps = {key: np.array(columns[key]) - target[key] for key in columns}
    near = [sum(is_near(gap, 0.0) for gap in gaps[key]) for key in columns]
    yield summary_row(f"within {NEAR:g}, of {len(same)}", map(str, near))
    absolute = (f"{np.abs(gap).mean():.3f}" for gap in gaps.values())
    yield summary_row("mean absolute difference", absolute)
    yield summary_row("mean difference", (f"{gap.mean():+.3f}" for gap in gaps.values()))
    yield gain_row(columns, paper_columns)


def summary_row(label, texts):
    """Return a line of the summary: the paper's SVM, nothing for its LDM, then ours."""
    first, *others = texts
    return Row.of(label, first, "", *others)


def gain_row(columns, paper_columns):
    """Return the mean by which the LDM is ahead of the SVM of the same reading."""
    gain = np.mean(paper_columns["ldm"] - paper_columns["svm"])
    texts = []
    for method, (machine, reading) in METHODS.items():
        name = next(key for key, one in READINGS.items() if one is reading)
        svm = columns[method_by(name, "svm")]
        ahead = np.mean(np.array(columns[method]) - np.array(svm))
        texts.append(f"{ahead:+.3f}" if machine == "ldm" else "")
    return Row.of("mean of LDM minus SVM", "", f"{gain:+.3f}", *texts)


def records(means, same):
    """Yield the numbers of each set and method, for the CSV file."""
    for name, ours in means.items():
        for method in METHODS:
            theirs = printed(name, method)
            yield {
                "dataset": name,
                "counted": name in same,
                "method": title_of(method),
                "splits": ours["splits"],
                "accuracy": round(ours[method], 5),
                "paper": theirs,
                "difference": round(ours[method] - theirs, 5),
            }
