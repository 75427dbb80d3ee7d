"""``largemargin compare``: tuned methods side by side, on the same folds of a file."""

import time
import warnings
from collections import Counter
from statistics import fmean, stdev

import click

from largemargin.cli import terminal
from largemargin.cli.group import Failure, sentence
from largemargin.cli.options import jobs_option, report_options, training_options
from largemargin.cli.tasks import TASKS, task_option
from largemargin.estimators.table import METHODS, METHODS_OF

# Fewer if no class has this many rows.
N_INNER_FOLDS = 5
# Methods of scikit-learn, for regression.
PEERS = "sklearn-svr", "sklearn-ridge"
METHODS_FOR = {
    "classification": tuple(METHODS),
    "regression": (*METHODS_OF[TASKS["regression"]], *PEERS),
}
ALL = tuple(dict.fromkeys(name for names in METHODS_FOR.values() for name in names))


def listed(context, parameter, value):
    """Return the methods in a comma-separated list, each once; None if there is none."""
    if value is None:
        return None
    names = dict.fromkeys(name.strip().lower() for name in value.split(","))
    for name in names:
        if name not in ALL:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(ALL)}.")
    return list(names)


@click.command(epilog="Example: largemargin compare heart.csv --kernel linear --folds 10")
@training_options
@task_option(*METHODS_FOR)
@click.option(
    "--methods",
    callback=listed,
    help="Comma-separated list of methods.  [default: "
    f"{','.join(METHODS_FOR['classification'])}; for regression "
    f"{','.join(METHODS_FOR['regression'])}]",
)
@click.option(
    "-t",
    "--kernel",
    type=click.Choice(["linear", "rbf"]),
    default="rbf",
    help="Kernel of the methods that have kernels.",
)
@click.option(
    "-v", "--folds", type=click.IntRange(2), default=5, help="Number of test folds."
)
@jobs_option("Number of processes")
@report_options
def main(data, methods, kernel, folds, jobs, as_json, quiet, **options):
    """Compare methods on DATA by cross-validation.

    In each fold, every method chooses its parameters by five-fold cross-validation on the
    training rows, from a grid of comparable size, and is then tested on the other rows.
    Classes are compared by accuracy, values by R2 and the mean absolute error (MAE).
    """
    from joblib import Parallel, delayed

    from largemargin.cli.folds import splits_for
    from largemargin.cli.train import said, training_rows

    task, reason, schema, X, y = training_rows(data, options, quiet)
    methods = methods_for(task, methods)
    if reason is not None and not (as_json or quiet):
        click.echo(f"largemargin: {task}: {reason}.", err=True)
    kernels = [kernel_for(task, name, kernel) for name in methods]
    scale, seed = options["scale"], options["seed"]
    contests = [
        (method, kernel, schema, X, y, train, test, scale, seed, task)
        for train, test in splits_for(task, X, y, folds, seed)
        for method, kernel in zip(methods, kernels, strict=True)
    ]
    outcomes = []
    with terminal.bar("comparing", quiet=quiet) as move:
        titles = [f"comparing, {method}" for method, *_ in contests] + ["comparing"]
        move(0, len(contests), titles[0])
        pool = Parallel(n_jobs=jobs, return_as="generator")
        for outcome in pool(delayed(contest)(*one) for one in contests):
            outcomes.append(outcome)
            move(len(outcomes), len(contests), titles[len(outcomes)])
    results = [
        summary(method, kernels[place], outcomes[place :: len(methods)], task)
        for place, method in enumerate(methods)
    ]
    if as_json:
        facts = {"data": data, "rows": len(y), "features": schema.n_features}
        facts |= said(task, reason) | {"folds": folds, "results": results}
        terminal.show(facts, as_json=True)
    else:
        columns = "method", "kernel", *DIGITS[task], ""
        terminal.show_table(columns, [cells(result, DIGITS[task]) for result in results])
    if all("failure" in result for result in results):
        raise Failure(f"Every method failed, {methods[0]} with: {results[0]['failure']}")


def methods_for(task, methods):
    """Return the methods to compare, all of a task by default; raise for one of another."""
    if methods is None:
        return list(METHODS_FOR[task])
    strange = [name for name in methods if name not in METHODS_FOR[task]]
    if strange:
        raise click.UsageError(
            f"--methods: {strange[0]} is not for --task {task}, which has "
            f"{', '.join(METHODS_FOR[task])}."
        )
    return methods


def kernel_for(task, method, kernel):
    """Return the kernel of a method: linear if it has no others."""
    own = METHODS_OF[TASKS[task]].get(method)
    return kernel if own is None or kernel in own.machines else "linear"


def contest(method, kernel, schema, X, y, train, test, scale, seed, task="classification"):
    """Return what is measured of one method in one fold, by name, or why it failed."""
    from largemargin._compat import safe_split
    from largemargin.cli.pipelines import pipeline_of
    from largemargin.numerics.threads import one_blas_thread

    prepare = pipeline_of(schema, scale, "passthrough")
    X_train, y_train = safe_split(prepare, X, y, train)
    X_test, y_test = safe_split(prepare, X, y, test)
    begin = time.perf_counter()
    choose = tuned if task == "classification" else tuned_on_values
    # Fits that stop early are part of a grid; thousands of warnings help nobody.
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        try:
            machine = choose(method, kernel, prepare.fit_transform(X_train), y_train, seed)
            found = measured(task, machine, prepare.transform(X_test), y_test)
        except (ValueError, MemoryError) as error:
            return sentence(error)
    return found | {"seconds": time.perf_counter() - begin}


def measured(task, machine, X, y):
    """Return how good a machine is on some rows, by name."""
    from largemargin.cli.measures import value_facts

    if task == "classification":
        return {"accuracy": machine.score(X, y)}
    facts = value_facts(y, machine.predict(X))
    return {name: facts[name] for name in ("R2", "MAE")}


def tuned(method, kernel, X, y, seed):
    """Return a fitted estimator of a method, with parameters chosen on these rows."""
    from largemargin.cli.tuning import best_point, fair_grid, stratified_splits

    grid = fair_grid(method, kernel, X)
    machine = METHODS[method].machine(kernel)
    most = max(Counter(y.tolist()).values())
    folds = stratified_splits(y, min(N_INNER_FOLDS, max(most, 2)), seed)
    machine.set_params(**best_point(machine, grid, METHODS[method].fixed, X, y, folds))
    if "random_state" in machine.get_params():
        machine.set_params(random_state=seed)
    return machine.fit(X, y)


def tuned_on_values(method, kernel, X, y, seed):
    """Return a fitted regressor of a method, with parameters chosen on these rows."""
    from largemargin.cli.folds import splits_for
    from largemargin.cli.peers import tuned_peer
    from largemargin.cli.tuning import best_point, fair_grid

    folds = splits_for("regression", X, y, N_INNER_FOLDS, seed)
    if method in PEERS:
        return tuned_peer(method, kernel, X, y, folds)
    chosen = METHODS_OF[TASKS["regression"]][method]
    machine, grid = chosen.machine(kernel), fair_grid(method, kernel, X, "regression")
    return machine.set_params(**best_point(machine, grid, chosen.fixed, X, y, folds)).fit(
        X, y
    )


# What the table shows of each task besides the method, with this many digits.
DIGITS = {
    "classification": {"accuracy": 4, "deviation": 4, "seconds": 2},
    "regression": {"R2": 4, "deviation": 4, "MAE": None, "seconds": 2},
}


def label_of(method, task):
    """Return what a method is called in tables."""
    from largemargin.cli.peers import LABELS

    own = METHODS_OF[TASKS[task]].get(method)
    return LABELS[method] if own is None else own.label


def summary(method, kernel, outcomes, task="classification"):
    """Return the means of a method over the folds, and the deviation of the first."""
    result = {"method": method, "label": label_of(method, task), "kernel": kernel}
    failures = [outcome for outcome in outcomes if isinstance(outcome, str)]
    if failures:
        return result | {"failure": failures[0]}
    first, *others = outcomes[0]
    values = [outcome[first] for outcome in outcomes]
    result |= {first: fmean(values), "deviation": stdev(values)}
    return result | {name: fmean(one[name] for one in outcomes) for name in others}


def cells(result, digits):
    """Return one row of the table."""
    named = [result["label"], result["kernel"]]
    if "failure" in result:
        return [*named, *[""] * len(digits), f"failed: {result['failure']}"]
    shown = (rounded(result[name], n) for name, n in digits.items())
    return [*named, *shown, ""]


def rounded(value, digits):
    """Return a number with this many digits behind the point; None means four in all."""
    return f"{value:.4g}" if digits is None else f"{value:.{digits}f}"
