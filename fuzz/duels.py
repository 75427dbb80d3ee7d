"""The judge of machines that minimise over distributions of rows."""

import numpy as np

from fuzz.exact import LONG, LinearSpace
from fuzz.objective import DERIVED, UNIT, duels_of
from fuzz.oracle import duel_candidate, factor_of
from fuzz.verdicts import (
    GENEROUS,
    INTERIOR,
    OBJECTIVE,
    ROUNDINGS,
    SCORES,
    TINY,
    Bound,
    Group,
)


class Duels(Group):
    """Machines that minimise over distributions of rows."""

    def _poses(self):
        return duels_of(self.drawn)

    def _examine_one(self, number, duel, fitted):
        bounds = self._oracle_bounds(duel)
        for outcome in fitted:
            self._check_model(outcome, number, duel)
            p = duel.normalise(outcome.kept["dual_beta"][number][duel.counted])
            if p is None:
                self.verdicts[outcome.machine].blame(
                    "objective", "dual_beta_ is no weighting"
                )
                continue
            objective, error = duel.value(self.space, p)
            error += DERIVED * objective
            self._check_objective(outcome, number, objective, error)
            for best in bounds:
                self._check_gap(outcome, number, objective, objective, error, best)

    def _oracle_bounds(self, duel):
        if not self.with_oracle:
            return []
        try:
            if isinstance(self.space, LinearSpace):
                # The weights of both classes have the same sum: any origin will do.
                rows = self.space.rows[duel.counted]
                features = rows - rows.mean(axis=0)
            else:
                gram = self.space.gram[np.ix_(duel.counted, duel.counted)]
                features = factor_of(gram.astype(float))[0]
            p = duel.normalise(duel_candidate(features, duel))
        except Exception:
            return []
        if p is None:
            return []
        return [Bound(*duel.value(self.space, p), INTERIOR)]

    def _check_objective(self, outcome, number, objective, error):
        said, gap = outcome.kept["objective"][number], LONG(outcome.kept["gap"][number])
        if not np.isfinite(gap):
            return
        allowed = (GENEROUS * gap + OBJECTIVE) * objective + error + TINY
        if not abs(LONG(said) - objective) <= allowed:
            self.verdicts[outcome.machine].blame(
                "objective", f"says {said:.9g}, is {objective:.9g}, gap {gap:.3g}"
            )

    def _check_model(self, outcome, number, duel):
        """Report scores that do not follow from the model, or from the weights."""
        kept = outcome.kept
        p = np.asarray(kept["dual_beta"][number][duel.counted], dtype=LONG)
        by_weights = self.space.of_expansion(duel.y * p, np.flatnonzero(duel.counted))
        if "dual_coef" in kept:
            element = self.space.of_expansion(kept["dual_coef"][number], kept["support"])
        else:
            element = self.space.of_coef(kept["coef"][number])
        intercept = LONG(kept["intercept"][number])
        for by, scores in ("model", element), ("weights", by_weights):
            right = scores.scores + intercept
            allowed = ROUNDINGS * UNIT * (by_weights.size + element.size + abs(intercept))
            allowed += SCORES * np.abs(right).max() + scores.error + TINY
            wrong = np.abs(kept["scores"][number] - right) - allowed
            if not (wrong <= 0).all():
                worst = int(np.argmax(wrong))
                self.verdicts[outcome.machine].blame(
                    "scores",
                    f"row {worst} has {kept['scores'][number][worst]:.9g}, should have "
                    f"{right[worst]:.9g} by its {by}, allowed {allowed[worst]:.3g}",
                )
