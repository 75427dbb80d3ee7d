"""The state of a run: its settings, its data, and results that are computed once."""

from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.competitors import OurLinear
from benchmarks.datasets import DATASETS
from benchmarks.measure import side_by_side
from benchmarks.objectives import LinearObjective
from benchmarks.settings import Settings


@dataclass
class Bench:
    """One run of the benchmarks."""

    settings: Settings
    data: Path | None
    output: Path
    _known: dict = field(default_factory=dict)

    def once(self, key, find):
        """Return ``find()``, computed in the first call only."""
        if key not in self._known:
            self._known[key] = find()
        return self._known[key]

    def rows(self, name, n_rows=None):
        """Return the first rows of a data set."""
        rows = self.once(("rows", name), lambda: DATASETS[name].load(self.data))
        return rows.first(n_rows)

    def time(self, runs, warm=("ours",)):
        """Return the timings of callables that take turns, some of them warmed up."""
        settings = self.settings
        return side_by_side(runs, repeats=settings.repeats, slow=settings.slow, warm=warm)

    def linear(self, name, n_rows, prices, loss="hinge"):
        """Return rows, their linear objective, and its bound from a tight fit of ours."""
        rows = self.rows(name, n_rows)
        objective = LinearObjective(rows.X, rows.y, prices, loss)

        def tight_bound():
            ours = OurLinear(prices, self.settings.tight, loss)
            machine = ours.fit(rows.X, rows.y)
            return objective.bound(machine.coef_[0], machine.dual_beta_)

        return (
            rows,
            objective,
            self.once(("bound", name, n_rows, prices, loss), tight_bound),
        )
