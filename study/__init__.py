"""The paper's study: its data sets, protocols, tables and figures.

It uses the library and is not installed with it: ``python -m study`` runs it from a clone.
"""

from pathlib import Path

# --quick uses the regular sets with up to this many rows, two large ones, and the one that
# scikit-learn ships, so that it works without a data directory.
QUICK_ROWS = 300
QUICK_SETS = "wdbc", "adult-a", "cod-rna"
QUICK_REPETITIONS = {"regular": 3, "large": 1}


def run_study(
    output="study-results",
    *,
    protocol="both",
    sets=None,
    files=(),
    label=None,
    methods=None,
    kernels=None,
    repetitions=None,
    scale="all",
    quick=False,
    data_home=None,
    download=False,
    n_jobs=None,
    on_progress=None,
):
    """Run the paper's study, or resume it, and write its tables and figures.

    Every result is stored as soon as it is known; a second call computes the rest.

    Parameters
    ----------
    output : path-like, default="study-results"
        Directory of the results, tables and figures.

    protocol : {"both", "paper", "fair"}, default="both"
        How to scale data and choose parameters: as in the paper, in a fairer way, or both.

    sets : iterable of str, default=None
        Names of :func:`study.datasets.names`; None means all of ``scale``, or none if there
        are ``files``.

    files : iterable of path-like, default=()
        LIBSVM or CSV files of your own.

    label : str or int, default=None
        The column of the labels in CSV files, by name or, counted from 0, by number; None
        means the last one.

    methods : iterable of str, default=None
        Keys of :data:`study.methods.STUDIED`, or labels there; None means all.

    kernels : iterable of {"linear", "rbf"}, default=None
        None means both.

    repetitions : int, default=None
        Number of random splits into halves; None means the paper's 30, or 10 for a large
        set.

    scale : {"all", "regular", "large"}, default="all"
        Which of the paper's data sets, unless ``sets`` names them.

    quick : bool, default=False
        Whether to run only a few repetitions on small sets: minutes instead of hours.

    data_home : path-like, default=None
        Where data sets are looked for first.

    download : bool, default=False
        Whether data sets that are not found may be downloaded.

    n_jobs : int, default=None
        Number of processes, as in joblib. Only times depend on it.

    on_progress : callable, default=None
        Called with the number of finished tasks, the number of all tasks, and the task that
        finished last.

    Returns
    -------
    outcome : study.runner.Outcome
        What was done, what is missing, and what failed.
    """
    from joblib import effective_n_jobs

    from study.methods import STUDIED, check_name
    from study.protocols import PROTOCOLS, REPETITIONS
    from study.report import write
    from study.runner import Plan, ignore, run
    from study.store import Store

    def checked(given, known, kind):
        if given is None:
            return tuple(known)
        return tuple(check_name(name, known, kind) for name in given)

    if repetitions is not None and repetitions < 1:
        raise ValueError(f"repetitions must be 1 or more; got {repetitions}.")
    scale = check_name(scale, ("all", "regular", "large"), "scale")
    sets = [] if sets is None and files else sets
    protocol = check_name(protocol, ("both", *PROTOCOLS), "protocol")
    halves = QUICK_REPETITIONS if quick else REPETITIONS
    plan = Plan(
        sources=(
            *sources_of_sets(sets, scale, quick, data_home, download),
            *sources_of_files(files, label),
        ),
        protocols=tuple(PROTOCOLS) if protocol == "both" else (protocol,),
        methods=checked(methods, STUDIED, "method"),
        kernels=checked(kernels, ("linear", "rbf"), "kernel"),
        repetitions={name: repetitions or number for name, number in halves.items()},
    )
    store = Store(output)
    outcome = run(
        plan, store, n_jobs=effective_n_jobs(n_jobs), on_progress=on_progress or ignore
    )
    write(store, Path(output), data_home=data_home)
    return outcome


def sources_of_sets(sets, scale, quick, data_home, download):
    """Return the sources of sets in the registry; raise for a name that is not there."""
    from study import datasets
    from study.tasks import Source

    if sets is None:
        sets = datasets.names(None if scale == "all" else scale)
        if quick:
            sets = [name for name in sets if is_quick(datasets.info(name))]
    home = None if data_home is None else str(data_home)
    return [
        Source(datasets.info(name).name, data_home=home, download=download) for name in sets
    ]


def is_quick(entry):
    """Return whether a data set is part of a quick study."""
    return entry.paper_rows <= QUICK_ROWS or entry.name in QUICK_SETS


def sources_of_files(files, label):
    """Return the sources of a user's files; raise for one that cannot be used."""
    from largemargin.tables.opening import name_and_ending
    from largemargin.tables.reading import KINDS
    from study import datasets
    from study.splits import draw_split
    from study.tasks import Source

    sources, taken = [], set(datasets.names())
    for path in map(Path, files):
        name, ending = name_and_ending(path)
        is_table = KINDS.get(ending) in ("csv", "tsv", "parquet")
        source = Source(name, path=str(path), label=label if is_table else None)
        if source.name in taken:
            raise ValueError(
                f"The data set of {path} would be called {source.name!r}, as another one "
                "is. Rename the file."
            )
        # Before the hours that the others take.
        draw_split(source.name, source.load().y, 0)
        taken.add(source.name)
        sources.append(source)
    return sources
