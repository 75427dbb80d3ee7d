"""What a run found: tables by machine and by kind of rows, and examples to replay."""

from collections import Counter
from dataclasses import dataclass, field

from fuzz.problems import draw
from fuzz.verdicts import BAD, HONEST

N_EXAMPLES = 5
N_REFUSALS = 12


@dataclass
class Finding:
    """A fault of one fit, with what is needed to see it again."""

    seed: int
    number: int
    kind: str
    machine: str
    verdict: str
    fact: str

    def show(self):
        """Return the finding in two lines."""
        drawn = draw(self.seed, self.number)
        return f"  {self.machine}: {self.fact}\n    {drawn.describe()}"


@dataclass
class Report:
    """Counts of outcomes and faults as they come."""

    by_machine: dict = field(default_factory=dict)
    by_kind: dict = field(default_factory=dict)
    total: Counter = field(default_factory=Counter)
    findings: list = field(default_factory=list)
    refusals: Counter = field(default_factory=Counter)
    problems: int = 0
    slowest: tuple = (0.0, "")

    def add(self, seed, number, kind, verdicts):
        """Count the verdicts on the fits of one problem."""
        self.problems += 1
        for judged in verdicts:
            counts = Counter(
                ["fits", judged.status] if judged.status in HONEST else ["fits"]
            )
            counts.update(list(judged.faults))
            counts["blurred"] += judged.blurred
            counts["grave"] += judged.is_grave
            if judged.status == "refused":
                self.refusals[shorten(judged.message)] += 1
            self.by_machine.setdefault(judged.machine, Counter()).update(counts)
            self.by_kind.setdefault(kind, Counter()).update(counts)
            self.total.update(counts)
            self.slowest = max(
                self.slowest, (judged.seconds, f"{judged.machine} on {seed}:{number}")
            )
            self.findings += [
                Finding(seed, number, kind, judged.machine, verdict, fact)
                for verdict, fact in judged.faults.items()
            ]

    @property
    def is_clean(self):
        """Whether no fault was found."""
        return not self.findings

    def show(self):
        """Return the report as text."""
        parts = [
            table("machine", self.by_machine, self.total),
            table("rows", self.by_kind, self.total),
            "Most frequent messages of refused fits, # for numbers:",
            *(f"  {n:5d}  {words}" for words, n in self.refusals.most_common(N_REFUSALS)),
            f"Slowest fit: {self.slowest[0]:.2f} s, {self.slowest[1]}.",
            f"False certificates that are wrong by more than tol: {self.total['grave']}.",
            f"Fits whose gap 80 bits cannot judge: {self.total['blurred']}.",
        ]
        for verdict in BAD:
            found = [finding for finding in self.findings if finding.verdict == verdict]
            if found:
                parts.append(f"\n{verdict}: {len(found)} fits; the first of them:")
                parts += [finding.show() for finding in spread_out(found)]
        return "\n".join(parts)

    def as_json(self):
        """Return the report as plain values."""
        return {
            "problems": self.problems,
            "total": self.total,
            "by_machine": self.by_machine,
            "by_kind": self.by_kind,
            "refusals": self.refusals,
            "slowest": self.slowest,
            "findings": [vars(finding) for finding in self.findings],
        }


def spread_out(findings):
    """Return a few findings, each from a different kind of rows."""
    chosen, seen = [], set()
    for finding in findings:
        if finding.kind not in seen and len(chosen) < N_EXAMPLES:
            seen.add(finding.kind)
            chosen.append(finding)
    return chosen


def shorten(message):
    """Return the first words of a message, without its numbers."""
    words = message.split()[:11]
    return " ".join("#" if any(c.isdigit() for c in word) else word for word in words)


def table(title, rows, total):
    """Return counts as a table; columns of zeros are left out."""
    columns = ["fits", *HONEST, *(name for name in BAD if total[name])]
    width = max(map(len, [title, *rows]), default=0)
    lines = [
        title.ljust(width) + "".join(f"  {name:>{max(5, len(name))}}" for name in columns)
    ]
    for name, counts in [*rows.items(), ("all", total)]:
        cells = (f"  {counts[column] or '.':>{max(5, len(column))}}" for column in columns)
        lines.append(name.ljust(width) + "".join(cells))
    return "\n".join(lines) + "\n"
