"""Comparisons of two methods under one condition, across sets."""

from dataclasses import dataclass, replace

import numpy as np

from study.defaults.comparison import KINDS
from study.defaults.sets import SETS
from study.when_it_helps.conditions import CONDITIONS, SELF_TUNED_SVM

# The support vector machines that others are compared with.
SVMS = "SVC", "SVC search", SELF_TUNED_SVM, "LinearSVC", "LinearSVC search"


@dataclass(frozen=True)
class Comparison:
    """A quantity of two methods on some sets.

    Parameters
    ----------
    condition, ours, theirs : str
        What is compared.

    values : dict of str to (float, float)
        Means of both methods over the splits that both have, by set.
    """

    condition: str
    ours: str
    theirs: str
    values: dict

    @property
    def differences(self):
        """Ours minus theirs, by set."""
        return {name: ours - theirs for name, (ours, theirs) in self.values.items()}

    @property
    def means(self):
        """The means of both methods over the sets."""
        return tuple(map(float, np.mean(list(self.values.values()), axis=0)))

    @property
    def mean(self):
        """The mean of the differences."""
        return float(np.mean(list(self.differences.values())))

    @property
    def error(self):
        """The standard error of the mean over sets; 0 of a single set."""
        found = list(self.differences.values())
        return float(np.std(found, ddof=1) / np.sqrt(len(found))) if len(found) > 1 else 0.0

    def by_kind(self):
        """Return the comparisons on binary sets and on those with many classes."""
        kinds = {kind: {} for kind in KINDS}
        for name, pair in self.values.items():
            kinds[SETS[name].kind][name] = pair
        return [
            replace(self, condition=f"{self.condition}, {kind}", values=values)
            for kind, values in kinds.items()
            if values
        ]

    def behind(self, by):
        """Return the sets on which ours is smaller by more than ``by``, worst first."""
        worst_first = sorted(self.differences.items(), key=lambda found: found[1])
        return [name for name, difference in worst_first if difference < -by]


def by_place(results):
    """Return results by condition and method, then by set, then by split."""
    found = {}
    for one in results:
        by_set = found.setdefault((one.protocol, one.method), {})
        by_set.setdefault(one.dataset, {})[one.repetition] = one
    return found


def compare(places, condition, ours, theirs, quantity):
    """Return a comparison; None without results that both methods have.

    Parameters
    ----------
    places : dict
        From :func:`by_place`.

    condition, ours, theirs : str
        What to compare.

    quantity : callable
        Maps a result to a number.
    """
    first, second = (places.get((condition, name), {}) for name in (ours, theirs))
    values = {}
    for name in sorted(first.keys() & second.keys()):
        common = first[name].keys() & second[name].keys()
        if common:
            values[name] = tuple(
                float(np.mean([quantity(side[name][k]) for k in common]))
                for side in (first, second)
            )
    return Comparison(condition, ours, theirs, values) if values else None


def comparisons(results, quantity, conditions=CONDITIONS):
    """Return all machines of ours against all SVMs, the worst difference first."""
    places = by_place(results)
    found = [
        compare(places, name, ours, theirs, quantity)
        for name in conditions
        for ours in CONDITIONS[name].methods
        for theirs in CONDITIONS[name].methods
        if ours not in SVMS and theirs in SVMS
    ]
    return sorted((one for one in found if one is not None), key=lambda one: one.mean)
