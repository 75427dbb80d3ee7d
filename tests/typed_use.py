"""How users call the library, for the type checker: `make types` reads it, nothing runs it.

An error that is expected is ignored by its name, and an ignored error that does not occur
is an error itself.
"""

from largemargin import LDMClassifier, LinearLDMClassifierCV, MarginDistribution


def construct() -> None:
    """Give estimators parameters that they have, and some that they do not have."""
    LDMClassifier(10.0, gamma="scale", kernel="rbf")
    LDMClassifier(gama=1)  # type: ignore[call-arg]
    LinearLDMClassifierCV(Cs=[1, 10], cv=3)
    LinearLDMClassifierCV(C=1)  # type: ignore[call-arg]


def mean(distribution: MarginDistribution) -> float:
    """Ask a distribution for a number that it has, and for one that it does not have."""
    distribution.men  # type: ignore[attr-defined]  # noqa: B018
    return distribution.mean
