"""From rows and options to a pipeline: fill in, encode, scale, fit."""

import click

from largemargin.estimators.table import METHODS, search_for

KERNELS = "linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine"
# What concerns the run and not the machine is not missed where a machine has no use for it.
OF_THE_RUN = {"n_jobs", "random_state", "verbose"}
# What has no meaning for a command.
NOT_SET = {"verbose", "warm_start"}
# What a parameter is called on the command line.
OPTION_OF = {
    "C": "-c",
    "gamma": "-g",
    "degree": "-d",
    "coef0": "-r",
    "tol": "-e",
    "fit_intercept": "--no-intercept",
    "class_weight": "--class-weight",
    "lambda_var": "--lambda-var",
    "lambda_mean": "--lambda-mean",
    "max_iter": "--max-iter",
    "time_limit": "--time-limit",
    "solver": "--solver",
    "kernel": "-t",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "grid": "--grid",
}


def preparation(schema, scale):
    """Return the named steps that turn rows of a schema into features.

    Parameters
    ----------
    schema : MatrixSchema or TableSchema
        What the rows look like.

    scale : {"none", "unit", "standard"} or None
        Features as they are, in [0, 1] (in [-1, 1] where zeros are to stay zeros), or with
        mean 0 and variance 1; None means unit for tables and none for others.

    Returns
    -------
    steps : list of (str, transformer)
        None or more.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    words = getattr(schema, "words", {})
    if scale is None:
        scale = "unit" if hasattr(schema, "words") else "none"
    numeric = numeric_steps(schema, scale)
    if not words:
        return numeric
    is_word = [name in words for name in schema.features]
    branches = [
        ("words", Pipeline(word_steps(schema)), places(is_word, True)),
        (
            "numbers",
            Pipeline(numeric) if numeric else "passthrough",
            places(is_word, False),
        ),
    ]
    return [("columns", ColumnTransformer([part for part in branches if part[2]]))]


def places(flags, wanted):
    """Return the places of the flags that are as wanted."""
    return [place for place, flag in enumerate(flags) if flag is wanted]


def numeric_steps(schema, scale):
    """Return the steps for columns of numbers."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

    steps = []
    if schema.missing == "impute":
        steps.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    if scale == "unit":
        steps.append(("scale", MinMaxScaler() if schema.dense else MaxAbsScaler()))
    elif scale == "standard":
        steps.append(("scale", StandardScaler(with_mean=schema.dense)))
    return steps


def word_steps(schema):
    """Return the steps for columns of words: a feature for each word."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    from largemargin.tables.schemas import MISSING_WORD

    # Whether unknown words are refused is the command's affair, which knows their lines.
    known = list(schema.words.values())
    encoder = OneHotEncoder(categories=known, handle_unknown="ignore")
    steps = [("encode", encoder)]
    if schema.missing == "impute":
        # A column may be empty in a fold; it keeps its place then, with no known word.
        commonest = SimpleImputer(
            missing_values=MISSING_WORD, strategy="most_frequent", keep_empty_features=True
        )
        steps.insert(0, ("impute", commonest))
    return steps


def machine_of(method, kernel, given):
    """Return the machine of a method with the parameters that were given, not fitted.

    Parameters
    ----------
    method : str
        A key of ``METHODS``.

    kernel : str or None
        One of ``KERNELS``; None means rbf, or linear where there is no choice.

    given : dict
        Parameters by name; those that are None were not given.

    Returns
    -------
    machine : estimator
        A linear one for the linear kernel, where the method has one.
    """
    chosen = METHODS[method]
    if kernel is None:
        kernel = "rbf" if "rbf" in chosen.machines else "linear"
    form = "linear" if kernel == "linear" else "rbf"
    if form not in chosen.machines:
        raise click.UsageError(f"--method {method} is linear; leave --kernel out.")
    machine = chosen.machine(form)
    known = set(machine.get_params()) - set(chosen.fixed)
    given = {name: value for name, value in given.items() if value is not None}
    useless = sorted(set(given) - known - OF_THE_RUN)
    if useless:
        told = ", ".join(OPTION_OF.get(name, name) for name in useless)
        others = ", ".join(sorted(known - set(OPTION_OF) - NOT_SET))
        raise click.UsageError(
            f"--method {method} with the {kernel} kernel has no use for {told}"
            + (f"; --set may set {others}." if others else ".")
        )
    given = {name: value for name, value in given.items() if name in known}
    check_values(type(machine), given)
    if "kernel" in known:
        machine.set_params(kernel=kernel)
    return machine.set_params(**given)


def check_values(kind, given):
    """Raise UsageError, naming the option, for a value that a machine does not take."""
    for name, value in given.items():
        try:
            kind(**{name: value})._validate_params()
        except ValueError as error:
            known = words_for(kind._parameter_constraints[name])
            told = f"expected {known}; got {value}." if known else str(error)
            option = OPTION_OF.get(name, f"--set {name}")
            raise click.BadParameter(told, param_hint=option) from error


def words_for(constraints):
    """Return what the constraints of a parameter let the command line give, in words.

    Examples
    --------
    >>> from numbers import Real
    >>> from largemargin._compat import Interval, StrOptions
    >>> words_for([Interval(Real, 0, 1, closed="left"), StrOptions({"median"}), None])
    'a number of at least 0 and below 1 or median'
    """
    from largemargin._compat import Interval, StrOptions

    told = []
    for one in constraints:
        if isinstance(one, Interval):
            told.append(words_for_interval(one))
        elif isinstance(one, StrOptions):
            told += sorted(one.options)
        elif one is str:
            told.append("a multiple of scale such as 0.3*scale")
    *others, last = told or [""]
    return f"{', '.join(others)} or {last}" if others else last


def words_for_interval(interval):
    """Return an interval of numbers in words."""
    from numbers import Integral

    kind = "a whole number" if interval.type is Integral else "a number"
    ends = []
    if interval.left is not None:
        with_left = interval.closed in ("left", "both")
        ends.append(f"{'of at least' if with_left else 'above'} {interval.left}")
    if interval.right is not None:
        with_right = interval.closed in ("right", "both")
        ends.append(f"{'at most' if with_right else 'below'} {interval.right}")
    return " ".join([kind, " and ".join(ends)]).rstrip()


def search_around(machine, method, grid, given, seed):
    """Return the search for the prices and the kernel width that were not given.

    Parameters
    ----------
    machine : estimator
        What all other parameters are taken from.

    method : str
        A key of ``METHODS``.

    grid : {"scale", "paper"}
        Where to search.

    given : dict
        Parameters by name; those that are None were not given.

    seed : int
        Of the five folds.
    """
    from sklearn.model_selection import StratifiedKFold

    search = search_for(machine)
    if search is None:
        raise click.UsageError(
            f"--cv searches the prices of a method that has a search; {method} has none. "
            "Leave --cv out, or see compare."
        )
    check_values(search, {"grid": grid})
    pinned = {name: value for name, value in given.items() if value is not None}
    pinned |= METHODS[method].fixed
    known = set(search().get_params())
    offered = machine.get_params() | {"grid": grid}
    return search(
        **{name: value for name, value in offered.items() if name in known},
        **{f"{name}s": [value] for name, value in pinned.items() if f"{name}s" in known},
        cv=StratifiedKFold(5, shuffle=True, random_state=seed),
    )
