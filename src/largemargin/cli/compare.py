"""``largemargin compare``: tuned methods side by side, on the same folds of a file."""

import time
import warnings
from collections import Counter
from statistics import fmean, stdev

import click

from largemargin.cli import terminal
from largemargin.cli.group import Failure, sentence
from largemargin.cli.options import jobs_option, report_options, training_options
from largemargin.estimators.table import METHODS

# Fewer if no class has this many rows.
N_INNER_FOLDS = 5


def listed(context, parameter, value):
    """Return the methods in a comma-separated list, each once."""
    names = dict.fromkeys(name.strip().lower() for name in value.split(","))
    for name in names:
        if name not in METHODS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(METHODS)}.")
    return list(names)


@click.command(epilog="Example: largemargin compare heart.csv --kernel linear --folds 10")
@training_options
@click.option(
    "--methods",
    default=",".join(METHODS),
    callback=listed,
    help="Comma-separated list of methods.",
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
    """
    from joblib import Parallel, delayed

    from largemargin.cli.train import training_rows
    from largemargin.cli.tuning import stratified_splits

    schema, X, y = training_rows(data, options, quiet)
    # Some methods have no kernels.
    kernels = [kernel if kernel in METHODS[name].machines else "linear" for name in methods]
    contests = [
        (method, kernel, schema, X, y, train, test, options["scale"], options["seed"])
        for train, test in stratified_splits(y, folds, options["seed"])
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
        summary(method, kernels[place], outcomes[place :: len(methods)])
        for place, method in enumerate(methods)
    ]
    if as_json:
        facts = {"data": data, "rows": len(y), "features": schema.n_features}
        terminal.show(facts | {"folds": folds, "results": results}, as_json=True)
    else:
        columns = "method", "kernel", "accuracy", "deviation", "seconds", ""
        terminal.show_table(columns, [cells(result) for result in results])
    if all("failure" in result for result in results):
        raise Failure(f"Every method failed, {methods[0]} with: {results[0]['failure']}")


def contest(method, kernel, schema, X, y, train, test, scale, seed):
    """Return the accuracy and seconds of one method in one fold, or why it failed."""
    from largemargin._compat import safe_split
    from largemargin.cli.pipelines import pipeline_of
    from largemargin.numerics.threads import one_blas_thread

    prepare = pipeline_of(schema, scale, "passthrough")
    X_train, y_train = safe_split(prepare, X, y, train)
    X_test, y_test = safe_split(prepare, X, y, test)
    begin = time.perf_counter()
    # Fits that stop early are part of a grid; thousands of warnings help nobody.
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        try:
            machine = tuned(method, kernel, prepare.fit_transform(X_train), y_train, seed)
            accuracy = machine.score(prepare.transform(X_test), y_test)
        except (ValueError, MemoryError) as error:
            return sentence(error)
    return accuracy, time.perf_counter() - begin


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


def summary(method, kernel, outcomes):
    """Return the mean accuracy and time of a method over the folds, and the deviation."""
    result = {"method": method, "label": METHODS[method].label, "kernel": kernel}
    failures = [outcome for outcome in outcomes if isinstance(outcome, str)]
    if failures:
        return result | {"failure": failures[0]}
    accuracy, seconds = zip(*outcomes, strict=True)
    result |= {"accuracy": fmean(accuracy), "deviation": stdev(accuracy)}
    return result | {"seconds": fmean(seconds)}


def cells(result):
    """Return one row of the table."""
    named = [result["label"], result["kernel"]]
    if "failure" in result:
        return [*named, "", "", "", f"failed: {result['failure']}"]
    digits = {"accuracy": 4, "deviation": 4, "seconds": 2}
    return [*named, *(f"{result[name]:.{n}f}" for name, n in digits.items()), ""]
