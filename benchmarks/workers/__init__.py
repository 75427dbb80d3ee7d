"""Fits in new processes, to measure the peak of memory and the first fit."""

from benchmarks.measure import Missing, in_new_process


def fit_in_new_process(data, machine, name, **options):
    """Return what ``workers.fit`` reports about one fit; options are those it accepts."""
    given = {**options, "data": data}
    arguments = [
        f"--{key.replace('_', '-')}={value}"
        for key, value in given.items()
        if value is not None
    ]
    answer = in_new_process("-m", "benchmarks.workers.fit", machine, name, *arguments)
    if "missing" in answer:
        raise Missing(answer["missing"])
    return answer


def first_fit_in_new_process(kind):
    """Return what ``workers.first_fit`` reports."""
    return in_new_process("-m", "benchmarks.workers.first_fit", kind)
