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
# How often the random halves are drawn again from those that there are.
N_DRAWS = 1000
INTRODUCTION = """# Readings of the paper's scaling

The paper sums losses and averages the margins for their mean and variance. Was its
program the same? Here its numbers are compared with those of four readings. Each is run
on the paper's regular sets with the linear kernel and the paper's protocol: its grid, no
intercept, random halves, five folds. m is the number of rows of a fit, a fold or the
training half.
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
    values = common_values(accuracies(results, PROTOCOL, KERNEL))
    if not values:
        raise ValueError("No set has results of every reading; run the study first.")
    same = [name for name in values if is_of_the_same_size(name, facts)]
    table = readings_table(values, same)
    parts = INTRODUCTION, markdown(table), "The same as [CSV](readings.csv).\n", CAVEATS
    files = {
        "readings.md": "\n".join(parts).encode(),
        "readings.csv": as_csv(table).encode(),
    }
    Path(output).mkdir(parents=True, exist_ok=True)
    return [write_atomically(Path(output) / name, files[name]) for name in files]


def common_values(found):
    """Return accuracies by set and method, in the splits that all methods have.

    Sets that the paper does not have, or that lack a method, are left out.
    """
    values = {}
    for name in paper.ACCURACIES[NUMBER]:
        by_method = found.get(name, {})
        if not by_method.keys() >= METHODS.keys():
            continue
        common = sorted(set.intersection(*(set(by_method[method]) for method in METHODS)))
        if common:
            values[name] = {
                method: np.array([by_method[method][k] for k in common])
                for method in METHODS
            }
    return values


def is_of_the_same_size(name, facts):
    """Return whether a set has as many rows and features as the paper's."""
    return (facts[name].rows, facts[name].features) == paper.SIZES[name]


def readings_table(values, same):
    """Return the table; sets that are not in ``same`` come last and are not counted."""
    others = [name for name in values if name not in same]
    n_splits = sorted({len(one["ldm"]) for one in values.values()})
    labels = (f"{name.capitalize()}: {one.label}." for name, one in READINGS.items())
    return Table(
        name="readings",
        title="Accuracy by reading",
        caption=(
            f"Mean test accuracy; bold: within {NEAR:g} of the paper's column of the same "
            f"method. Number of random halves: {' or '.join(map(str, n_splits))}. "
            f"{' '.join(labels)} The error of a count is its standard deviation when the "
            "halves are drawn again from these."
        ),
        columns=("set", "paper's SVM", "paper's LDM", *map(title_of, METHODS)),
        align="l" + "r" * (len(GRID) + len(METHODS)),
        blocks=(
            tuple(set_row(name, values[name]) for name in same),
            tuple(summary_rows(values, same)),
            tuple(set_row(name, values[name], note=" (not counted)") for name in others),
        ),
        notes=(),
        records=tuple(records(values, same)),
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
    for method in METHODS:
        mean = ours[method].mean()
        cells.append(Cell(f"{mean:.3f}", bold=bool(is_near(mean, printed(name, method)))))
    return Row((Cell(name + note), *cells))


def is_near(ours, theirs):
    """Return where accuracies differ by no more than ``NEAR``, rounding apart."""
    return np.abs(ours - theirs) <= NEAR + 1e-9


def summary_rows(values, same):
    """Yield how near each reading is to the paper, over the counted sets."""
    if not same:
        return
    theirs = {
        method: np.array([printed(name, method) for name in same]) for method in METHODS
    }
    means = {
        method: np.array([values[name][method].mean() for name in same])
        for method in METHODS
    }
    # The paper's own SVM column beside its LDM column is what any reading has to beat.
    gaps = [theirs["svm"] - theirs["ldm"]]
    gaps += [means[method] - theirs[method] for method in METHODS]
    counts = (str(np.count_nonzero(is_near(gap, 0.0))) for gap in gaps)
    yield summary_row(f"within {NEAR:g}, of {len(same)}", counts)
    spreads = (
        f"\N{PLUS-MINUS SIGN} {count_error(values, same, method):.1f}" for method in METHODS
    )
    yield summary_row("error of that count", ["", *spreads])
    absolute = (f"{np.abs(gap).mean():.3f}" for gap in gaps)
    yield summary_row("mean absolute difference", absolute)
    yield summary_row("mean difference", (f"{gap.mean():+.3f}" for gap in gaps))
    gains = (gain_text(means, method) for method in METHODS)
    printed_gain = f"{(theirs['ldm'] - theirs['svm']).mean():+.3f}"
    yield Row.of("mean of LDM minus SVM", "", printed_gain, *gains)


def count_error(values, same, method):
    """Return the standard deviation of a count when the random halves are drawn again."""
    rng = np.random.default_rng(0)
    counts = np.zeros(N_DRAWS)
    for name in same:
        found = values[name][method]
        drawn = rng.choice(found, (N_DRAWS, len(found))).mean(axis=1)
        counts += is_near(drawn, printed(name, method))
    return float(counts.std())


def summary_row(label, texts):
    """Return a line of the summary: the paper's SVM, nothing for its LDM, then ours."""
    first, *others = texts
    return Row.of(label, first, "", *others)


def gain_text(means, method):
    """Return the mean by which an LDM is ahead of the SVM by the same reading."""
    machine, reading = METHODS[method]
    if machine == "svm":
        return ""
    name = next(key for key, one in READINGS.items() if one is reading)
    return f"{(means[method] - means[method_by(name, 'svm')]).mean():+.3f}"


def records(values, same):
    """Yield the means of each set and method, for the CSV file."""
    for name, ours in values.items():
        for method in METHODS:
            mean, theirs = float(ours[method].mean()), printed(name, method)
            yield {
                "dataset": name,
                "counted": name in same,
                "method": title_of(method),
                "splits": len(ours[method]),
                "accuracy": round(mean, 5),
                "paper": theirs,
                "difference": round(mean - theirs, 5),
            }
