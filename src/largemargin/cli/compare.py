"""``largemargin compare``: the methods side by side, each tuned, on folds of a file."""

import time
import warnings

import click

from largemargin.cli.group import Failure, sentence
from largemargin.cli.options import (
    jobs_option,
    json_option,
    quiet_option,
    training_options,
)
from largemargin.estimators.table import METHODS


def listed(context, parameter, value):
    """Return the methods in a list with commas, each once."""
    names = dict.fromkeys(name.strip().lower() for name in value.split(","))
    for name in names:
        if name not in METHODS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(METHODS)}.")
    return list(names)


@click.command(epilog="Example: largemargin compare heart.csv --kernel linear --folds 10")
@click.argument("data")
@training_options
@click.option(
    "--methods",
    default=",".join(METHODS),
    show_default=True,
    callback=listed,
    help="Names with commas.",
)
@click.option(
    "-t",
    "--kernel",
    type=click.Choice(["linear", "rbf"]),
    default="rbf",
    show_default=True,
    help="Of all methods that have a choice.",
)
@click.option(
    "-v",
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="Folds to test in.",
)
@jobs_option("Processes.")
@json_option
@quiet_option
def main(data, methods, kernel, folds, jobs, as_json, quiet, **options):
    """Compare the methods on DATA, cross-validated.

    In each fold every method chooses its parameters by five-fold cross-validation on the
    training rows, from grids that are fair to all, and is tested on the others.
    """
    from largemargin.cli import terminal
    from largemargin.cli.train import training_rows

    schema, X, y = training_rows(data, options, quiet)
    contests = list(contests_of(schema, X, y, methods, kernel, folds, options))
    outcomes = []
    with terminal.bar("comparing", quiet=quiet) as move:
        titles = [f"comparing, {method}" for method, *_ in contests] + ["comparing"]
        move(0, len(contests), titles[0])
        for outcome in performed(contests, jobs):
            outcomes.append(outcome)
            move(len(outcomes), len(contests), titles[len(outcomes)])
    results = [summary(name, kernel, outcomes) for name in methods]
    if as_json:
        facts = {"data": data, "rows": len(y), "features": schema.n_features}
        terminal.show(facts | {"folds": folds, "results": results}, as_json=True)
    else:
        columns = "method", "kernel", "accuracy", "deviation", "seconds", ""
        terminal.show_table(columns, [cells(result) for result in results])
    if all("failure" in result for result in results):
        raise Failure(f"Every method failed, {methods[0]} with: {results[0]['failure']}")


def contests_of(schema, X, y, methods, kernel, folds, options):
    """Yield what is needed to try each method in each fold."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(folds, shuffle=True, random_state=options["seed"])
    for train, test in splitter.split(np.zeros(len(y)), y):
        for method in methods:
            rows = schema, X, y, train, test
            yield method, kernel, *rows, options["scale"], options["seed"]


def performed(contests, jobs):
    """Yield the outcome of each contest, in order."""
    from joblib import Parallel, delayed

    if jobs == 1:
        yield from (contest(*one) for one in contests)
        return
    pool = Parallel(n_jobs=jobs, return_as="generator")
    yield from pool(delayed(contest)(*one) for one in contests)


def contest(method, kernel, schema, X, y, train, test, scale, seed):
    """Return how one method did in one fold: accuracy and seconds, or why it failed."""
    from sklearn.pipeline import Pipeline

    from largemargin._compat import safe_split
    from largemargin.cli.pipelines import preparation
    from largemargin.numerics.threads import one_blas_thread

    prepare = Pipeline([*preparation(schema, scale), ("end", "passthrough")])
    X_train, y_train = safe_split(prepare, X, y, train)
    X_test, y_test = safe_split(prepare, X, y, test)
    begin = time.perf_counter()
    # Fits that stop early are part of a grid; warnings of thousands help nobody.
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")
        try:
            machine = tuned(method, kernel, prepare.fit_transform(X_train), y_train, seed)
            accuracy = machine.score(prepare.transform(X_test), y_test)
        except (ValueError, MemoryError) as error:
            return {"method": method, "failure": sentence(error)}
    seconds = time.perf_counter() - begin
    return {"method": method, "accuracy": float(accuracy), "seconds": seconds}


def tuned(method, kernel, X, y, seed):
    """Return the machine of a method, its parameters chosen on these rows, fitted."""
    import numpy as np

    from largemargin.cli.tuning import FAIR, best_point, draw_folds, scale_of_rows

    kernel = kernel_of(method, kernel)
    grid = FAIR.grid(method, kernel, scale_of_rows(len(y)), X)
    machine = METHODS[method].machine(kernel)
    folds = draw_folds(y, np.random.default_rng(seed))
    machine.set_params(**best_point(machine, grid, METHODS[method].fixed, X, y, folds))
    if "random_state" in machine.get_params():
        machine.set_params(random_state=seed)
    return machine.fit(X, y)


def kernel_of(method, kernel):
    """Return the kernel for a method, which may know the linear one only."""
    return kernel if kernel in METHODS[method].machines else "linear"


def summary(method, kernel, outcomes):
    """Return the mean and the deviation of a method over the folds."""
    import numpy as np

    own = [outcome for outcome in outcomes if outcome["method"] == method]
    failures = [outcome["failure"] for outcome in own if "failure" in outcome]
    result = {
        "method": method,
        "label": METHODS[method].label,
        "kernel": kernel_of(method, kernel),
    }
    if failures:
        return result | {"failure": failures[0]}
    accuracy = [outcome["accuracy"] for outcome in own]
    return result | {
        "accuracy": float(np.mean(accuracy)),
        "deviation": float(np.std(accuracy, ddof=1)),
        "seconds": float(np.mean([outcome["seconds"] for outcome in own])),
    }


def cells(result):
    """Return a line of the table."""
    named = [result["label"], result["kernel"]]
    if "failure" in result:
        return [*named, "", "", "", f"failed: {result['failure']}"]
    accuracy, deviation = f"{result['accuracy']:.4f}", f"{result['deviation']:.4f}"
    return [*named, accuracy, deviation, f"{result['seconds']:.2f}", ""]
