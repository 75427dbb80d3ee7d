"""Target 9: a kernel machine on more rows than a Gram matrix could hold."""

import time

from benchmarks.competitors import LibsvmSVM
from benchmarks.objectives import gamma_scale
from benchmarks.targets.base import Claim, Target, at_least, at_most, column
from benchmarks.workers import fit_in_new_process

SET = "covtype"
WARM_ROWS = 5000


class BigKernel(Target):
    """Ours by its low-rank route against ``SVC`` on far fewer rows."""

    name = "big_kernel"
    title = "9. Big kernels"
    about = (
        "LDM (rbf, lambdas 2^-4, tol=1e-3) on 200,000 rows, in a new process, "
        "against SVC on 30,000 rows, scored on the same held-out rows."
    )
    columns = (
        column("set", "set"),
        column("C", "C", "g"),
        column("data", "data"),
        column("time, ours / SVC", "time_ratio", ".2f"),
        column("ours, s", "ours_seconds", ".1f"),
        column("SVC, s", "theirs_seconds", ".1f"),
        column("ours, m", "ours_m"),
        column("SVC, m", "theirs_m"),
        column("process peak, GiB", "peak_gib", ".2f"),
        column("our gap", "gap", ".1e"),
        column("residual", "residual", ".1e"),
        column("our support", "ours_support"),
        column("SVC support", "theirs_support"),
        column("our accuracy", "ours_accuracy", ".4f"),
        column("SVC accuracy", "theirs_accuracy", ".4f"),
    )

    def skipped(self, bench):
        """Skip it where no rows are set."""
        return None if bench.settings.big_kernel_rows else "it takes minutes"

    def cells(self, bench):
        """Return the one cell."""
        return [{"set": SET, "C": 10}]

    def measure(self, bench, **cell):
        """Fit ours in a process of its own, then ``SVC`` here."""
        n_ours, n_theirs, n_held_out = bench.settings.big_kernel_rows
        fitted = fit_in_new_process(
            bench.data,
            "kernel",
            SET,
            n_ours,
            C=cell["C"],
            warm_rows=WARM_ROWS,
            held_out=n_held_out,
        )
        rows = bench.rows(SET)
        X, y = rows.X[:n_theirs], rows.y[:n_theirs]
        begin = time.perf_counter()
        machine = LibsvmSVM(cell["C"], gamma_scale(X)).fit(X, y)
        seconds = time.perf_counter() - begin
        return {
            "data": rows.source,
            "time_ratio": fitted["seconds"] / seconds,
            "ours_seconds": fitted["seconds"],
            "theirs_seconds": seconds,
            "ours_m": fitted["rows"],
            "theirs_m": n_theirs,
            "peak_gib": fitted["process_bytes"] / 2**30,
            "gap": fitted["gap"],
            "residual": fitted["residual"],
            "ours_support": fitted["support"],
            "theirs_support": len(machine.support_),
            "ours_accuracy": fitted["accuracy"],
            "theirs_accuracy": machine.score(rows.X[-n_held_out:], rows.y[-n_held_out:]),
        }

    def claims(self, rows):
        """Claim memory, time, a reported residual and accuracy."""
        gains = [row["ours_accuracy"] - row["theirs_accuracy"] for row in rows]
        residuals = [row["residual"] for row in rows]
        reported = all(residual is not None for residual in residuals)
        return [
            at_most("process peak, GiB", 8, (row["peak_gib"] for row in rows)),
            at_most("time, ours / SVC", 1, (row["time_ratio"] for row in rows)),
            Claim("residual reported", "yes", "yes" if reported else "no", reported),
            at_least("accuracy, ours - SVC", 0, gains, ".4f"),
        ]
