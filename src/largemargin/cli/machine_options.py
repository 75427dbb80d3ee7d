"""Options of a machine, and the machine that they ask for."""

import click

from largemargin.cli.options import together
from largemargin.cli.pipelines import NOT_SET, OPTION_OF, machine_of, search_around
from largemargin.estimators.table import METHODS
from largemargin.kernels import KERNELS

# Of svm-train, by number.
NUMBERED = {str(number): name for number, name in enumerate(KERNELS[:5])}


class Kernel(click.ParamType):
    """A kernel by its name, or by its number in svm-train."""

    name = "kernel"

    def convert(self, value, parameter, context):
        """Return the name of a kernel."""
        named = NUMBERED.get(value, value)
        if named not in KERNELS:
            known = ", ".join(f"{number} ({name})" for number, name in NUMBERED.items())
            self.fail(f"{value!r} is none of {known}, laplacian and cosine.")
        return named


class NumberOr(click.ParamType):
    """A number, or a word that follows the data such as "0.3*scale"."""

    name = "number"

    def __init__(self, *words):
        self.words = words

    def convert(self, value, parameter, context):
        """Return a float, or the word."""
        from largemargin.kernels.widths import multiple_of_scale

        try:
            return float(value)
        except ValueError:
            pass
        if value not in self.words:
            try:
                multiple_of_scale(value, parameter.opts[-1])
            except ValueError as error:
                self.fail(str(error))
        return value


class Setting(click.ParamType):
    """A parameter by its name, with a value."""

    name = "name=value"

    def convert(self, value, parameter, context):
        """Return the name, and the value as a number if it is one."""
        name, found, text = value.partition("=")
        if not (name and found and text):
            self.fail(f"{value!r} is not NAME=VALUE.")
        for kind in int, float:
            try:
                return name, kind(text)
            except ValueError:
                pass
        return name, text


machine_options = together(
    click.option(
        "--method",
        type=click.Choice(list(METHODS)),
        default="ldm",
        show_default=True,
        help="ldm: large margin distribution machine; svm: support vector machine; others: "
        "methods that ldm is compared with.",
    ),
    click.option("-c", "--cost", "C", type=float, help="Price of violations; default: 1."),
    click.option(
        "-t",
        "--kernel",
        type=Kernel(),
        help="0 linear, 1 poly, 2 rbf, 3 sigmoid, 4 precomputed, or a name, also laplacian "
        "and cosine; default: rbf.",
    ),
    click.option(
        "-g",
        "--gamma",
        type=NumberOr("auto"),
        help="Of the kernel: a number, auto, scale or 0.3*scale; default: scale.",
    ),
    click.option("-d", "--degree", type=int, help="Of poly; default: 3."),
    click.option("-r", "--coef0", type=float, help="Of poly and sigmoid; default: 0."),
    click.option(
        "--lambda-var", type=NumberOr(), help="Price of margin variance; default: scale."
    ),
    click.option(
        "--lambda-mean", type=NumberOr(), help="Reward of margin mean; default: scale."
    ),
    click.option("-e", "--tol", type=float, help="Relative duality gap; default: 1e-4."),
    click.option("--max-iter", type=int, help="Limit of steps; default: the solver's."),
    click.option(
        "--time-limit",
        type=float,
        help="Stop a fit or search after this many seconds, with the best model so far.",
    ),
    click.option(
        "--solver",
        help="auto, newton, kernel_dual, dual_cd or asgd, as the kernel allows; default: "
        "auto.",
    ),
    click.option(
        "--class-weight",
        type=click.Choice(["balanced"]),
        help="balanced: all classes weigh the same, however many rows they have.",
    ),
    click.option(
        "--no-intercept",
        "fit_intercept",
        flag_value=False,
        default=None,
        type=bool,
        help="Put the boundary through the origin, as the paper does.",
    ),
    click.option(
        "--set",
        "settings",
        type=Setting(),
        multiple=True,
        help="Any other parameter of the method, such as mu=0.5 of odm; may come again.",
    ),
)


def settings_of(settings):
    """Return the parameters of --set; those with an option of their own are refused."""
    for name, _ in settings:
        if name in OPTION_OF:
            raise click.UsageError(f"--set has no {name}; use {OPTION_OF[name]}.")
        if name in NOT_SET:
            raise click.UsageError(f"--set has no {name}, which means nothing here.")
    return dict(settings)


def machine_of_options(options, *, verbose):
    """Return the machine or the search that the options ask for, not fitted."""
    names = "C", "gamma", "degree", "coef0", "lambda_var", "lambda_mean", "tol"
    names += "max_iter", "time_limit", "solver", "class_weight", "fit_intercept"
    given = {name: options[name] for name in names} | settings_of(options["settings"])
    if options["kernel"] == "precomputed" and options["scale"] not in (None, "none"):
        raise click.UsageError("A precomputed kernel is not to be scaled.")
    if options["kernel"] == "precomputed" and options["missing"] == "impute":
        raise click.UsageError("A precomputed kernel has no missing values to impute.")
    run = {"n_jobs": options["jobs"], "random_state": options["seed"]}
    run["verbose"] = int(verbose)
    machine = machine_of(options["method"], options["kernel"], given | run)
    if not options["cv"]:
        return machine
    return search_around(
        machine, options["method"], options["grid"], given, options["seed"]
    )
