"""The study behind the default prices.

Draws random halves of the paper's twenty regular data sets, tunes every method on the
training half by five-fold cross-validation and scores it on the other half. Each
(data set, repetition) is stored at once in ``results.csv``; a second run goes on where
the first one stopped. ``python -m docs.defaults.study DATA`` runs it on the files in
the directory DATA, ``python -m docs.defaults.study --table`` prints what was found and
writes mean, deviation and mark for each set to ``table.csv``.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler

from largemargin import LDMClassifierCV, LinearLDMClassifierCV
from largemargin.estimators.ldm import SCALES
from study import datasets
from study.statistics import compare

HERE = Path(__file__).parent
RESULTS = HERE / "results.csv"
TABLE = HERE / "table.csv"
COLUMNS = "set", "rep", "kernel", "method", "accuracy", "chosen"
SETS = datasets.names("regular")
N_REPETITIONS = 30
N_FOLDS = 5
WIDE_CS = [2.0**k for k in range(-7, 8)]
WIDTHS = ["0.0625*scale", "0.25*scale", "scale", "4*scale"]
SCALE_CS = [2.0**k for k in range(-6, 9, 2)]
# Prices as parts of C S.
SCALE_VARS = 0.03, 0.3, 3.0
SCALE_MEANS = 0.0, 0.3, 1.0
BOX_VARS = 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0
BOX_MEANS = 0.0, 0.01, 0.03, 0.1, 0.3, 1.0
# Candidates for the default grid: which of the above they have beside the SVM.
CANDIDATES = [
    (some_vars, some_means)
    for some_vars in (SCALE_VARS, SCALE_VARS[:2], SCALE_VARS[1:2])
    for some_means in (SCALE_MEANS[:1], SCALE_MEANS[:2], SCALE_MEANS)
]


def as_words(name, parts):
    """Return parts of C S as multiples of "scale"."""
    return {part: f"{part / SCALES[name]:g}*scale" for part in parts}


VAR_WORDS = as_words("lambda_var", {*SCALE_VARS, *BOX_VARS})
MEAN_WORDS = as_words("lambda_mean", {*SCALE_MEANS, *BOX_MEANS})


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


def searched(kernel, grid, X, y, splits, half, **values):
    """Return the points of a search and their scores, one row per fold.

    The last row is that of one more fold, training half and test half.
    """
    results = search(kernel, grid, [*splits, half], **values).fit(X, y).cv_results_
    scores = [results[f"split{k}_test_score"] for k in range(len(splits) + 1)]
    return results["params"], np.array(scores)


def best_of(points, scores):
    """Return the test accuracy of the point that is best by cross-validation, and it."""
    means = scores[:-1].mean(axis=0)
    best = int(np.nanargmax(means))
    return scores[-1, best], points[best]


def measure(directory, name, rep):
    """Return the rows of the results for one data set and repetition."""
    data = datasets.load(name, data_home=directory, download=False)
    X, y = data.X, data.y
    X, splits, train, test = halves(X, y, rep)
    place = X, y, splits, (train, test)
    rows = []
    for kernel in "linear", "rbf":
        found = {}
        zero = {"lambda_vars": [0.0], "lambda_means": [0.0], "gammas": WIDTHS}
        svm = searched(kernel, "scale", *place, Cs=WIDE_CS, **zero)
        found["svm, tuned"] = best_of(*svm)
        found["ldm, paper's grid"] = best_of(*searched(kernel, "paper", *place))
        scaled = searched(
            kernel,
            "scale",
            *place,
            Cs=SCALE_CS,
            lambda_vars=[VAR_WORDS[part] for part in SCALE_VARS],
            lambda_means=[MEAN_WORDS[part] for part in SCALE_MEANS],
            gammas=WIDTHS,
        )
        for some_vars, some_means in CANDIDATES:
            kept = candidate(svm, scaled, some_vars, some_means)
            vars_label, means_label = (
                " ".join(f"{part:g}" for part in parts) for parts in (some_vars, some_means)
            )
            method = f"ldm, scaled grid, var 0 {vars_label}, mean {means_label}"
            found[method] = best_of(*kept)
        for method, accuracy in out_of_the_box(kernel, X, y, (train, test)).items():
            found[method] = accuracy, ""
        rows += [
            (name, rep, kernel, method, f"{accuracy:.6f}", chosen)
            for method, (accuracy, chosen) in found.items()
        ]
    return rows


def candidate(svm, scaled, some_vars, some_means):
    """Return the points of a candidate grid and their scores: SVMs, then the others."""
    words = {VAR_WORDS[part] for part in some_vars}
    means = {MEAN_WORDS[part] for part in some_means}
    kept = [
        [k for k, point in enumerate(svm[0]) if point["C"] in SCALE_CS],
        [
            k
            for k, point in enumerate(scaled[0])
            if point["lambda_var"] in words and point["lambda_mean"] in means
        ],
    ]
    points = [
        found[0][k] for found, ks in zip((svm, scaled), kept, strict=True) for k in ks
    ]
    scores = [found[1][:, ks] for found, ks in zip((svm, scaled), kept, strict=True)]
    return points, np.hstack(scores)


def out_of_the_box(kernel, X, y, half):
    """Return the test accuracies at C = 1 and the default width, for many constants."""
    options = {"Cs": [1.0], "gammas": ["scale"]}
    zero = {"lambda_vars": [0.0], "lambda_means": [0.0]}
    _, scores = searched(kernel, "scale", X, y, [], half, **options, **zero)
    found = {"svm, C = 1": scores[-1, 0]}
    vars_of = {VAR_WORDS[part]: part for part in BOX_VARS}
    means_of = {MEAN_WORDS[part]: part for part in BOX_MEANS}
    prices = {"lambda_vars": list(vars_of), "lambda_means": list(means_of)}
    points, scores = searched(kernel, "scale", X, y, [], half, **options, **prices)
    for point, score in zip(points, scores[-1], strict=True):
        var, mean = vars_of[point["lambda_var"]], means_of[point["lambda_mean"]]
        found[f"ldm, C = 1, var {var:g}, mean {mean:g}"] = score
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


def print_table():
    """Print mean accuracies, and wins, ties and losses against the SVM treated alike."""
    rows = [("kernel", "method", "set", "mean", "deviation", "against the SVM")]
    for kernel, methods in read().items():
        print(f"\n## {kernel}\n")
        print("| method | mean accuracy | better | equal | worse | worse on |")
        print("|---|---|---|---|---|---|")
        for method, by_set in methods.items():
            against = "svm, C = 1" if "C = 1" in method else "svm, tuned"
            marks = {name: compare(by_set[name], methods[against][name]) for name in by_set}
            for name, reps in by_set.items():
                values = list(reps.values())
                moments = f"{np.mean(values):.4f}", f"{np.std(values, ddof=1):.4f}"
                rows.append((kernel, method, name, *moments, marks[name]))
            counts = [sum(mark == sign for mark in marks.values()) for sign in (1, 0, -1)]
            mean = np.mean([np.mean(list(reps.values())) for reps in by_set.values()])
            lost = ", ".join(name for name, mark in marks.items() if mark < 0)
            print(f"| {method} | {mean:.4f} | {' | '.join(map(str, counts))} | {lost} |")
    with TABLE.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main():
    """Run the study, or show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, help="directory of the data sets")
    parser.add_argument("--table", action="store_true", help="print the results as a table")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    options = parser.parse_args()
    if options.data is not None:
        run(options.data, options.jobs)
    if options.table:
        print_table()


if __name__ == "__main__":
    main()
