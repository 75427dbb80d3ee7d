"""The report: candidates on one half of the sets, the chosen ones on the other."""

from collections import Counter
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from study.defaults.candidates import METHODS, PLAIN, SEARCHED
from study.defaults.comparison import (
    KINDS,
    LOST,
    Values,
    across,
    mean_of_scalings,
    summarise,
)
from study.defaults.sets import SETS, division
from study.defaults.tasks import SCALINGS
from study.rendering import Row, Table, as_csv, markdown
from study.report import write_atomically

NONE = "\N{EN DASH}"
INTRODUCTION = """# Tables of the study of the defaults

Differences are points of test accuracy, ours minus theirs, with the standard error over
sets; *behind* counts sets more than {lost:g} point behind. CPU is the time of all fits,
ours over theirs, searches included. Candidates are compared on the selection half of the
sets; the candidate chosen there is reported on the other half. Prices are given as k:
lambda = k C S, where S is the number of rows; "k .3 / 0" has 0.3 for the variance and 0 for
the mean. "unit" is [0, 1]. These tables are written by `python -m study.defaults report`.
"""
RULE = (
    "In the order of the mean difference to the searched SVM, each of the four groups "
    "counting the same; candidates without results in a group come last. All has the mean "
    "of both scalings for each set."
)
FAIR = "Only splits that every candidate in the table has count."
SAME = "On the sets and splits that both have; behind counts them in both scalings."
# A search is compared with that of the widest grid, which is searched on fewer sets.
WIDEST = {
    name: full
    for full in ("LDM search, squared, 320 points", "linear LDM search, squared, 80 points")
    for name, one in METHODS.items()
    if (one.part, one.kernel) == ("search", METHODS[full].kernel)
}
GROUPS = [(kind, scaling) for kind in KINDS for scaling in SCALINGS]
HEAD = (
    *("against", "sets", "scaling", "number"),
    *("mean", "95 % interval", "Wilcoxon p", "behind", "CPU", "sets behind"),
)


def write(results, output, chosen=()):
    """Write ``report.md`` and ``set-means.csv``; return their paths.

    Parameters
    ----------
    results : list of Result
        From a store.

    output : path-like
        The directory.

    chosen : iterable of str, default=()
        Candidates to report, instead of the best on the selection half: at most one for
        each kernel and one search.
    """
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    values = Values(results)
    selection, other = division()
    parts, rows = [INTRODUCTION.format(lost=LOST)], []
    parts.append(markdown(effort_table(results)))
    for title, names in groups().items():
        names = [name for name in names if name in values.methods]
        if not names:
            continue
        fair, rule = values, RULE
        if METHODS[names[0]].part == "candidate":
            fair, rule = Values(shared(results, names)), f"{RULE} {FAIR}"
        ranked = ranking(fair, selection, names)
        found = compared(fair, selection, ranked)
        of_whom = f"{title}, selection half, minus the searched SVM"
        parts.append(markdown(candidates_table(found, of_whom, rule)))
        given = [name for name in chosen if name in names]
        for best in (given or ranked)[:1]:
            against = WIDEST.get(best, best)
            found = compared(
                values, SETS, [one for one in names if one != against], against
            )
            tables = (
                candidates_table(found, f"{title}, all sets, minus {against}", SAME),
                summary_table(values, other, best, "other half"),
                summary_table(values, selection, best, "selection half"),
                sets_table(values, other, best),
            )
            parts += map(markdown, tables)
    for name, method in METHODS.items():
        if method.part != "reference":
            rows += records(values, name)
    if not rows:
        raise ValueError("No method has results together with its SVM; run both.")
    rows.sort(key=lambda row: row["difference"])
    table = Table("set-means", "", "", (), "", (), (), tuple(rows))
    return [
        write_atomically(output / "report.md", "\n".join(parts).encode()),
        write_atomically(output / "set-means.csv", as_csv(table).encode()),
    ]


def groups():
    """Return the candidates of each kernel and the searches, by title."""
    titles = {
        ("rbf", "candidate"): "Kernel machines",
        ("linear", "candidate"): "Linear machines",
        ("rbf", "search"): "Searches",
        ("linear", "search"): "Linear searches",
    }
    return {
        title: [name for name, one in METHODS.items() if (one.kernel, one.part) == key]
        for key, title in titles.items()
    }


def ranking(values, names, candidates):
    """Return candidates with results, the best mean against the searched SVM first."""
    scores = {}
    for candidate in candidates:
        theirs = SEARCHED[METHODS[candidate].kernel]
        found = [summary(values, names, group, candidate, theirs) for group in GROUPS]
        means = [one.mean for one in found if one is not None]
        if means:
            scores[candidate] = len(means), float(np.mean(means))
    return sorted(scores, key=scores.get, reverse=True)


def summary(values, names, group, ours, theirs):
    """Return the summary over the sets of a group; None without results."""
    kind, scaling = group
    return summarise(across(values, names, scaling, kind, ours, theirs))


def of_all(values, names, ours, theirs):
    """Return the summary over all sets, with the mean of both scalings for each."""
    by_name = {}
    for kind, scaling in GROUPS:
        for one in across(values, names, scaling, kind, ours, theirs):
            by_name.setdefault(one.name, []).append(one)
    return summarise([mean_of_scalings(several) for several in by_name.values()])


def shared(results, names):
    """Return the results of splits that all of these methods have, and of the others."""
    alike = {name: {name, METHODS[name].as_binary} for name in names}
    splits = {
        name: {one.key[:2] + one.key[4:] for one in results if one.method in alike[name]}
        for name in names
    }
    common = set.intersection(*splits.values())
    return [one for one in results if one.key[:2] + one.key[4:] in common]


def compared(values, names, candidates, against=None):
    """Return the summaries of each candidate in every group, as far as there are any.

    By default they are compared with the searched SVM.
    """
    found = {}
    for candidate in candidates:
        theirs = against or SEARCHED[METHODS[candidate].kernel]
        groups = [summary(values, names, group, candidate, theirs) for group in GROUPS]
        if any(groups):
            found[candidate] = [*groups, of_all(values, names, candidate, theirs)]
    return found


def candidates_table(found, title, caption):
    """Return a table with a line for each candidate and its summaries."""
    rows = []
    for candidate, groups in found.items():
        there = [one for one in groups[:-1] if one is not None]
        behind = sum(len(one.lost) for one in there), sum(one.n_sets for one in there)
        ratios = ", ".join(f"{one.time_ratio:.2g}" for one in there)
        rows.append(
            Row.of(candidate, *map(mean_text, groups), "{} of {}".format(*behind), ratios)
        )
    heads = (f"{kind}, {scaling}" for kind, scaling in GROUPS)
    return Table(
        "selection",
        title,
        caption,
        ("candidate", *heads, "all", "behind", "CPU by group"),
        "l" + "r" * (len(GROUPS) + 3),
        (tuple(rows),),
        (),
        (),
    )


def effort_table(results):
    """Return a table of how much was measured, and of its CPU time."""
    rows = []
    for method in METHODS:
        own = [one for one in results if one.method == method]
        if not own:
            continue
        splits = Counter((one.dataset, one.protocol) for one in own)
        hours = sum(one.cpu_seconds for one in own) / 3600
        numbers = len({one.dataset for one in own}), len(own)
        most = f"{min(splits.values())} to {max(splits.values())}"
        rows.append(Row.of(method, *map(str, numbers), most, f"{hours:.2f}"))
    total = sum(one.cpu_seconds for one in results) / 3600
    rows.append(Row.of("all", "", str(len(results)), "", f"{total:.2f}"))
    return Table(
        "effort",
        "What was measured",
        "Splits are those of a set in one scaling. A binary set has one scheme only, which "
        "is not run twice.",
        ("method", "sets", "results", "splits", "CPU hours"),
        "lrrrr",
        (tuple(rows),),
        (),
        (),
    )


def mean_text(one):
    """Return a mean with its error, as far as they are known."""
    if one is None:
        return NONE
    error = "" if one.error is None else f" \N{PLUS-MINUS SIGN} {one.error:.2f}"
    return f"{one.mean:+.2f}{error}"


def interval_text(one):
    """Return the 95 % interval of a mean over sets, if it is known."""
    if one.error is None:
        return NONE
    half = stdtrit(one.n_sets - 1, 0.975) * one.error
    return f"{one.mean - half:+.2f} to {one.mean + half:+.2f}"


def summary_table(values, names, method, half):
    """Return a table of a method against both SVMs, with a line for each group."""
    rows = []
    for theirs in references(method):
        found = {group: summary(values, names, group, method, theirs) for group in GROUPS}
        found["all", "mean of both"] = of_all(values, names, method, theirs)
        for group, one in found.items():
            if one is None:
                continue
            p_value = NONE if one.p_value is None else f"{one.p_value:.3f}"
            numbers = p_value, str(len(one.lost)), f"{one.time_ratio:.3g}"
            place = theirs, *group, str(one.n_sets)
            mean = mean_text(one), interval_text(one)
            rows.append(Row.of(*place, *mean, *numbers, ", ".join(one.lost)))
    title = f"{method}, {half}"
    caption = "A Wilcoxon signed-rank test on the means of the sets decides."
    return Table("chosen", title, caption, HEAD, "lllrrrrrrp", (tuple(rows),), (), ())


def references(method):
    """Return the SVM out of the box and the searched one that a method is compared with."""
    kernel = METHODS[method].kernel
    return PLAIN[kernel], SEARCHED[kernel]


def comparisons(values, names, method):
    """Return the comparisons of a method with both SVMs on each set, losses first."""
    found = [
        one
        for theirs in references(method)
        for kind, scaling in GROUPS
        for one in across(values, names, scaling, kind, method, theirs)
    ]
    return sorted(found, key=lambda one: one.difference)


def sets_table(values, names, method):
    """Return each set with its difference and corrected interval, losses first."""
    rows = tuple(
        Row.of(
            one.name,
            one.theirs,
            one.scaling,
            f"{one.accuracy:.2f}",
            f"{one.their_accuracy:.2f}",
            f"{one.difference:+.2f}"
            + (
                ""
                if one.half_width is None
                else f" \N{PLUS-MINUS SIGN} {one.half_width:.2f}"
            ),
            str(one.n_splits),
        )
        for one in comparisons(values, names, method)
    )
    return Table(
        "sets",
        f"{method}, other half, set by set",
        "Difference with the corrected 95 % interval of Nadeau and Bengio, losses first.",
        ("set", "against", "scaling", "ours", "theirs", "difference", "splits"),
        "lllrrrr",
        (rows,),
        (),
        (),
    )


def records(values, method):
    """Return the comparisons of a method on all sets, for the CSV file."""
    selection, _ = division()
    return [
        {
            "set": one.name,
            "kind": SETS[one.name].kind,
            "half": "selection" if one.name in selection else "report",
            "scaling": one.scaling,
            "method": method,
            "against": one.theirs,
            "splits": one.n_splits,
            "accuracy": round(one.accuracy, 3),
            "their_accuracy": round(one.their_accuracy, 3),
            "difference": round(one.difference, 3),
            "half_width": None if one.half_width is None else round(one.half_width, 3),
            "cpu_seconds": round(one.seconds, 5),
            "their_cpu_seconds": round(one.their_seconds, 5),
        }
        for one in comparisons(values, SETS, method)
    ]
