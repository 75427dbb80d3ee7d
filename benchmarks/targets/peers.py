"""What tables of our kernel machines beside other libraries share."""

from benchmarks.targets.base import column
from benchmarks.work_log import collected

# Enough for the loops over a float32 Gram matrix to be compiled.
WARM_ROWS = 5000
FLOAT32_ROWS = 4000
# What is shown of a fit.
FIT_COLUMNS = (
    column("s", "seconds", ".3f"),
    column("CPU, s", "cpu_seconds", ".3f"),
    column("gap", "gap", ".1e"),
    column("above", "above", ".1e"),
    column("iterations", "n_iter"),
    column("products", "products"),
    column("rank", "rank"),
    column("Gram, s", "gram_seconds", ".3f"),
    column("factor, s", "factor_seconds", ".3f"),
    column("solve, s", "solve_seconds", ".3f"),
    column("support", "support"),
    column("data", "data"),
)


def timed_fit(bench, fitting, rows, *, warm):
    """Return a fitted machine and its row: time, and what the machine says of itself.

    Machines with the same ``warm`` are fitted once before, because of the compiler.
    """
    n_rows = rows[0].shape[0]
    first = [array[:WARM_ROWS] for array in rows]
    key = ("warm", type(fitting), n_rows > FLOAT32_ROWS, *warm)
    bench.once(key, lambda: fitting.fit(*first) and None)
    with collected() as work:
        timing = bench.time({"it": lambda: fitting.fit(*rows)}, warm=())["it"]
    machine, n_runs = timing.result, len(timing.seconds)
    row = {
        "seconds": timing.best,
        "cpu_seconds": timing.best_cpu,
        "support": len(machine.support_),
    }
    if hasattr(machine, "duality_gap_"):
        row |= {"gap": float(machine.duality_gap_), "n_iter": machine.n_iter_}
        row |= {key: n if key == "rank" else n / n_runs for key, n in work.items()}
        row["late"] = timing.best > bench.settings.fit_limit
    return machine, row


def given_up(cell, rows, same):
    """Return that a smaller size took the whole time, with the same values, or None."""
    for row in rows:
        is_smaller = row.get("late") and row["m"] < cell["m"]
        if is_smaller and all(row[key] == cell[key] for key in same):
            return f"not tried, because m = {row['m']} took too long"
    return None


def with_ratios(row, rows, place, ratios):
    """Return a row of ours with the ratios of peers' times to its own.

    ``ratios`` has the name of the ratio by that of the peer, and ``place`` the keys that
    rows of the same problem have in common. Ratios of the processor's time, if it was
    measured, are called ``cpu_`` and that name.
    """
    if row["machine"] in ratios or "seconds" not in row:
        return row
    found = {}
    for other in rows:
        name = ratios.get(other["machine"])
        is_here = all(other[key] == row[key] for key in place)
        if name and is_here and "seconds" in other:
            found[name] = other["seconds"] / row["seconds"]
            if "cpu_seconds" in row and "cpu_seconds" in other:
                found[f"cpu_{name}"] = other["cpu_seconds"] / row["cpu_seconds"]
    return {**row, **found}


def values(rows, key):
    """Return what rows have under a key; those of absent peers have nothing."""
    return [row[key] for row in rows if key in row]
