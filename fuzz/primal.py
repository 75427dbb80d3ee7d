"""The judge of machines that minimise over ``w`` and ``b``."""

import numpy as np

from fuzz.exact import LONG, KernelSpace, LinearSpace
from fuzz.machines import GIVEN, ONE_CLASS, QUANTILE, TUBE
from fuzz.objective import UNIT, poses_of
from fuzz.oracle import kernel_candidate, linear_candidate
from fuzz.value_poses import value_poses_of
from fuzz.verdicts import (
    GENEROUS,
    INTERIOR,
    NO_MINIMUM,
    NOT_INSIDE,
    NOT_SEPARABLE,
    OBJECTIVE,
    ROUNDINGS,
    SCORES,
    TINY,
    TINY_MARGIN,
    Bound,
    Group,
)

# The objective and the margins of these machines are those of a float32 matrix.
ROUNDED = " narrow"
# How far margins of a hard margin machine may fall below one.
HARD = LONG("1e-6")
MARGINS = LONG("1e-6")
# Rows are on the curve up to the precision of the matrix.
FEW_BITS, NARROW = ("tiled", "narrow", "precomputed32"), LONG("1e-10")
# Shares may be larger by this part, the rounding of sums of weights.
SHARE = LONG("1e-9")
# Separating margins up to this fraction of the longest row may be refused as none.
NO_MARGIN = LONG("2e-7")
# Beyond this part of the largest eigenvalue a matrix is indefinite by more than rounding.
INDEFINITE = 1e-12


class Machines(Group):
    """Machines that minimise over ``w`` and ``b``."""

    def _poses(self):
        if self.loss in (TUBE, QUANTILE, ONE_CLASS):
            return value_poses_of(self.drawn, self.loss)
        return poses_of(self.drawn, self.loss)

    def _examine_one(self, number, pose, fitted):
        pose = pose.on(self.space)
        if pose.has_no_minimum():
            for outcome in fitted:
                if np.isfinite(outcome.kept["gap"][number]):
                    self.verdicts[outcome.machine].blame("false", "there is no minimum")
            return
        elements = [element_of(self.space, outcome.kept, number) for outcome in fitted]
        values = [
            pose.value(element, outcome.kept["intercept"][number])
            for element, outcome in zip(elements, fitted, strict=True)
        ]
        for outcome, element, value in zip(fitted, elements, values, strict=True):
            self._check_scores(outcome, number, element)
            self._check_margins(outcome, number, pose, value)
            self._check_hard(outcome, number, pose, value)
            self._check_shares(outcome, number, pose, value)
        space = self._definite_space(pose)
        if space is not None:
            self._check_values(number, pose, fitted, space)

    def _check_values(self, number, pose, fitted, space):
        """Check objectives and gaps against the lowest of all points."""
        bounds, values = self._oracle_bounds(pose, space), []
        for outcome in fitted:
            element = element_of(space, outcome.kept, number)
            intercept = outcome.kept["intercept"][number]
            values.append(pose.value(element, intercept))
            bounds.append(bound_of(pose, element, intercept, outcome.machine))
        bounds = [b for b in bounds if b is not None and np.isfinite(b.objective)]
        best = min(bounds, key=lambda bound: bound.objective + bound.error, default=None)
        for outcome, value in zip(fitted, values, strict=True):
            value.error += pose.slack * value.scale
            self._check_objective(outcome, number, value)
            if best is not None:
                facts = value.objective, value.scale, value.error
                self._check_gap(outcome, number, *facts, best)

    def _disproof(self, words, poses):
        if words == NO_MINIMUM and all(pose.has_minimum() for pose in poses):
            return "there is a minimum"
        # In a rounded Gram matrix any classes can be separated: that proves nothing.
        if words == NOT_SEPARABLE and self.kernel not in GIVEN:
            found = [self._oracle_bounds(pose, self.space) for pose in poses]
            # A margin that is tiny beside the rows counts as none.
            least = NO_MARGIN * self.space.longest
            if all(bounds and bounds[0].margin > least for bounds in found):
                return f"{INTERIOR} separates"
        if words == NOT_INSIDE and self.kernel not in GIVEN:
            posed = [pose.on(self.space) for pose in poses]
            if all(self._oracle_bounds(pose, self.space) for pose in posed):
                return f"{INTERIOR} is inside"
        return None

    def _definite_space(self, pose):
        """Return the space of a definite matrix as near as can be to that of the rows.

        Multiples of the identity make a rounded matrix definite; what they change is an
        error of the judge. None if that is more than rounding: then there is no optimum.
        """
        if self.kernel not in GIVEN:
            return self.space
        gram = self.matrix[np.ix_(pose.counted, pose.counted)].astype(float)
        values = np.linalg.eigvalsh(gram)
        size = np.abs(values).max()
        if values[0] < -INDEFINITE * size:
            return None
        lacking = LONG(max(-values[0], 0.0) + 4 * len(gram) * float(UNIT) * size)
        return KernelSpace(self.space.gram, lacking * np.eye(len(self.matrix), dtype=LONG))

    def _oracle_bounds(self, pose, space):
        if not self.with_oracle:
            return []
        try:
            if isinstance(space, LinearSpace):
                element, intercept = linear_candidate(space.rows, pose)
                element = space.of_coef(element)
            else:
                element, intercept = kernel_candidate(space.gram, pose)
                element = space.of_expansion(element, np.arange(len(pose.counted)))
        except Exception:
            return []
        bound = bound_of(pose, element, intercept, INTERIOR)
        return [] if bound is None else [bound]

    def _check_objective(self, outcome, number, value):
        kept = outcome.kept
        gap = LONG(kept["gap"][number])
        if not np.isfinite(gap) or ROUNDED in outcome.machine:
            return
        wrong = abs(LONG(kept["objective"][number]) - value.objective)
        allowed = (GENEROUS * gap + OBJECTIVE) * value.scale + value.error + TINY
        if not wrong <= allowed:
            self.verdicts[outcome.machine].blame(
                "objective",
                f"says {kept['objective'][number]:.9g}, is {value.objective:.9g}, "
                f"gap {gap:.3g}, scale {value.scale:.6g}",
            )

    def _check_margins(self, outcome, number, pose, value):
        kept = outcome.kept
        if not kept["gap"][number] <= kept["tol"] or ROUNDED in outcome.machine:
            return
        rounding = ROUNDINGS * UNIT * value.sizes + value.margin_errors
        mean, variance, _ = pose.moments(value.margins, value.margin_errors)
        size = pose.mean(np.abs(value.margins))
        allowed = {"margin_mean": MARGINS * size + pose.mean(rounding) + TINY_MARGIN}
        of_squares = pose.mean((rounding + pose.mean(rounding)) ** 2)
        allowed["margin_variance"] = MARGINS * (variance + 1e-6 * size**2) + (
            2 * np.sqrt(variance * of_squares) + of_squares + TINY
        )
        for name, right in ("margin_mean", mean), ("margin_variance", variance):
            said = LONG(kept[name][number])
            if not abs(said - right) <= allowed[name] and right < np.finfo(float).max:
                self.verdicts[outcome.machine].blame(
                    "margins",
                    f"{name}_ says {said:.9g}, is {right:.9g}, allowed {allowed[name]:.3g}",
                )

    def _check_hard(self, outcome, number, pose, value):
        if not np.isinf(pose.C) or not outcome.kept["gap"][number] < 1:
            return
        if pose.is_of_values:
            if pose.obeys(value) is None:
                rounding = value.margin_errors + 2 * UNIT * value.sizes
                away = np.maximum(np.abs(value.margins) - rounding, 0).max()
                if away > pose.sides[1]:
                    self.verdicts[outcome.machine].blame(
                        "hard", f"a residual is {away:.9g}, outside {pose.sides[1]:.9g}"
                    )
        elif value.smallest < 1 - HARD - value.margin_errors.max():
            self.verdicts[outcome.machine].blame(
                "hard",
                f"the smallest margin is {value.smallest:.9g}, gap "
                f"{outcome.kept['gap'][number]:.3g}",
            )

    def _check_shares(self, outcome, number, pose, value):
        """Check the share of outliers, or of rows below a quantile."""
        if not pose.is_of_values:
            return
        judged, shares = self.verdicts[outcome.machine], []
        if pose.nu is not None:
            outside = outcome.kept["scores"][number][pose.counted] < 0
            shares.append((outside, LONG(pose.nu)))
        elif pose.quantile is not None and pose.fit_intercept and pose.C > 0:
            if not outcome.kept["gap"][number] <= outcome.kept["tol"]:
                return
            # Margins of narrow values are settled in float32.
            unit = NARROW if any(name in outcome.machine for name in FEW_BITS) else UNIT
            on_curve = ROUNDINGS * unit * value.sizes + value.margin_errors
            shares.append((value.margins > on_curve, LONG(pose.quantile)))
            shares.append((value.margins < -on_curve, 1 - LONG(pose.quantile)))
        for rows, most in shares:
            share = pose.mean(rows.astype(LONG))
            if share > most * (1 + SHARE):
                judged.blame("share", f"{share:.6g} of the rows, at most {most:.6g} wanted")

    def _check_scores(self, outcome, number, element):
        kept, judged = outcome.kept, self.verdicts[outcome.machine]
        intercept = LONG(kept["intercept"][number])
        right = element.scores + intercept
        allowed = ROUNDINGS * UNIT * (element.size + abs(intercept))
        allowed += SCORES * np.abs(right).max() + element.error + TINY
        wrong = np.abs(kept["scores"][number] - right) - allowed
        worst = int(np.argmax(np.where(np.isnan(wrong), np.inf, wrong)))
        if not wrong[worst] <= 0:
            judged.blame(
                "scores",
                f"row {worst} has {kept['scores'][number][worst]:.9g}, "
                f"should have {right[worst]:.9g}, allowed {allowed[worst]:.3g}",
            )
        if not kept.get("rows_match", True):
            judged.blame("scores", "support_vectors_ are not X[support_]")


def element_of(space, kept, number):
    """Return the element that a machine kept."""
    if "dual_coef" in kept:
        return space.of_expansion(kept["dual_coef"][number], kept["support"])
    return space.of_coef(kept["coef"][number])


def bound_of(pose, element, intercept, source):
    """Return the objective of a point that obeys a hard margin, or None."""
    value, margin = pose.value(element, intercept), np.inf
    if np.isinf(pose.C):
        smallest = pose.obeys(value)
        if smallest is None:
            return None
        if smallest < 1:
            value = pose.value(element, intercept, 1 / smallest)
        margin = smallest / np.sqrt(element.norm + element.norm_error)
    error = value.error + pose.slack * value.scale
    return Bound(value.objective, error, source, margin)
