"""Options of a model, and the estimator or search that they ask for."""

from itertools import chain

import click

from largemargin.cli.options import together
from largemargin.cli.tasks import TASKS
from largemargin.estimators.table import METHODS_OF
from largemargin.kernels import KERNELS

# Parameters without a meaning on the command line.
NOT_SET = {"verbose", "warm_start"}
# Settings of the run; an estimator that lacks one of them is fitted without it.
OF_THE_RUN = {"n_jobs", "random_state", "verbose"}


def kernel(value):
    """Return the name of a kernel; the first five have a number in svm-train."""
    numbered = {str(number): name for number, name in enumerate(KERNELS[:5])}
    if numbered.get(value, value) not in KERNELS:
        known = ", ".join(f"{number} ({name})" for number, name in numbered.items())
        raise click.BadParameter(f"{value!r} is not one of {known}, laplacian and cosine.")
    return numbered.get(value, value)


def number_or_scale(value, others=""):
    """Return a number, or the text if it is a multiple of "scale" such as "0.3*scale"."""
    from largemargin.kernels.widths import multiple_of_scale

    try:
        return float(value)
    except ValueError:
        pass
    try:
        multiple_of_scale(value, "it")
    except ValueError:
        expected = f"a number, {others}scale or a multiple such as 0.3*scale"
        raise click.BadParameter(f"expected {expected}; got {value!r}.") from None
    return value


def price(value):
    """Return a number, "loo" or a multiple of "scale"."""
    return value if value == "loo" else number_or_scale(value, "loo, ")


def quantiles(value):
    """Return a number between 0 and 1, or a list of several that commas separate."""
    try:
        levels = [float(one) for one in value.split(",")]
    except ValueError:
        levels = []
    if not levels or not all(0 < level < 1 for level in levels):
        raise click.BadParameter(
            f"expected numbers between 0 and 1, such as 0.5 or 0.1,0.5,0.9; got {value!r}."
        )
    return levels if len(levels) > 1 else levels[0]


def gamma(value):
    """Return a number, "auto", "loo" or a multiple of "scale"."""
    return value if value in ("auto", "loo") else number_or_scale(value)


def setting(value):
    """Return the name and the value, a number if possible, in NAME=VALUE."""
    name, _, text = value.partition("=")
    if not (name and text):
        raise click.BadParameter(f"{value!r} is not NAME=VALUE.")
    for kind in int, float:
        try:
            return name, kind(text)
        except ValueError:
            pass
    return name, text


# Parameters of estimators: the options that set them, their types and their help texts.
PARAMETERS = (
    (
        "-c --cost C",
        price,
        "Regularisation: price of margin violations, or of residuals beyond the tube: a "
        "number, loo (ldm; svm of classes) to choose it by leave-one-out errors, or scale "
        "or a multiple such as 10*scale (ldm, regression).  [default: loo (ldm), otherwise "
        "1]",
    ),
    (
        "-p --epsilon",
        price,
        "Regression: half the width of the tube, within which residuals cost nothing: a "
        "number, loo (ldm), scale or a multiple.  [default: loo if that is C, otherwise "
        "0.1*scale (ldm); 0.1 (svm)]",
    ),
    (
        "-n --nu",
        float,
        "Outliers: an upper bound of their share among the training rows.  [default: 0.5]",
    ),
    (
        "--quantile",
        quantiles,
        "Regression: predict this quantile, between 0 and 1, or several that commas "
        "separate, such as 0.1,0.5,0.9. The loss is quantile then.",
    ),
    (
        "-t --kernel",
        kernel,
        "Kernel, by name or number: 0 linear, 1 poly, 2 rbf, 3 sigmoid, 4 precomputed, "
        "laplacian, cosine.  [default: rbf]",
    ),
    (
        "-g --gamma",
        gamma,
        "Kernel coefficient: a number, auto, scale, a multiple such as 0.3*scale, or "
        "loo (ldm; svm of classes) to choose it by leave-one-out errors.  [default: loo "
        "(ldm), scale (outliers and others)]",
    ),
    ("-d --degree", int, "Degree of the poly kernel.  [default: 3]"),
    ("-r --coef0", float, "Constant of the poly and sigmoid kernels.  [default: 0]"),
    (
        "--lambda-var",
        number_or_scale,
        "Price of the variance of margins, residuals or scores.  [default: 10*scale or, "
        "without a kernel, 0 (classes); 0 (regression); scale (outliers)]",
    ),
    (
        "--lambda-mean",
        number_or_scale,
        "Reward of the mean of margins or scores.  [default: 0 (classes), scale "
        "(outliers)]",
    ),
    (
        "--lambda-square",
        number_or_scale,
        "Regression: price of the mean squared residual.  [default: 0]",
    ),
    (
        "--loss",
        click.Choice(["hinge", "squared_hinge", "epsilon_insensitive", "quantile"]),
        "Loss of margins below one: squared_hinge (default of ldm) or hinge (of svm); of "
        "residuals: epsilon_insensitive (default) or quantile.",
    ),
    ("-e --tol", float, "Relative duality gap to reach.  [default: 1e-4]"),
    ("--max-iter", int, "Iteration limit.  [default: depends on the solver]"),
    ("--time-limit", float, "Stop after this many seconds, with the best model so far."),
    ("--solver", str, "auto, newton, kernel_dual, dual_cd or asgd.  [default: auto]"),
    (
        "--class-weight",
        click.Choice(["balanced"]),
        "balanced: give all classes the same total weight.",
    ),
)
# The option that sets a parameter, as messages name it.
OPTION_OF = {
    flags.split()[-1].lstrip("-").replace("-", "_"): flags.split()[0]
    for flags, *_ in PARAMETERS
} | {"fit_intercept": "--no-intercept"}
NAMES = tuple(OPTION_OF)
OPTION_OF |= {"n_jobs": "--jobs", "random_state": "--seed", "grid": "--grid"}
machine_options = together(
    click.option(
        "--method",
        type=click.Choice(list(dict.fromkeys(chain(*METHODS_OF.values())))),
        default="ldm",
        help="ldm: large margin distribution machine; svm: support vector machine; ridge: "
        "ridge regression; the others are methods to compare with, for classes.",
    ),
    *(
        click.option(*flags.split(), type=kind, help=text)
        for flags, kind, text in PARAMETERS
    ),
    click.option(
        "--no-intercept",
        "fit_intercept",
        flag_value=False,
        default=None,
        type=bool,
        help="Fit no intercept, as in the paper.",
    ),
    click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        type=setting,
        multiple=True,
        help="Other parameter of the method, such as mu=0.5 for odm. Can be repeated.",
    ),
)


def check_options(options: dict):
    """Raise UsageError for options that make no sense, whatever the labels are."""
    task, failures = options["task"], []
    tasks = [task]
    if task == "auto":  # the labels cannot ask for outliers
        tasks = [one for one in TASKS if options["method"] in METHODS_OF[TASKS[one]]]
        tasks = [one for one in tasks if one != "outliers"]
    for possible in tasks:
        try:
            return machine_of_options(options, possible, verbose=False)
        except click.UsageError as error:
            failures.append(error)
    # A value out of range tells more than an option of another task.
    raise min(failures, key=lambda error: not isinstance(error, click.BadParameter))


def machine_of_options(options: dict, task: str, *, verbose: bool):
    """Return the estimator or the search that the options ask for, not fitted."""
    for name, _ in options["settings"]:
        if name in OPTION_OF:
            raise click.UsageError(f"--set has no {name}; use {OPTION_OF[name]}.")
        if name in NOT_SET:
            raise click.UsageError(f"--set has no {name}, which has no meaning here.")
    given = {name: options[name] for name in NAMES if options[name] is not None}
    kernel = given.pop("kernel", None)
    given |= options["settings"]
    if "quantile" in given and given.setdefault("loss", "quantile") != "quantile":
        raise click.UsageError("--quantile needs --loss quantile; leave --loss out.")
    if options["probability"] and task != "classification":
        raise click.UsageError(
            f"--probability is for classes, and this is --task {task}; leave it out."
        )
    if kernel == "precomputed" and options["scale"] not in (None, "none"):
        raise click.UsageError("A precomputed kernel cannot be scaled.")
    if kernel == "precomputed" and options["missing"] == "impute":
        raise click.UsageError("A precomputed kernel has no missing values to impute.")
    method, seed = options["method"], options["seed"]
    run = {"n_jobs": options["jobs"], "random_state": seed, "verbose": int(verbose)}
    machine = build_machine(method, kernel, given | run, task)
    if not options["cv"]:
        return machine
    return build_search(machine, method, options["grid"], given, seed, task)


def build_machine(
    method: str, kernel: str | None, given: dict, task: str = "classification"
):
    """Return the estimator of a method with the parameters that are given, not fitted.

    ``kernel`` None means rbf, or linear for a method without kernels.
    """
    methods = METHODS_OF[TASKS[task]]
    if method not in methods:
        raise click.UsageError(
            f"--method {method} is not for --task {task}, which has {', '.join(methods)}."
        )
    chosen = methods[method]
    if kernel is None:
        kernel = "rbf" if "rbf" in chosen.machines else "linear"
    form = "linear" if kernel == "linear" else "rbf"
    if form not in chosen.machines:
        raise click.UsageError(f"--method {method} is linear; leave --kernel out.")
    machine = chosen.machine(form)
    known = set(machine.get_params()) - set(chosen.fixed)
    useless = sorted(set(given) - known - OF_THE_RUN)
    if useless:
        named = ", ".join(OPTION_OF.get(name, name) for name in useless)
        others = ", ".join(sorted(known - set(OPTION_OF) - NOT_SET))
        what = f"--method {method} with the {kernel} kernel"
        if task != "classification":
            what = f"--task {task}, {what}"
        tasks = tasks_with(method, form, useless)
        hint = f"; --task {tasks[0]} has" if tasks else ""
        hint = f"; --set can set {others}" if others and not tasks else hint
        raise click.UsageError(f"{what} has no use for {named}{hint}.")
    given = {name: value for name, value in given.items() if name in known}
    check_parameters(type(machine), given)
    if "kernel" in known:
        machine.set_params(kernel=kernel)
    return machine.set_params(**given)


def tasks_with(method: str, form: str, names) -> list[str]:
    """Return the tasks whose estimator of a method has all of these parameters."""
    found = []
    for task, short in TASKS.items():
        chosen = METHODS_OF[short].get(method)
        if chosen is not None and form in chosen.machines:
            known = set(chosen.machine(form).get_params()) - set(chosen.fixed)
            if set(names) <= known:
                found.append(task)
    return found


def build_search(
    machine, method: str, grid: str, given: dict, seed: int, task: str = "classification"
):
    """Return the search for the prices and the kernel width that are not given."""
    from sklearn.model_selection import KFold, StratifiedKFold

    from largemargin.cli.tuning import FAIR_VALUE_GRIDS, search_around
    from largemargin.estimators.table import search_for

    kind = search_for(machine)
    if kind is None and task == "classification":
        raise click.UsageError(
            f"--cv searches the prices of ldm, svm or odm; {method} has no search. Leave "
            "--cv out, or use compare."
        )
    if kind is None:
        raise click.UsageError(
            f"--cv has no search for --task {task}. Leave --cv out, and choose the options "
            "by what -v reports."
        )
    check_parameters(kind, {"grid": grid})
    pinned = {*given, *METHODS_OF[TASKS[task]][method].fixed}
    kind_of_folds = StratifiedKFold if task == "classification" else KFold
    folds = kind_of_folds(5, shuffle=True, random_state=seed)
    values = FAIR_VALUE_GRIDS["ridge"] if method == "ridge" else {}
    values = {name: some for name, some in values.items() if name not in given}
    return search_around(machine, pinned, values, grid=grid, cv=folds)


def check_parameters(kind, given: dict):
    """Raise BadParameter, naming the option, for a value that an estimator refuses."""
    for name, value in given.items():
        try:
            kind(**{name: value})._validate_params()
        except ValueError as error:
            known = expected_values(kind._parameter_constraints[name])
            text = f"expected {known}; got {value}." if known else str(error)
            option = OPTION_OF.get(name, f"--set {name}")
            raise click.BadParameter(text, param_hint=option) from error


def expected_values(constraints: list) -> str:
    """Return what the constraints of a parameter allow on the command line, in words."""
    from numbers import Integral

    from largemargin._compat import Interval, StrOptions

    values = []
    for one in constraints:
        if isinstance(one, Interval):
            at_least = "of at least" if one.closed in ("left", "both") else "above"
            at_most = "at most" if one.closed in ("right", "both") else "below"
            ends = (at_least, one.left), (at_most, one.right)
            limits = " and ".join(f"{word} {end}" for word, end in ends if end is not None)
            kind = "a whole number" if one.type is Integral else "a number"
            values.append(f"{kind} {limits}".rstrip())
        elif isinstance(one, StrOptions):
            values += sorted(one.options)
        elif one is str:
            values.append("a multiple of scale such as 0.3*scale")
    return " or ".join(filter(None, [", ".join(values[:-1]), *values[-1:]]))
