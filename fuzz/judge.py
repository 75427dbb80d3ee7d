"""The judge: compares the attributes of a machine with its model, in 80 bits."""

from collections import defaultdict

import numpy as np

from fuzz.duels import Duels
from fuzz.primal import Machines
from fuzz.verdicts import BAD, Judged


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
    """Return the part of a verdict that needs no other outcome."""
    judged = Judged(outcome.machine, outcome.status, {}, outcome.message, outcome.seconds)
    if outcome.status in BAD:
        judged.blame(outcome.status, outcome.message)
    if outcome.warning:
        judged.blame("warning", outcome.warning)
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
