"""Target 13: the linear SVM against parallel peers, to the same accuracy."""

from benchmarks.targets.base import Target, at_least, column, geometric_mean, reported
from benchmarks.targets.linear import race, race_columns

PEERS = "snapml", "liblinear-multicore"


class LinearPeers(Target):
    """Times until the objective is within 1e-3 of the optimum, peers on all cores."""

    name = "linear_peers"
    title = "13. Linear peers"
    about = (
        "As target 1, against snapml and liblinear-multicore on all cores. snapml runs the "
        "smallest number of epochs that gets there; liblinear-multicore stops at the "
        "largest tolerance 1 / epochs that does, or at its own limit of iterations. Runs "
        "on several cores differ: the one that is timed may end a little above 1e-3."
    )
    columns = (
        column("set", "set"),
        column("C", "C", "g"),
        column("peer", "peer"),
        *race_columns("peer"),
    )

    def cells(self, bench):
        """Return every data set at every C with every peer."""
        settings = bench.settings
        return [
            {"set": name, "C": C, "peer": peer}
            for name in settings.sets
            for C in settings.Cs
            for peer in PEERS
        ]

    def measure(self, bench, **cell):
        """Return the race on one data set."""
        cap = bench.settings.peer_cap
        return race(bench, cell["set"], None, cell["C"], cell["peer"], cap)

    def claims(self, rows):
        """Claim a geometric mean for each peer; report the worst cell."""
        claims = []
        for peer in PEERS:
            speedups = [row["speedup"] for row in rows if row["peer"] == peer]
            mean = geometric_mean(speedups)
            claims.append(at_least(f"{peer} / ours, geometric mean", 1, mean))
            if speedups:
                claims.append(reported(f"{peer} / ours, worst cell", min(speedups)))
        return claims
