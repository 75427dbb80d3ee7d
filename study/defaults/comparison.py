"""Comparisons of two methods: on each set, and across sets."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import wilcoxon

from study.defaults.candidates import METHODS
from study.defaults.sets import SETS
from study.defaults.tasks import sizes
from study.statistics import corrected_interval

# A set counts as lost if it is behind by more than this many points.
LOST = 1.0
KINDS = "binary", "many classes"


class Values:
    """Accuracies and CPU seconds by scaling, set, method and split, from a store."""

    def __init__(self, results):
        self.accuracy, self.seconds, self.methods = {}, {}, set()
        for one in results:
            self.methods.add(one.method)
            place = one.protocol, one.dataset, one.method
            self.accuracy.setdefault(place, {})[one.repetition] = one.accuracy
            self.seconds.setdefault(place, {})[one.repetition] = one.cpu_seconds

    def place(self, scaling, name, method):
        """Return where the results of a method are; a binary set has one scheme only."""
        same = METHODS[method].as_binary
        if same is not None and SETS[name].classes == 2:
            method = same
        return scaling, name, method

    def compare(self, scaling, name, ours, theirs):
        """Return the comparison on a set; None without results of both methods."""
        places = [self.place(scaling, name, method) for method in (ours, theirs)]
        if not all(place in self.accuracy for place in places):
            return None
        first, second = (self.accuracy[place] for place in places)
        common = sorted(first.keys() & second.keys())
        if not common:
            return None
        differences = 100 * np.array([first[k] - second[k] for k in common])
        n_train, n_test = sizes(SETS[name])
        seconds = [np.mean([self.seconds[place][k] for k in common]) for place in places]
        return SetComparison(
            scaling,
            name,
            ours,
            theirs,
            len(common),
            *(float(100 * np.mean([side[k] for k in common])) for side in (first, second)),
            corrected_interval(differences, n_test / n_train),
            *map(float, seconds),
        )


@dataclass(frozen=True)
class SetComparison:
    """Two methods on one set.

    Attributes
    ----------
    scaling, name, ours, theirs : str
        What is compared.

    n_splits : int
        How many splits both have.

    accuracy, their_accuracy : float
        Means in per cent.

    half_width : float or None
        Of the corrected 95 % interval of the difference; None of a single split.

    seconds, their_seconds : float
        Mean CPU time.
    """

    scaling: str
    name: str
    ours: str
    theirs: str
    n_splits: int
    accuracy: float
    their_accuracy: float
    half_width: float | None
    seconds: float
    their_seconds: float

    @property
    def difference(self):
        """Points of accuracy by which ours is ahead."""
        return self.accuracy - self.their_accuracy


def mean_of_scalings(comparisons):
    """Return the mean of comparisons of the same methods on one set, scaled differently."""
    first = comparisons[0]
    return replace(
        first,
        scaling="mean",
        n_splits=min(one.n_splits for one in comparisons),
        half_width=None,
        **{
            name: float(np.mean([getattr(one, name) for one in comparisons]))
            for name in ("accuracy", "their_accuracy", "seconds", "their_seconds")
        },
    )


@dataclass(frozen=True)
class Summary:
    """Two methods across sets.

    Attributes
    ----------
    n_sets : int
        How many sets there are.

    mean, error : float
        Of the differences in points, and the standard error (None of a single set).

    p_value : float or None
        Of Wilcoxon's signed-rank test on the means of the sets.

    lost : tuple of str
        Sets behind by more than one point, the largest loss first.

    time_ratio : float
        CPU time of all sets together, ours over theirs.
    """

    n_sets: int
    mean: float
    error: float | None
    p_value: float | None
    lost: tuple
    time_ratio: float


def summarise(comparisons):
    """Return the summary of comparisons on several sets; None of none."""
    if not comparisons:
        return None
    differences = np.array([one.difference for one in comparisons])
    n_sets = len(differences)
    error = float(differences.std(ddof=1) / np.sqrt(n_sets)) if n_sets > 1 else None
    moves = n_sets > 1 and differences.any()
    losses = sorted((one.difference, one.name) for one in comparisons)
    return Summary(
        n_sets,
        float(differences.mean()),
        error,
        float(wilcoxon(differences).pvalue) if moves else None,
        tuple(name for difference, name in losses if difference < -LOST),
        sum(one.seconds for one in comparisons)
        / max(sum(one.their_seconds for one in comparisons), 1e-12),
    )


def across(values, names, scaling, kind, ours, theirs):
    """Return the comparisons on all sets of a kind that have results."""
    found = (
        values.compare(scaling, name, ours, theirs)
        for name in sorted(names)
        if SETS[name].kind == kind
    )
    return [one for one in found if one is not None]
