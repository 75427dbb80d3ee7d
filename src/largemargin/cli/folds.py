"""Cross-validation of one model: what is measured in each fold."""

from statistics import fmean, stdev

from largemargin.cli import terminal


def splits_for(task, X, y, n_folds: int, seed: int) -> list:
    """Return random folds, stratified if there are classes."""
    from sklearn.model_selection import KFold

    from largemargin.cli.tuning import stratified_splits

    if task == "classification":
        return stratified_splits(y, n_folds, seed)
    return [*KFold(n_folds, shuffle=True, random_state=seed).split(X)]


def cross_validated(model, task, X, y, folds, seed, quiet):
    """Return the means of what is measured in each fold, by name.

    That is the accuracy, with its deviation; errors of values; or the share of outliers.
    """
    from sklearn.base import clone

    from largemargin._compat import safe_split

    found = []
    with terminal.bar("cross-validation", quiet=quiet) as move:
        for train, test in splits_for(task, X, y, folds, seed):
            one = clone(model).fit(*safe_split(model, X, y, train))
            X_test, y_test = safe_split(model, X, y, test, train)
            found.append(MEASURES[task](one, X_test, y_test))
            move(len(found), folds)
    means = {name: mean_of([one[name] for one in found]) for name in found[0]}
    if task == "classification":
        means["deviation"] = stdev(one["accuracy"] for one in found)
    return means


def mean_of(values):
    """Return the mean of numbers, or of each entry of dicts."""
    if isinstance(values[0], dict):
        return {name: fmean(one[name] for one in values) for name in values[0]}
    return fmean(values)


def measure_values(model, X, y):
    """Return the errors of predicted values, by name."""
    from largemargin.cli.measures import levels_of, value_facts

    return value_facts(y, model.predict(X), levels_of(model))


def measure_outliers(model, X, y):
    """Return the share of outliers, by name."""
    return {"share of outliers": float((model.predict(X) < 0).mean())}


def measure_classes(model, X, y):
    """Return the accuracy, by name."""
    return {"accuracy": model.score(X, y)}


MEASURES = {
    "classification": measure_classes,
    "regression": measure_values,
    "outliers": measure_outliers,
}
