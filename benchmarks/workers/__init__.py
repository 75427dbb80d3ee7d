"""Fits in new processes, to measure the peak of memory and the first fit."""

from benchmarks.measure import in_new_process


def fit_in_new_process(data, machine, name, n_rows, *, C=1, warm_rows=None, held_out=0):
    """Return what ``workers.fit`` reports about one fit of ours."""
    arguments = [machine, name, f"--C={C}", f"--held-out={held_out}"]
    given = {"rows": n_rows, "warm-rows": warm_rows, "data": data}
    arguments += [f"--{key}={value}" for key, value in given.items() if value is not None]
    return in_new_process("-m", "benchmarks.workers.fit", *arguments)


def first_fit_in_new_process(kind):
    """Return what ``workers.first_fit`` reports."""
    return in_new_process("-m", "benchmarks.workers.first_fit", kind)
