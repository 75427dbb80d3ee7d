"""Tables, means of sets and a picture, from the results of this study."""

from pathlib import Path

import numpy as np

from study.rendering import Row, Table, as_csv, markdown
from study.report import as_png, write_atomically
from study.when_it_helps.comparison import by_place, comparisons
from study.when_it_helps.conditions import CONDITIONS

# These are also reported on binary sets and on those with many classes.
DIVIDED = tuple(name for name, one in CONDITIONS.items() if one.has_probabilities)
# Points of accuracy by which a set counts as behind.
BEHIND = 1.0
HEAD = "condition", "method", "against", "sets", "ours", "theirs", "difference", "behind"


def write(results, output):
    """Write ``tables.md``, ``means.csv`` and ``when_it_helps.png``; return their paths."""
    from study.when_it_helps.picture import draw

    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    accuracy = with_kinds(comparisons(results, percent))
    if not accuracy:
        raise ValueError("No method has results together with an SVM; run it first.")
    losses = with_kinds(comparisons(results, lambda one: one.log_loss, DIVIDED))[::-1]
    tables = (
        accuracy_table(accuracy),
        log_loss_table(losses),
        time_table(by_place(results)),
    )
    means = Table("means", "", "", (), "", (), (), tuple(records(by_place(results))))
    files = {
        "tables.md": "\n".join(map(markdown, tables)).encode(),
        "means.csv": as_csv(means).encode(),
        "when_it_helps.png": as_png(draw(accuracy)),
    }
    return [write_atomically(output / name, content) for name, content in files.items()]


def with_kinds(found):
    """Return comparisons, some also by the kind of the set, the worst difference first."""
    parts = [part for one in found if one.condition in DIVIDED for part in one.by_kind()]
    return sorted([*found, *parts], key=lambda one: one.mean)


def percent(result):
    """Return the accuracy of a result in per cent."""
    return 100 * result.accuracy


def accuracy_table(found):
    """Return all comparisons of accuracies, losses first."""
    rows = tuple(
        Row.of(
            *(one.condition, one.ours, one.theirs, str(len(one.values))),
            *(f"{mean:.2f}" for mean in one.means),
            f"{one.mean:+.2f} \N{PLUS-MINUS SIGN} {one.error:.2f}",
            str(len(one.behind(BEHIND))),
        )
        for one in found
    )
    caption = (
        "Test accuracy in per cent, means over sets; the difference with its standard "
        f"error over sets; the number of sets behind by more than {BEHIND:g} point."
    )
    return Table("accuracy", "Accuracy", caption, HEAD, "lllrrrrr", (rows,), (), ())


def log_loss_table(found):
    """Return all comparisons of log-losses, those that are larger than an SVM's first."""
    rows = tuple(
        Row.of(
            *(one.condition, one.ours, one.theirs, str(len(one.values))),
            *(f"{mean:.3f}" for mean in one.means),
            f"{one.mean:+.3f} \N{PLUS-MINUS SIGN} {one.error:.3f}",
            str(sum(difference > 0 for difference in one.differences.values())),
        )
        for one in found
    )
    caption = (
        "Log-loss of calibrated probabilities on test rows, means over sets; smaller is "
        "better. Behind: sets with a larger loss."
    )
    return Table("log-loss", "Log-loss", caption, HEAD, "lllrrrrr", (rows,), (), ())


def time_table(places):
    """Return the CPU seconds of each method under each condition."""
    rows = tuple(
        Row.of(condition, method, str(len(by_set)), f"{mean_seconds(by_set):.3f}")
        for condition, one in CONDITIONS.items()
        for method in one.methods
        if (by_set := places.get((condition, method)))
    )
    caption = "CPU seconds of a fit, searches included: median of splits, mean over sets."
    return Table(
        "time",
        "CPU time",
        caption,
        ("condition", "method", "sets", "seconds"),
        "llrr",
        (rows,),
        (),
        (),
    )


def mean_seconds(by_set):
    """Return the mean over sets of the median time over splits."""
    return float(np.mean([median_seconds(splits) for splits in by_set.values()]))


def median_seconds(splits):
    """Return the median time over splits: a first fit may wait for compiled loops."""
    return float(np.median([one.cpu_seconds for one in splits.values()]))


def records(places):
    """Yield the means of each condition, method and set, for the CSV file."""
    for (condition, method), by_set in sorted(places.items()):
        for name, splits in sorted(by_set.items()):
            found = splits.values()
            losses = [one.log_loss for one in found if one.log_loss is not None]
            yield {
                "condition": condition,
                "method": method,
                "set": name,
                "splits": len(splits),
                "accuracy": round(float(np.mean([percent(one) for one in found])), 3),
                "log_loss": round(float(np.mean(losses)), 4) if losses else None,
                "cpu_seconds": round(median_seconds(splits), 4),
            }
