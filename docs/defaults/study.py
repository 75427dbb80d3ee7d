"""Which prices deserve to be the defaults: the study behind them.

Draws random halves of the paper's twenty regular data sets, tunes every method on the
training half by five-fold cross-validation and scores it on the other half. Each
(data set, repetition) is stored at once in ``results.csv``; a second run goes on where
the first one stopped. ``python docs/defaults/study.py DATA`` runs it on the files in the
directory DATA, ``python docs/defaults/study.py --table`` prints what was found.
"""

import argparse
import csv
import lzma
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ttest_rel
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler

from largemargin import LDMClassifierCV, LinearLDMClassifierCV

HERE = Path(__file__).parent
RESULTS = HERE / "results.csv"
COLUMNS = "set", "rep", "kernel", "method", "accuracy", "chosen"
SETS = {  # number of features
    "promoters": 57,
    "planning-relax": 12,
    "colic": 13,
    "parkinsons": 22,
    "colic.ORIG": 17,
    "sonar": 60,
    "vote": 16,
    "house": 16,
    "heart": 13,
    "breast-cancer": 9,
    "haberman": 14,
    "vehicle": 18,
    "clean1": 166,
    "wdbc": 30,
    "isolet": 617,
    "credit-a": 15,
    "austra": 14,
    "australian": 42,
    "fourclass": 2,
    "german": 59,
}
N_REPETITIONS = 30
N_FOLDS = 5
WIDE_CS = [2.0**k for k in range(-7, 8)]
WIDTHS = ["0.0625*scale", "0.25*scale", "scale", "4*scale"]
# Multiples of C S are written as multiples of "scale", which is 0.1 C S.
SCALE_CS = [2.0**k for k in range(-6, 9, 2)]
SCALE_VARS = {"0.03": "0.3*scale", "0.3": "3*scale", "3": "30*scale"}
SCALE_MEANS = {"0": 0.0, "0.3": "3*scale", "1": "10*scale"}
BOX_VARS = {
    "0.001": 0.01,
    "0.003": 0.03,
    "0.01": 0.1,
    "0.03": 0.3,
    "0.1": 1.0,
    "0.3": 3.0,
    "1": 10.0,
}
BOX_MEANS = {"0": 0.0, "0.01": 0.1, "0.03": 0.3, "0.1": 1.0, "0.3": 3.0, "1": 10.0}


def load(directory, name):
    """Return rows and labels of a data set."""
    with lzma.open(directory / f"{name}.libsvm.xz") as file:
        X, y = load_svmlight_file(file, n_features=SETS[name], zero_based=False)
    return X.toarray(), y


def halves(X, y, rep):
    """Return scaled rows, the folds of the training half, and training and test half."""
    rows = np.arange(len(y))
    train, test = train_test_split(rows, test_size=0.5, stratify=y, random_state=rep)
    scaler = MinMaxScaler(clip=True).fit(X[train])
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=rep)
    splits = [(train[a], train[b]) for a, b in folds.split(train, y[train])]
    return scaler.transform(X), splits, train, test


def search(kernel, grid, splits, **values):
    """Return a search that is only after scores."""
    machine = LinearLDMClassifierCV if kernel == "linear" else LDMClassifierCV
    if kernel == "linear":
        values.pop("gammas", None)
    return machine(grid, cv=splits, refit=False, **values)


def tuned(kernel, grid, X, y, splits, half, chosen_by=None, **values):
    """Return the test accuracy of the best point by cross-validation, and the point.

    Training half and test half are one more fold, left out of the choice.
    """
    results = search(kernel, grid, [*splits, half], **values).fit(X, y).cv_results_
    scores = np.array([results[f"split{k}_test_score"] for k in range(len(splits))])
    best = int(np.nanargmax(np.where(np.isnan(scores).any(axis=0), np.nan, scores.mean(0))))
    return results[f"split{len(splits)}_test_score"][best], results["params"][best], results


def measure(directory, name, rep):
    """Return the rows of the results for one data set and repetition."""
    X, y = load(directory, name)
    X, splits, train, test = halves(X, y, rep)
    half = train, test
    rows = []

    def keep(kernel, method, accuracy, chosen=""):
        rows.append((name, rep, kernel, method, f"{accuracy:.6f}", chosen))

    for kernel in "linear", "rbf":
        svm = {"lambda_vars": [0.0], "lambda_means": [0.0], "gammas": WIDTHS}
        accuracy, point, results = tuned(
            kernel, "scale", X, y, splits, half, Cs=WIDE_CS, **svm
        )
        keep(kernel, "svm, tuned", accuracy, point)
        n_folds = len(splits)
        table = np.array([results[f"split{k}_test_score"] for k in range(n_folds + 1)])
        accuracy, point, _ = tuned(kernel, "paper", X, y, splits, half)
        keep(kernel, "ldm, paper's grid", accuracy, point)
        _, _, scaled = tuned(
            kernel,
            "scale",
            X,
            y,
            splits,
            half,
            Cs=SCALE_CS,
            lambda_vars=list(SCALE_VARS.values()),
            lambda_means=list(SCALE_MEANS.values()),
            gammas=WIDTHS,
        )
        scaled_table = np.array(
            [scaled[f"split{k}_test_score"] for k in range(n_folds + 1)]
        )
        for method, kept in candidates(results, scaled).items():
            tables = [table[:, kept[0]], scaled_table[:, kept[1]]]
            points = [
                [results["params"][k] for k in np.flatnonzero(kept[0])],
                [scaled["params"][k] for k in np.flatnonzero(kept[1])],
            ]
            both = np.hstack(tables)
            best = int(both[:-1].mean(axis=0).argmax())
            keep(kernel, method, both[-1, best], [*points[0], *points[1]][best])
        for method, accuracy in out_of_the_box(kernel, X, y, half).items():
            keep(kernel, method, accuracy)
    return rows


def candidates(svm, scaled):
    """Return, for each candidate of a default grid, which points of both tables it has."""
    svm_kept = np.array([C in SCALE_CS for C in svm["param_C"]])
    var, mean = (
        np.array(scaled[f"param_lambda_{name}"], object) for name in ("var", "mean")
    )
    masks = {}
    for vars_label, vars_kept in {
        "0.03 0.3 3": list(SCALE_VARS.values()),
        "0.03 0.3": list(SCALE_VARS.values())[:2],
        "0.3": ["3*scale"],
    }.items():
        for means_label, means_kept in {
            "0": [0.0],
            "0 0.3": [0.0, "3*scale"],
            "0 0.3 1": list(SCALE_MEANS.values()),
        }.items():
            kept = np.array([v in vars_kept for v in var])
            kept &= np.array([m in means_kept for m in mean])
            label = f"ldm, scaled grid, var 0 {vars_label}, mean {means_label}"
            masks[label] = svm_kept, kept
    return masks


def out_of_the_box(kernel, X, y, half):
    """Return the test accuracies at C = 1 and the default width, for many constants."""
    options = {"Cs": [1.0], "gammas": ["scale"]}
    zero = {"lambda_vars": [0.0], "lambda_means": [0.0]}
    found = {}
    results = search(kernel, "scale", [half], **options, **zero).fit(X, y).cv_results_
    found["svm, C = 1"] = results["mean_test_score"][0]
    prices = {
        "lambda_vars": [f"{factor}*scale" for factor in BOX_VARS.values()],
        "lambda_means": [f"{factor}*scale" for factor in BOX_MEANS.values()],
    }
    results = search(kernel, "scale", [half], **options, **prices).fit(X, y).cv_results_
    names = {
        "var": {f"{factor}*scale": k for k, factor in BOX_VARS.items()},
        "mean": {f"{factor}*scale": k for k, factor in BOX_MEANS.items()},
    }
    for point, score in zip(results["params"], results["mean_test_score"], strict=True):
        var, mean = names["var"][point["lambda_var"]], names["mean"][point["lambda_mean"]]
        found[f"ldm, C = 1, var {var}, mean {mean}"] = score
    return found


def run(directory, n_jobs):
    """Measure what is not stored yet, store each repetition as soon as it is there."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(row["set"], int(row["rep"])) for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    todo = [
        (name, rep)
        for rep in range(N_REPETITIONS)
        for name in SETS
        if (name, rep) not in done
    ]
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(measure)(directory, name, rep) for name, rep in todo
    )
    for n_done, rows in enumerate(results, start=1):
        with RESULTS.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        print(f"{n_done} of {len(todo)}: {rows[0][0]}, repetition {rows[0][1]}", flush=True)


def read():
    """Return accuracies by kernel, method and set, repetitions in order."""
    found = {}
    with RESULTS.open(newline="") as file:
        for row in csv.DictReader(file):
            place = found.setdefault(row["kernel"], {}).setdefault(row["method"], {})
            place.setdefault(row["set"], {})[int(row["rep"])] = float(row["accuracy"])
    return found


def compare(ours, theirs):
    """Return 1, 0 or -1: significantly better, no difference, significantly worse."""
    reps = sorted(set(ours) & set(theirs))
    one, other = (np.array([some[rep] for rep in reps]) for some in (ours, theirs))
    if len(reps) < 2 or np.all(one == other):
        return 0
    p = ttest_rel(one, other).pvalue
    return int(np.sign((one - other).mean())) if p < 0.05 else 0


def print_table():
    """Print mean accuracies, and wins, ties and losses against the SVM treated alike."""
    for kernel, methods in read().items():
        print(f"\n## {kernel}\n")
        print("| method | mean accuracy | better | equal | worse | worse on |")
        print("|---|---|---|---|---|---|")
        for method, by_set in methods.items():
            against = "svm, C = 1" if "C = 1" in method else "svm, tuned"
            marks = {name: compare(by_set[name], methods[against][name]) for name in by_set}
            counts = [sum(mark == sign for mark in marks.values()) for sign in (1, 0, -1)]
            mean = np.mean([np.mean(list(reps.values())) for reps in by_set.values()])
            lost = ", ".join(name for name, mark in marks.items() if mark < 0)
            print(f"| {method} | {mean:.4f} | {' | '.join(map(str, counts))} | {lost} |")


def main():
    """Run the study, or show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, help="directory of the data sets")
    parser.add_argument("--table", action="store_true", help="print what was found")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    if options.data is not None:
        run(options.data, options.jobs)
    if options.table:
        print_table()


if __name__ == "__main__":
    main()
