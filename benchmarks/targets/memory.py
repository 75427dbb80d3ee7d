"""Target 5: the memory that a fit takes beyond its data."""

from benchmarks.targets.base import Target, at_most, column
from benchmarks.workers import fit_in_new_process

LIMITS = {"dense": 0.5, "sparse": 1.0, "kernel": 1.35}
# Loss and prices of the fits, active ones as k_var, k_mean in units of C times the rows.
KINDS = (
    ("hinge", "paper"),
    ("hinge", "default"),
    ("hinge", "0.1, 0.3"),
    ("squared_hinge", "0.1, 0.3"),
)
GRAM_NUMBER = 4


class Memory(Target):
    """Peak of a fit in a process of its own, above what was there before."""

    name = "memory"
    title = "5. Memory"
    about = (
        "The peak of a fit above what the process held before it, in units of the "
        "data (linear) or of one float32 Gram matrix (kernel). C = 1, lambdas 2^-4 "
        "('paper'), those of LDMClassifier() ('default'), or active ones in units of C m."
    )
    columns = (
        column("machine", "machine"),
        column("set", "set"),
        column("data", "data"),
        column("m", "m"),
        column("loss", "loss"),
        column("prices", "prices"),
        column("kind", "kind"),
        column("peak / unit", "ratio", ".2f"),
        column("peak, MiB", "peak_mib", ".1f"),
        column("unit, MiB", "unit_mib", ".1f"),
        column("gap", "gap", ".1e"),
    )

    def cells(self, bench):
        """Return the cases of the settings; linear ones have no default prices."""
        keys = "machine", "set", "rows", "loss", "prices"
        return [
            dict(zip(keys, (*case, *kind), strict=True))
            for case in bench.settings.memory_cases
            for kind in KINDS
            if case[0] == "kernel" or kind[1] != "default"
        ]

    def guess(self, bench, cell):
        """Return about what a process with two fits takes."""
        return 8.0

    def measure(self, bench, **cell):
        """Return the peak of one fit."""
        reported = fit_in_new_process(
            bench.data,
            cell["machine"],
            cell["set"],
            rows=cell["rows"],
            loss=cell["loss"],
            prices=cell["prices"],
        )
        is_kernel = cell["machine"] == "kernel"
        unit = GRAM_NUMBER * reported["rows"] ** 2 if is_kernel else reported["data_bytes"]
        return {
            "data": reported["source"],
            "m": reported["rows"],
            "kind": "kernel" if is_kernel else reported["kind"],
            "ratio": reported["peak_bytes"] / unit,
            "peak_mib": reported["peak_bytes"] / 2**20,
            "unit_mib": unit / 2**20,
            "gap": reported["gap"],
        }

    def claims(self, rows):
        """Claim a limit for each kind."""
        return [
            at_most(
                f"peak / {'Gram' if kind == 'kernel' else 'data'}, {kind}",
                limit,
                [row["ratio"] for row in rows if row["kind"] == kind],
            )
            for kind, limit in LIMITS.items()
        ]
