"""Comparisons of two methods: on each set, and across sets."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import wilcoxon

from study.regression.methods import METHODS
from study.regression.sets import SETS
from study.regression.tasks import sizes
from study.statistics import corrected_interval

# A set counts as lost if it is behind by more than this many points of R2.
LOST = 1.0


class Values:
    """The results of a store by targets, set, method and split."""

    def __init__(self, results):
        self.found = {}
        for one in results:
            place = one.protocol, one.dataset, one.method
            self.found.setdefault(place, {})[one.repetition] = one

    def compare(self, targets, name, ours, theirs):
        """Return the comparison on a set; None without results of both methods."""
        sides = [self.found.get((targets, name, method), {}) for method in (ours, theirs)]
        common = sorted(sides[0].keys() & sides[1].keys())
        if not common:
            return None
        n_train, n_test = sizes(SETS[name])
        pairs = [[side[k] for k in common] for side in sides]
        r2 = np.array([[points(one) for one in side] for side in pairs])
        means = [np.mean([one.mae for one in side]) for side in pairs]
        seconds = [self.seconds(targets, name, method) for method in (ours, theirs)]
        return SetComparison(
            targets,
            name,
            ours,
            theirs,
            len(common),
            *map(float, r2.mean(axis=1)),
            corrected_interval(r2[0] - r2[1], n_test / n_train),
            float(100 * (means[0] / means[1] - 1)),
            *seconds,
        )

    def seconds(self, targets, name, method):
        """Return the mean CPU time, of what takes the choice of a search that of both."""
        leader = METHODS[method].follows
        found = self.found.get((targets, name, method), {}).values()
        own = float(np.mean([one.cpu_seconds for one in found])) if found else 0.0
        return own if leader is None else own + self.seconds(targets, name, leader)


def points(result):
    """Return 100 R2; below zero, where the mean is better, it counts as zero."""
    return 100 * max(result.r2, 0.0)


@dataclass(frozen=True)
class SetComparison:
    """Two methods on one set.

    Attributes
    ----------
    targets, name, ours, theirs : str
        What is compared.

    n_splits : int
        How many splits both have.

    r2, their_r2 : float
        Means in points.

    half_width : float or None
        Of the corrected 95 % interval of the difference; None of a single split.

    mae : float
        The mean absolute error above theirs, in per cent.

    seconds, their_seconds : float
        Mean CPU time.
    """

    targets: str
    name: str
    ours: str
    theirs: str
    n_splits: int
    r2: float
    their_r2: float
    half_width: float | None
    mae: float
    seconds: float
    their_seconds: float

    @property
    def difference(self):
        """Points of R2 by which ours is ahead."""
        return self.r2 - self.their_r2


@dataclass(frozen=True)
class Summary:
    """Two methods across sets.

    Attributes
    ----------
    n_sets : int
        How many sets there are.

    mean, mean_mae : float
        Of the differences in points of R2, and in per cent of the absolute error.

    error, error_mae : float or None
        Their standard errors; None of a single set.

    p_value : float or None
        Of Wilcoxon's signed-rank test on the differences of R2.

    lost : tuple of str
        Sets behind by more than one point, the largest loss first.

    time_ratio : float
        CPU time of all sets together, ours over theirs.
    """

    n_sets: int
    mean: float
    error: float | None
    mean_mae: float
    error_mae: float | None
    p_value: float | None
    lost: tuple
    time_ratio: float


def summarise(comparisons):
    """Return the summary of comparisons on several sets; None of none."""
    if not comparisons:
        return None
    n_sets = len(comparisons)
    both = np.array([(one.difference, one.mae) for one in comparisons])
    errors = both.std(axis=0, ddof=1) / np.sqrt(n_sets) if n_sets > 1 else (None, None)
    moves = n_sets > 1 and both[:, 0].any()
    losses = sorted((one.difference, one.name) for one in comparisons)
    return Summary(
        n_sets,
        float(both[:, 0].mean()),
        errors[0],
        float(both[:, 1].mean()),
        errors[1],
        float(wilcoxon(both[:, 0]).pvalue) if moves else None,
        tuple(name for difference, name in losses if difference < -LOST),
        sum(one.seconds for one in comparisons)
        / max(sum(one.their_seconds for one in comparisons), 1e-12),
    )


def across(values, names, targets, ours, theirs):
    """Return the comparisons on all sets that have results."""
    found = (values.compare(targets, name, ours, theirs) for name in sorted(names))
    return [one for one in found if one is not None]
