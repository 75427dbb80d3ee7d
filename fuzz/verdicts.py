"""Verdicts on fits, and how fits of the same problem are judged together."""

from dataclasses import dataclass, field

from fuzz.exact import LONG, exact_space
from fuzz.machines import GIVEN
from fuzz.objective import settled_gamma

BAD = (
    "crash",
    "endless",
    "error",
    "warning",
    "not finite",
    "hard",
    "false",
    "objective",
    "margins",
    "share",
    "scores",
    "disagree",
)
HONEST = "converged", "unconverged", "refused"
# A gap may be short by this factor and this part of the scale.
GENEROUS = LONG("1.05")
NOTHING = LONG("1e-17")
OBJECTIVE = LONG("1e-9")
SCORES = LONG("1e-9")
ROUNDINGS = LONG(1000)
# Squares of margins, and objectives, may underflow below these.
TINY_MARGIN, TINY = LONG("1e-150"), LONG("1e-290")
# Where the judge knows less than this part of the scale, it says so.
BLURRED = LONG("1e-12")
INTERIOR = "an interior point"
NO_MINIMUM, NOT_SEPARABLE = "problem has no minimum:", "cannot be separated"
NOT_INSIDE = "asks for residuals of at most"
REFUSALS = NO_MINIMUM, NOT_SEPARABLE, NOT_INSIDE


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
    is_grave: bool = False

    def blame(self, verdict, fact):
        """Add a fault, unless there is one with this name."""
        self.faults.setdefault(verdict, fact)


@dataclass
class Bound:
    """An upper bound on an optimum, and where it comes from.

    ``margin`` is by how much the point separates the classes, if that was asked for.
    """

    objective: LONG
    error: LONG
    source: str
    margin: float = float("inf")


class Group:
    """Machines that solve the same problem, judged together."""

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
        is_given = self.kernel in GIVEN
        matrix = self.matrix if is_given else self.drawn.rows
        kernel = "precomputed" if is_given else self.kernel
        options = {name: self.drawn.kernel[name] for name in ("degree", "coef0")}
        return exact_space(kernel, matrix, gamma, **options)

    def _check_refusals(self, refused, fitted, poses):
        """Report machines that refuse a problem which another one solved."""
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
        """Return why a refusal with this message must be wrong, or None."""
        return None

    def _check_gap(self, outcome, number, objective, scale, error, best):
        """Report a gap that is smaller than the distance from a better point."""
        judged, gap = self.verdicts[outcome.machine], LONG(outcome.kept["gap"][number])
        excess = objective - best.objective
        judged.excess = max(judged.excess, float(excess / scale) if scale > 0 else 0.0)
        allowed = GENEROUS * gap * scale + NOTHING * scale + TINY
        blur = error + best.error
        judged.blurred |= bool(blur > max(allowed, BLURRED * scale))
        if excess > allowed + blur:
            judged.is_grave |= bool(excess > GENEROUS * LONG(outcome.kept["tol"]) * scale)
            judged.blame(
                "false",
                f"claims {gap:.3g}, but {best.source} is lower by {excess / scale:.3g} "
                f"of the scale {scale:.6g}",
            )
