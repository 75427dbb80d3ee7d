"""The tables of the study, the paper's figures below ours."""

from collections import Counter

import numpy as np

from study import datasets, paper
from study.protocols import scale_of_rows
from study.rendering import Cell, Row, Table
from study.statistics import accuracies, summarise, win_tie_loss

MARKS = {1: paper.BETTER, 0: "", -1: paper.WORSE}
NONE = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
MISSING = "missing"
# Scale of the sets, and kernel.
KINDS = {2: ("regular", "linear"), 3: ("regular", "rbf"), 4: ("large", "linear")}
REGULAR, LARGE = list(paper.ACCURACIES[2]), list(paper.ACCURACIES[4])


def own_files(names):
    """Return the sets that are not the paper's, in alphabetical order."""
    return sorted(set(names) - set(paper.SIZES))


def scale_of_file(fact):
    """Return to which tables a user's file belongs; without facts to the first."""
    return "regular" if fact is None else scale_of_rows(fact.rows)


def sets_table(facts):
    """Return Table 1: the data sets here and in the paper.

    Parameters
    ----------
    facts : dict of str to Facts
        By data set, from a store; sets of the paper that are not there are missing.

    Returns
    -------
    table : Table
        The table.
    """
    groups = [group for group in (REGULAR, LARGE, own_files(facts)) if group]
    return Table(
        name="table1",
        title="Table 1",
        caption=(
            f"Data sets, rows {TIMES} features here and in the paper, and how the rows "
            "differ from the paper's. Bold: not the size that the paper has."
        ),
        columns=("set", "here", "paper", "positive", "source, note"),
        align="lrrrp",
        blocks=tuple(
            tuple(set_row(name, facts.get(name)) for name in group) for group in groups
        ),
        notes=missing_note([name for name in paper.SIZES if name not in facts]),
        records=tuple(
            set_record(name, facts.get(name)) for group in groups for name in group
        ),
    )


def set_row(name, fact):
    """Return the row of one set in Table 1."""
    printed = size(paper.SIZES[name]) if name in paper.SIZES else NONE
    if fact is None:
        return Row.of(name, MISSING, printed, NONE, NONE)
    here = size((fact.rows, fact.features))
    share = f"{fact.positives / fact.rows:.0%}"
    here_cell = Cell(here, bold=printed not in (here, NONE))
    origin = Cell("; ".join(text for text in (fact.source, note_of(name)) if text))
    return Row((Cell(name), here_cell, Cell(printed), Cell(share), origin))


def note_of(name):
    """Return how the rows of a set differ from the paper's, as far as is known."""
    return datasets.info(name).note if name in paper.SIZES else ""


def size(shape):
    """Return the size of a set as text."""
    return f" {TIMES} ".join(f"{number:,}" for number in shape)


def set_record(name, fact):
    """Return what the CSV file of Table 1 says of one set."""
    paper_rows, paper_features = paper.SIZES.get(name, (None, None))
    return {
        "dataset": name,
        "rows": fact and fact.rows,
        "features": fact and fact.features,
        "positives": fact and fact.positives,
        "paper_rows": paper_rows,
        "paper_features": paper_features,
        "source": fact and fact.source,
        "note": note_of(name),
    }


def missing_note(names):
    """Return a sentence on the sets that are missing, if there are any."""
    if not names:
        return ()
    reason = "nothing in the store: the data were not found or the set was not run"
    return (f"{MISSING.capitalize()} ({reason}): {', '.join(names)}.",)


class Comparison:
    """Our accuracies and the paper's, as one of Tables 2 to 4.

    Parameters
    ----------
    number : {2, 3, 4}
        Which table.

    protocol : {"paper", "fair"}
        How the methods were tuned.

    results : list of Result
        From a store.

    facts : dict of str to Facts
        From the same store; they decide to which table a user's file belongs.

    labels : dict of str to str
        Names of the methods, in the order of the columns.

    Attributes
    ----------
    names : list of str
        The sets of the table, the user's own files last.

    methods : list of str
        Those with results, ours or the paper's.

    ours, printed : dict of dict of Accuracy
        By set and method; our sets without results are empty.
    """

    def __init__(self, number, protocol, results, facts, labels):
        self.number = number
        self.protocol = protocol
        self.labels = labels
        self.scale, self.kernel = KINDS[number]
        self.printed = paper.ACCURACIES[number]
        found = accuracies(results, protocol, self.kernel)
        own = [
            name
            for name in own_files(found)
            if scale_of_file(facts.get(name)) == self.scale
        ]
        self.names = [*self.printed, *own]
        self.values = {name: found.get(name, {}) for name in self.names}
        self.ours = {
            name: {
                method: summarise(values, by_method.get("svm"))
                for method, values in by_method.items()
            }
            for name, by_method in self.values.items()
        }
        rows = *self.ours.values(), *self.printed.values()
        self.methods = [method for method in labels if any(method in row for row in rows)]

    @property
    def missing(self):
        """The sets of the paper that we have no results of."""
        return [name for name in self.printed if not self.ours[name]]

    @property
    def common(self):
        """The sets of the paper with results of each usual method.

        Usual is one with results on half of the sets that have any: a method tried on one
        set must not shrink the averages of the others to that set.
        """
        rows = {name: set(self.ours[name]) for name in self.printed if self.ours[name]}
        counts = Counter(method for methods in rows.values() for method in methods)
        usual = {method for method in counts if 2 * counts[method] >= len(rows)}
        return [name for name, methods in rows.items() if usual and usual <= methods]

    def table(self):
        """Return the table."""
        return Table(
            name=f"table{self.number}-{self.protocol}",
            title=f"Table {self.number}, protocol {self.protocol}",
            caption=(
                f"Accuracy (mean±standard deviation) on the {self.scale} sets, "
                f"{self.kernel} kernel, protocol {self.protocol}; below each line what the "
                f"paper printed. Bold: our best mean on the set. {paper.BETTER}/"
                f"{paper.WORSE}: significantly better/worse than SVM (paired t-test, 5 %)."
            ),
            columns=("set", *(self.labels[method] for method in self.methods)),
            align="l" + "c" * len(self.methods),
            blocks=(
                tuple(row for name in self.names for row in self.set_rows(name)),
                self.average_rows(),
                self.count_rows(),
            ),
            notes=self.notes(),
            records=tuple(self.records()),
        )

    def set_rows(self, name):
        """Return our line of a set, and the paper's if it has the set."""
        ours = self.ours[name]
        best = max((accuracy.mean for accuracy in ours.values()), default=np.nan)
        cells = [accuracy_cell(ours.get(method), best) for method in self.methods]
        if not ours:
            cells[0] = Cell(MISSING)
        rows = [Row((Cell(name), *cells))]
        if name in self.printed:
            printed = self.printed[name]
            cells = [
                accuracy_cell(printed.get(method))
                if method in paper.PAPER_METHODS
                else Cell("")
                for method in self.methods
            ]
            rows.append(Row((Cell("paper"), *cells), printed=True))
        return rows

    def average_rows(self):
        """Return the averages over the common sets, ours and the paper's."""
        ours = [self.average(self.ours, method) for method in self.methods]
        theirs = [self.average(self.printed, method) for method in self.methods]
        return Row.of("average", *ours), Row.of("paper", *theirs, printed=True)

    def average(self, by_set, method):
        """Return the average of a method as text, if it has all common sets."""
        found = [by_set[name].get(method) for name in self.common]
        if not found or None in found:
            return NONE
        return f"{np.mean([accuracy.mean for accuracy in found]):.3f}"

    def count_rows(self):
        """Return wins, ties and losses of LDM, ours and as printed."""
        by_set = [self.values[name] for name in self.printed]
        others = [method for method in self.methods if method != "ldm"]
        found = {method: win_tie_loss(by_set, "ldm", method) for method in others}
        printed = paper.WIN_TIE_LOSS[self.number]
        ours = [counts(found.get(method)) for method in self.methods]
        theirs = [counts(printed.get(method)) for method in self.methods]
        return Row.of("LDM win/tie/loss", *ours), Row.of("paper", *theirs, printed=True)

    def notes(self):
        """Return what a reader has to know about the numbers."""
        printed = ", ".join(
            f"{self.labels[method]} {mean:.3f}"
            for method, mean in paper.AVERAGES[self.number].items()
        )
        return (
            f"Averages, ours and the paper's, are over {self.common_in_words()}.",
            f"For all its sets the paper printed {printed}; its win/tie/loss counts cover "
            "all of them too.",
            *self.repetition_notes(),
            *missing_note(self.missing),
        )

    def common_in_words(self):
        """Return which sets have results of every usual method."""
        others = [name for name in self.printed if name not in self.common]
        if not others:
            return f"all {len(self.common)} sets"
        named = f"all but {', '.join(others)}"
        if len(self.common) < len(others):
            named = ", ".join(self.common) or "none"
        n_sets = f"{len(self.common)} of {len(self.printed)}"
        return (
            f"the {n_sets} sets with results of every method that half of the sets have "
            f"({named})"
        )

    def repetition_notes(self):
        """Return how many repetitions there are, and which sets have other numbers."""
        numbers = {
            name: sorted({len(values) for values in by_method.values()})
            for name, by_method in self.values.items()
            if by_method
        }
        if not numbers:
            return ()
        (usual, _), *_ = Counter(some[-1] for some in numbers.values()).most_common()
        others = [
            f"{name} {' or '.join(map(str, some))}"
            for name, some in numbers.items()
            if some != [usual]
        ]
        exceptions = f", except for {', '.join(others)}" if others else ""
        return (f"Repetitions: {usual}{exceptions}.",)

    def records(self):
        """Yield what the CSV file says of each set and method."""
        for name in self.names:
            for method in self.methods:
                ours = self.ours[name].get(method)
                printed = self.printed.get(name, {}).get(method)
                if ours or printed:
                    n_repetitions = len(self.values[name].get(method, ()))
                    yield accuracy_record(name, method, ours, printed, n_repetitions)


def accuracy_cell(accuracy, best=np.nan):
    """Return an accuracy as a cell, in bold if its mean is the best."""
    if accuracy is None:
        return Cell(NONE)
    deviation = "" if accuracy.std is None else f"±{accuracy.std:.3f}"
    text = f"{accuracy.mean:.3f}{deviation}{MARKS[accuracy.mark]}"
    return Cell(text, bold=bool(np.isclose(accuracy.mean, best, rtol=0, atol=1e-9)))


def counts(win_tie_loss):
    """Return wins, ties and losses as text."""
    return "/".join(map(str, win_tie_loss)) if win_tie_loss and any(win_tie_loss) else NONE


def accuracy_record(name, method, ours, printed, n_repetitions):
    """Return what the CSV file says of a method on a set."""
    return {
        "dataset": name,
        "method": method,
        "mean": ours and ours.mean,
        "std": ours and ours.std,
        "mark": ours and ours.mark,
        "n_repetitions": n_repetitions,
        "paper_mean": printed and printed.mean,
        "paper_std": printed and printed.std,
        "paper_mark": printed and printed.mark,
        "difference": ours.mean - printed.mean if ours and printed else None,
    }
