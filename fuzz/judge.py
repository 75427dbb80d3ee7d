"""Verdicts: what machines claim against what they kept, evaluated in 80 bits."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from fuzz.exact import LONG, LinearSpace, exact_space
from fuzz.objective import DERIVED, UNIT, duels_of, poses_of, settled_gamma
from fuzz.oracle import duel_candidate, factor_of, kernel_candidate, linear_candidate

BAD = (
    "crash",
    "endless",
    "error",
    "not finite",
    "hard",
    "false",
    "objective",
    "margins",
    "scores",
    "disagree",
)
HONEST = "converged", "unconverged", "refused"
# A gap may be short by this factor and this part of the scale.
GENEROUS = LONG("1.05")
NOTHING = LONG("1e-17")
# How far margins of a hard margin machine may fall below one.
HARD = LONG("1e-6")
OBJECTIVE = LONG("1e-9")
MARGINS = LONG("1e-6")
SCORES = LONG("1e-9")
ROUNDINGS = LONG(1000)
# Where the judge knows less than this part of the scale, it says so.
BLURRED = LONG("1e-12")
# Beyond this part of the largest eigenvalue a matrix is indefinite by more than rounding.
INDEFINITE = 1e-12
INTERIOR = "an interior point"
NO_MINIMUM, NOT_SEPARABLE = "problem has no minimum:", "cannot be separated"
REFUSALS = NO_MINIMUM, NOT_SEPARABLE, "cannot be told apart"


@dataclass
class Judged:
    """A fit with its verdicts: how it ended, and what is wrong, each with the facts."""

    machine: str
    status: str
    faults: dict = field(default_factory=dict)
    message: str = ""
    seconds: float = 0.0
    blurred: bool = False
    excess: float = 0.0

    def blame(self, verdict, fact):
        """Add a fault, unless there is one of that name."""
        self.faults.setdefault(verdict, fact)


@dataclass
class Bound:
    """An upper bound of an optimum, and where it comes from."""

    objective: LONG
    error: LONG
    source: str


def judge(drawn, machines, outcomes, with_oracle=True):
    """Return the verdict on each outcome of a drawn problem."""
    by_name = {machine.name: machine for machine in machines}
    verdicts = {outcome.machine: first_look(outcome) for outcome in outcomes}
    groups = defaultdict(list)
    for outcome in outcomes:
        groups[by_name[outcome.machine].group].append(outcome)
    with np.errstate(all="ignore"):
        for (kernel, loss), members in groups.items():
            examiner = Duels if loss == "komd" else Machines
            matrix = by_name[members[0].machine].matrix(drawn)
            examiner(drawn, kernel, loss, matrix, verdicts, with_oracle).examine(members)
    return list(verdicts.values())


def first_look(outcome):
    """Return the verdict on an outcome as far as no other is needed."""
    judged = Judged(outcome.machine, outcome.status, {}, outcome.message, outcome.seconds)
    if outcome.status in BAD:
        judged.blame(outcome.status, outcome.message)
    if outcome.status == "fitted":
        gap, tol = outcome.kept["gap"], outcome.kept["tol"]
        judged.status = "converged" if (gap <= tol).all() else "unconverged"
        broken = [
            name for name in finite_names(outcome.kept) if not is_finite(outcome, name)
        ]
        if np.isnan(gap).any() or (gap < 0).any():
            broken.append("gap")
        if broken:
            judged.blame("not finite", ", ".join(broken))
    return judged


def finite_names(kept):
    """Return the names of the attributes that make up the model."""
    return [
        name for name in ("coef", "dual_coef", "intercept", "dual_beta") if name in kept
    ]


def is_finite(outcome, name):
    """Return whether an attribute has neither NaN nor infinity."""
    return bool(np.isfinite(np.asarray(outcome.kept[name], dtype=float)).all())


class Group:
    """Machines that pose the same problem, judged together."""

    def __init__(self, drawn, kernel, loss, matrix, verdicts, with_oracle):
        self.drawn, self.kernel, self.loss = drawn, kernel, loss
        self.matrix, self.verdicts, self.with_oracle = matrix, verdicts, with_oracle

    def examine(self, members):
        """Judge all fits of the group."""
        if self.kernel == "sigmoid":
            return
        fitted = [
            outcome
            for outcome in members
            if outcome.status == "fitted" and not self.verdicts[outcome.machine].faults
        ]
        refused = [outcome for outcome in members if outcome.status == "refused"]
        poses = self._poses() if fitted or refused else []
        if not poses:
            return
        self.space = self._space(fitted)
        for number, pose in enumerate(poses):
            self._examine_one(number, pose, fitted)
        self._check_refusals(refused, fitted, poses)

    def _space(self, fitted):
        gamma = fitted[0].kept["gamma"] if fitted else settled_gamma(self.drawn)
        matrix = self.matrix if self.kernel == "precomputed" else self.drawn.rows
        options = {name: self.drawn.kernel[name] for name in ("degree", "coef0")}
        return exact_space(self.kernel, matrix, gamma, **options)

    def _check_refusals(self, refused, fitted, poses):
        """Blame machines that refuse what another one solved."""
        solved = [
            outcome.machine
            for outcome in fitted
            if self.verdicts[outcome.machine].status == "converged"
            and not self.verdicts[outcome.machine].faults
        ]
        for outcome in refused:
            words = next((words for words in REFUSALS if words in outcome.message), None)
            proof = f"{solved[0]} converged" if solved else self._disproof(words, poses)
            if words and proof:
                fact = f"{proof}, but this one said: {outcome.message}"
                self.verdicts[outcome.machine].blame("disagree", fact)

    def _disproof(self, words, poses):
        """Return why a refusal in these words cannot be right, if it cannot."""
        return None

    def _check_gap(self, outcome, number, objective, scale, error, best):
        """Blame a gap that is shorter than the distance from a better point."""
        judged, gap = self.verdicts[outcome.machine], LONG(outcome.kept["gap"][number])
        excess = objective - best.objective
        judged.excess = max(judged.excess, float(excess / scale) if scale > 0 else 0.0)
        allowed = GENEROUS * gap * scale + NOTHING * scale
        blur = error + best.error
        judged.blurred |= bool(blur > max(allowed, BLURRED * scale))
        if excess > allowed + blur:
            judged.blame(
                "false",
                f"claims {gap:.3g}, but {best.source} is lower by {excess / scale:.3g} "
                f"of the scale {scale:.6g}",
            )


class Machines(Group):
    """Machines that minimise over ``w`` and ``b``."""

    def _poses(self):
        return poses_of(self.drawn, self.loss)

    def _examine_one(self, number, pose, fitted):
        if pose.has_no_minimum():
            for outcome in fitted:
                if np.isfinite(outcome.kept["gap"][number]):
                    self.verdicts[outcome.machine].blame("false", "there is no minimum")
            return
        elements = {
            outcome.machine: self._element(outcome.kept, number) for outcome in fitted
        }
        values = {
            outcome.machine: pose.value(
                elements[outcome.machine], outcome.kept["intercept"][number]
            )
            for outcome in fitted
        }
        for outcome in fitted:
            element, value = elements[outcome.machine], values[outcome.machine]
            self._check_scores(outcome, number, element)
            self._check_margins(outcome, number, pose, value)
            self._check_hard(outcome, number, pose, value)
        indefinite = self._indefiniteness(pose)
        if indefinite is None:
            return
        bounds = [
            self._bound(
                pose,
                elements[outcome.machine],
                outcome.kept,
                number,
                indefinite,
                outcome.machine,
            )
            for outcome in fitted
        ]
        bounds += self._oracle_bounds(pose, indefinite)
        bounds = [b for b in bounds if b is not None and np.isfinite(b.objective)]
        for outcome in fitted:
            value = values[outcome.machine]
            value.error += self._blur(pose, outcome.kept, number, indefinite)
            value.error += pose.slack * value.scale
            self._check_objective(outcome, number, value)
            if bounds:
                best = min(bounds, key=lambda bound: bound.objective + bound.error)
                facts = value.objective, value.scale, value.error
                self._check_gap(outcome, number, *facts, best)

    def _disproof(self, words, poses):
        if words == NO_MINIMUM and all(pose.has_minimum() for pose in poses):
            return "there is a minimum"
        # In a rounded Gram matrix any rows can be told apart: that proves nothing.
        exact = words == NOT_SEPARABLE and self.kernel != "precomputed"
        if exact and all(self._oracle_bounds(pose, LONG(0)) for pose in poses):
            return f"{INTERIOR} separates"
        return None

    def _element(self, kept, number):
        if "dual_coef" in kept:
            return self.space.of_expansion(kept["dual_coef"][number], kept["support"])
        return self.space.of_coef(kept["coef"][number])

    def _bound(self, pose, element, kept, number, indefinite, source):
        bound = bound_of(pose, element, kept["intercept"][number], source)
        if bound is not None:
            bound.error += self._blur(pose, kept, number, indefinite)
        return bound

    def _indefiniteness(self, pose):
        """Return by how much a Gram matrix that was given falls short of definite.

        None if that is more than rounding: then there is no optimum to compare with.
        """
        if self.kernel != "precomputed":
            return LONG(0)
        gram = self.matrix[np.ix_(pose.counted, pose.counted)]
        values = np.linalg.eigvalsh(gram)
        size = np.abs(values).max()
        if values[0] < -INDEFINITE * size:
            return None
        return LONG(max(-values[0], 0.0) + 4 * len(gram) * float(UNIT) * size)

    def _blur(self, pose, kept, number, indefinite):
        """Return what a matrix that is definite, and as near as can be, may change."""
        if indefinite == 0:
            return LONG(0)
        alpha = np.zeros(len(pose.counted), dtype=LONG)
        alpha[kept["support"]] = np.abs(kept["dual_coef"][number])
        price = pose.weight * LONG(pose.C if np.isfinite(pose.C) else 0.0)
        price = price + LONG(pose.lambda_mean) * pose.weight / pose.total
        return indefinite * (alpha @ alpha / 2 + price @ alpha[pose.counted])

    def _oracle_bounds(self, pose, indefinite):
        if not self.with_oracle:
            return []
        try:
            if isinstance(self.space, LinearSpace):
                found = linear_candidate(self.space.rows, pose)
            else:
                found = kernel_candidate(self.space.gram, pose)
        except Exception:
            return []
        if found is None:
            return []
        if isinstance(self.space, LinearSpace):
            bound = bound_of(pose, self.space.of_coef(found[0]), found[1], INTERIOR)
        else:
            support = np.arange(len(pose.counted))
            kept = {"dual_coef": [found[0]], "support": support, "intercept": [found[1]]}
            element = self.space.of_expansion(found[0], support)
            bound = self._bound(pose, element, kept, 0, indefinite, INTERIOR)
        return [] if bound is None else [bound]

    def _check_objective(self, outcome, number, value):
        kept = outcome.kept
        gap = LONG(kept["gap"][number])
        if not np.isfinite(gap):
            return
        wrong = abs(LONG(kept["objective"][number]) - value.objective)
        allowed = GENEROUS * gap * value.scale + OBJECTIVE * value.scale + value.error
        if not wrong <= allowed:
            self.verdicts[outcome.machine].blame(
                "objective",
                f"says {kept['objective'][number]:.9g}, is {value.objective:.9g}, "
                f"gap {gap:.3g}, scale {value.scale:.6g}",
            )

    def _check_margins(self, outcome, number, pose, value):
        kept = outcome.kept
        if not kept["gap"][number] <= kept["tol"]:
            return
        rounding = ROUNDINGS * UNIT * value.sizes + value.margin_errors
        mean, variance, _ = pose.moments(value.margins, value.margin_errors)
        size = pose.mean(np.abs(value.margins))
        allowed = {"margin_mean": MARGINS * size + pose.mean(rounding)}
        of_squares = pose.mean((rounding + pose.mean(rounding)) ** 2)
        allowed["margin_variance"] = MARGINS * (variance + 1e-6 * size**2) + (
            2 * np.sqrt(variance * of_squares) + of_squares
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
        if value.smallest < 1 - HARD - value.margin_errors.max():
            self.verdicts[outcome.machine].blame(
                "hard",
                f"the smallest margin is {value.smallest:.9g}, gap "
                f"{outcome.kept['gap'][number]:.3g}",
            )

    def _check_scores(self, outcome, number, element):
        kept, judged = outcome.kept, self.verdicts[outcome.machine]
        intercept = LONG(kept["intercept"][number])
        right = element.scores + intercept
        allowed = ROUNDINGS * UNIT * (element.size + abs(intercept))
        allowed += SCORES * np.abs(right).max() + element.error
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


def bound_of(pose, element, intercept, source):
    """Return the objective of a point that obeys a hard margin, or None."""
    value = pose.value(element, intercept)
    if np.isinf(pose.C):
        smallest = (value.margins - value.margin_errors).min()
        if not smallest > 0:
            return None
        if smallest < 1:
            value = pose.value(element, intercept, 1 / smallest)
    return Bound(value.objective, value.error + pose.slack * value.scale, source)


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
        allowed = (GENEROUS * gap + OBJECTIVE) * objective + error
        if not abs(LONG(said) - objective) <= allowed:
            self.verdicts[outcome.machine].blame(
                "objective", f"says {said:.9g}, is {objective:.9g}, gap {gap:.3g}"
            )

    def _check_model(self, outcome, number, duel):
        """Blame scores that do not follow from the model, or from the weights."""
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
            allowed += SCORES * np.abs(right).max() + scores.error
            wrong = np.abs(kept["scores"][number] - right) - allowed
            if not (wrong <= 0).all():
                worst = int(np.argmax(wrong))
                self.verdicts[outcome.machine].blame(
                    "scores",
                    f"row {worst} has {kept['scores'][number][worst]:.9g}, should have "
                    f"{right[worst]:.9g} by its {by}, allowed {allowed[worst]:.3g}",
                )
