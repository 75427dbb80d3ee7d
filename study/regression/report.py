"""The report: candidates on one half of the sets, the chosen ones on the other."""

from pathlib import Path

import numpy as np

from study.regression.comparison import LOST, Values, across, points, summarise
from study.regression.methods import METHODS, SEARCHED
from study.regression.sets import SETS, division
from study.regression.tasks import TARGETS
from study.rendering import Row, Table, as_csv, markdown
from study.report import write_atomically

NONE = "\N{EN DASH}"
INTRODUCTION = """# The study of regression

R2 is in points on clean test rows, ours minus theirs, where an R2 below zero counts as
zero; MAE is the mean absolute error above theirs in per cent, so that less is better. Both
are means over sets with their standard errors; *behind* counts sets more than {lost:g}
point of R2 behind. CPU is the time of all fits, ours over theirs. Targets are clean, or a
tenth of the training rows is contaminated: their values are replaced by the median plus ten
scales times a draw of Student's distribution with two degrees of freedom. Candidates are
compared on the selection half of the sets; the one chosen there is reported on the other.
"""
HEAD = (
    *("against", "targets", "sets", "R2", "Wilcoxon p", "MAE %"),
    *("behind", "CPU", "sets behind"),
)
TITLES = {"rbf": "Kernel machines", "linear": "Linear machines"}


def write(results, output, chosen=()):
    """Write ``report.md`` and ``set-means.csv``; return their paths.

    Parameters
    ----------
    results : list of ValueResult
        From a store.

    output : path-like
        The directory.

    chosen : iterable of str, default=()
        Candidates to report, instead of the best on the selection half: at most one for
        each kernel.
    """
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    values = Values(results)
    selection, other = division()
    parts = [INTRODUCTION.format(lost=LOST)]
    for kernel, title in TITLES.items():
        ranked = ranking(values, selection, kernel)
        best = ([name for name in chosen if METHODS[name].kernel == kernel] or ranked)[:1]
        tables = [levels_table(values, kernel, title)]
        tables.append(selection_table(values, selection, ranked, title))
        for name in best:
            tables += [
                summary_table(values, other, name, "other half"),
                summary_table(values, selection, name, "selection half, which chose it"),
                sets_table(values, other, name),
            ]
        parts += map(markdown, tables)
    rows = [row for name in METHODS for row in records(values, name)]
    if not rows:
        raise ValueError("No method has results together with its search; run both.")
    table = Table("set-means", "", "", (), "", (), (), tuple(rows))
    return [
        write_atomically(output / "report.md", "\n".join(parts).encode()),
        write_atomically(output / "set-means.csv", as_csv(table).encode()),
    ]


def named(kernel, part):
    """Return the names of the references or the candidates with a kernel."""
    return [
        name for name, one in METHODS.items() if (one.kernel, one.part) == (kernel, part)
    ]


def ranking(values, names, kernel):
    """Return the candidates with results, the best mean R2 against the search first."""
    scores = {}
    for name in named(kernel, "candidate"):
        found = [summary(values, names, targets, name) for targets in TARGETS]
        means = [one.mean for one in found if one is not None]
        if means:
            scores[name] = len(means), float(np.mean(means))
    return sorted(scores, key=scores.get, reverse=True)


def summary(values, names, targets, ours, theirs=None):
    """Return the summary over sets, by default against the search; None without results."""
    theirs = theirs or SEARCHED[METHODS[ours].kernel]
    return summarise(across(values, names, targets, ours, theirs))


def levels_table(values, kernel, title):
    """Return the mean R2 of each reference over all sets with results of all of them."""
    names = named(kernel, "reference")
    rows = []
    for method in names:
        cells = []
        for targets in TARGETS:
            places = [
                [values.found.get((targets, name, one)) for one in names] for name in SETS
            ]
            own = [found[names.index(method)] for found in places if all(found)]
            means = [np.mean([points(one) for one in each.values()]) for each in own]
            cells += [f"{np.mean(means):.2f}" if means else NONE, str(len(means))]
        rows.append(Row.of(method, *cells))
    return Table(
        "levels",
        f"{title}: references on all sets",
        "Means of R2 in points.",
        ("method", *(head for one in TARGETS for head in (f"{one}, R2", "sets"))),
        "lrrrr",
        (tuple(rows),),
        (),
        (),
    )


def selection_table(values, names, candidates, title):
    """Return a table with a line for each candidate, against the search."""
    rows = []
    for candidate in candidates:
        cells = []
        for targets in TARGETS:
            one = summary(values, names, targets, candidate)
            cells += [NONE] * 4 if one is None else summary_cells(one)
        rows.append(Row.of(candidate, *cells))
    heads = [head for one in TARGETS for head in (f"{one}, R2", "MAE %", "behind", "CPU")]
    return Table(
        "selection",
        f"{title}, selection half, minus the searched SVM",
        "In the order of the mean of both R2.",
        ("candidate", *heads),
        "l" + "r" * len(heads),
        (tuple(rows),),
        (),
        (),
    )


def summary_cells(one):
    """Return the cells of a summary: R2, absolute error, sets behind, and time."""
    return [
        mean_text(one.mean, one.error),
        mean_text(one.mean_mae, one.error_mae),
        f"{len(one.lost)} of {one.n_sets}",
        f"{one.time_ratio:.2g}",
    ]


def mean_text(mean, error):
    """Return a mean with its error, if that is known."""
    return f"{mean:+.2f}" + ("" if error is None else f" \N{PLUS-MINUS SIGN} {error:.2f}")


def summary_table(values, names, method, half):
    """Return a table of a method against all references, with a line for each."""
    rows = []
    for theirs in named(METHODS[method].kernel, "reference"):
        for targets in TARGETS:
            one = summary(values, names, targets, method, theirs)
            if one is None:
                continue
            p_value = NONE if one.p_value is None else f"{one.p_value:.3f}"
            r2, mae, behind, time = summary_cells(one)
            place = theirs, targets, str(one.n_sets)
            rows.append(Row.of(*place, r2, p_value, mae, behind, time, ", ".join(one.lost)))
    title = f"{method}, {half}"
    return Table("chosen", title, "", HEAD, "llrrrrrrp", (tuple(rows),), (), ())


def comparisons(values, names, method):
    """Return the comparisons of a method with the search on each set, losses first."""
    theirs = SEARCHED[METHODS[method].kernel]
    found = [
        one for targets in TARGETS for one in across(values, names, targets, method, theirs)
    ]
    return sorted(found, key=lambda one: one.difference)


def sets_table(values, names, method):
    """Return each set with its difference and corrected interval, losses first."""
    rows = []
    for one in comparisons(values, names, method):
        half = NONE if one.half_width is None else f"{one.half_width:.2f}"
        rows.append(
            Row.of(
                *(one.name, one.targets, f"{one.r2:.2f}", f"{one.their_r2:.2f}"),
                *(f"{one.difference:+.2f}", half, f"{one.mae:+.2f}", str(one.n_splits)),
            )
        )
    return Table(
        "sets",
        f"{method}, other half, set by set",
        "R2 against the searched SVM, with half the corrected 95 % interval of Nadeau and "
        "Bengio, losses first.",
        ("set", "targets", "ours", "theirs", "R2", "interval", "MAE %", "splits"),
        "llrrrrrr",
        (tuple(rows),),
        (),
        (),
    )


def records(values, method):
    """Return the comparisons of a method on all sets, for the CSV file."""
    selection, _ = division()
    return [
        {
            "set": one.name,
            "half": "selection" if one.name in selection else "report",
            "targets": one.targets,
            "method": method,
            "against": one.theirs,
            "splits": one.n_splits,
            "r2": round(one.r2, 3),
            "their_r2": round(one.their_r2, 3),
            "half_width": None if one.half_width is None else round(one.half_width, 3),
            "mae_percent": round(one.mae, 3),
            "cpu_seconds": round(one.seconds, 5),
            "their_cpu_seconds": round(one.their_seconds, 5),
        }
        for one in comparisons(values, SETS, method)
    ]
