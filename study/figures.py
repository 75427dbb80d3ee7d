"""The figures of the study, drawn without any state of pyplot.

Each function returns a matplotlib Figure, or None where the store has nothing to draw.
"""

import warnings
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning

from largemargin.estimators.grids import PAPER_LAMBDAS
from largemargin.estimators.table import search_for
from largemargin.inspection.displays.margin_distribution import MarginDistributionDisplay
from largemargin.inspection.displays.price_influence import PriceInfluenceDisplay
from largemargin.inspection.margins import margin_distribution
from study import paper

# Figures 1 and 3 show these where there are results, then others in the order of Table 1.
REPRESENTATIVE = "heart", "sonar", "colic", "parkinsons", "clean1", "german"
N_MARGIN_SETS, N_INFLUENCE_SETS, N_INFLUENCE_REPETITIONS = 6, 4, 5
TIMED = "linear_svc", "svm_asgd", "ldm_asgd", "svm", "ldm"
# Okabe and Ito's, which the colour-blind can distinguish, also by their darkness.
FILLS = "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00"
HATCHES = "", "//", "\\\\", "", ".."
# Readable when the picture is 1000 pixels wide.
WIDTH_INCHES, DOTS_PER_INCH = 10, 150
# Values of Figure 3; the fair ones go beyond what the search chooses from.
FACTORS = 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0
WORDS = tuple(f"{factor:g}*scale" for factor in FACTORS)
PRICES = {
    "paper": {
        "lambda_var": PAPER_LAMBDAS,
        "lambda_mean": PAPER_LAMBDAS,
        "C": tuple(float(C) for C in range(10, 101, 10)),
    },
    "fair": {
        "lambda_var": WORDS,
        "lambda_mean": WORDS,
        "C": tuple(2.0**k for k in range(-6, 9, 2)),
    },
}


def new_figure(height, n_rows=1, n_columns=1, **options):
    """Return a figure and its axes in a grid."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, height), dpi=DOTS_PER_INCH, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **options)


def linear_results(results, protocol, methods):
    """Return results with the linear kernel by data set, method and repetition.

    Only the paper's regular sets are kept, and those with a repetition that all methods
    have; representative ones come first.
    """
    found = {}
    for result in results:
        if (result.protocol, result.kernel) == (protocol, "linear"):
            by_method = found.setdefault(result.dataset, {})
            by_method.setdefault(result.method, {})[result.repetition] = result
    names = dict.fromkeys((*REPRESENTATIVE, *paper.ACCURACIES[2]))
    return {name: found[name] for name in names if shared(found.get(name, {}), methods)}


def shared(by_method, methods):
    """Return the repetitions that all methods have."""
    return set.intersection(*(set(by_method.get(method, ())) for method in methods))


@contextmanager
def without_warnings():
    """Keep quiet on fits that stop early or have no minimum, as the study itself does."""
    with warnings.catch_warnings():
        for category in ConvergenceWarning, FitFailedWarning:
            warnings.simplefilter("ignore", category)
        yield


def refit(result, data_home):
    """Return the machine behind a result and both its halves."""
    from study import tasks

    with without_warnings():
        return tasks.refit(result, data_home=data_home)


def margin_figure(results, protocol, labels, data_home=None):
    """Draw the cumulative margin distribution of SVM and LDM, the paper's Figure 1.

    Margins are those of the training rows of the first repetition that both have, divided
    by ``|w|``. The kernel is linear: widths of other kernels are chosen for each method,
    and distances in different spaces cannot be compared.

    Parameters
    ----------
    results : list of Result
        From a store.

    protocol : {"paper", "fair"}
        How the methods were tuned.

    labels : dict of str to str
        Names of the methods.

    data_home : path-like, default=None
        Where data sets are looked for first.

    Returns
    -------
    figure : matplotlib Figure or None
        None without a repetition of both methods on one set.
    """
    shown = list(linear_results(results, protocol, ("svm", "ldm")).items())[:N_MARGIN_SETS]
    if not shown:
        return None
    n_rows = -(-len(shown) // 3)
    figure, axes = new_figure(0.6 + 3.0 * n_rows, n_rows, min(3, len(shown)), sharey=True)
    for ax, (name, by_method) in zip(axes.flat, shown, strict=False):
        repetition = min(shared(by_method, ("svm", "ldm")))
        distributions = {}
        for method in "svm", "ldm":
            machine, X, y, *_ = refit(by_method[method][repetition], data_home)
            distributions[labels[method]] = margin_distribution(machine, X, y)
        draw_margins(ax, name, distributions)
    for ax in axes.flat[len(shown) :]:
        ax.remove()
    figure.supxlabel("margin / |w| of training rows (mean ± standard deviation)")
    figure.supylabel("cumulative frequency")
    return figure


def draw_margins(ax, name, distributions):
    """Draw the margins of some methods on one data set."""
    display = MarginDistributionDisplay(distributions, normalise=True).plot(ax=ax)
    for line, (method, found) in zip(display.lines_, distributions.items(), strict=True):
        shown = found.normalised_distribution()
        line.set_label(f"{method} {shown.mean:.3f} ± {np.sqrt(shown.variance):.3f}")
    ax.set(title=name, xlabel="", ylabel="")
    # The one corner that a cumulative frequency leaves free.
    ax.legend(loc="lower right", fontsize="small", handlelength=1.4, frameon=False)


def time_figure(results, protocol, labels):
    """Draw the CPU time of one fit on the large sets, the paper's Figure 2.

    Parameters
    ----------
    results : list of Result
        From a store.

    protocol : {"paper", "fair"}
        How the methods were tuned.

    labels : dict of str to str
        Names of the methods.

    Returns
    -------
    figure : matplotlib Figure or None
        None without times.
    """
    seconds = {}
    for result in results:
        timed = result.method in TIMED and result.cpu_seconds
        if timed and result.protocol == protocol and result.dataset in paper.ACCURACIES[4]:
            by_method = seconds.setdefault(result.dataset, {})
            by_method.setdefault(result.method, []).append(result.cpu_seconds)
    if not seconds:
        return None
    names = [name for name in paper.ACCURACIES[4] if name in seconds]
    methods = [key for key in TIMED if any(key in seconds[name] for name in names)]
    figure, axes = new_figure(4.8)
    ax = axes[0, 0]
    width = 0.84 / len(methods)
    for number, method in enumerate(methods):
        k = TIMED.index(method)
        places = np.arange(len(names)) + (number - (len(methods) - 1) / 2) * width
        times = [np.median(seconds[name].get(method, np.nan)) for name in names]
        look = {"color": FILLS[k], "hatch": HATCHES[k], "edgecolor": "white"}
        ax.bar(places, times, width, label=labels[method], linewidth=0.5, **look)
    ax.set(yscale="log", ylabel="CPU seconds of one fit", xlim=(-0.6, len(names) - 0.4))
    ax.set_xticks(np.arange(len(names)), names)
    ax.grid(axis="y", color="0.85")
    ax.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=len(methods), frameon=False)
    return figure


def influence_figure(results, protocol, data_home=None):
    """Draw the test accuracy of LDM over each of its prices, the paper's Figure 3.

    The other prices stay at the values chosen by cross-validation. Accuracies are means
    over the first repetitions, with the linear kernel.

    Parameters
    ----------
    results : list of Result
        From a store.

    protocol : {"paper", "fair"}
        How the methods were tuned.

    data_home : path-like, default=None
        Where data sets are looked for first.

    Returns
    -------
    figure : matplotlib Figure or None
        None without results of LDM.
    """
    shown = list(linear_results(results, protocol, ["ldm"]).items())[:N_INFLUENCE_SETS]
    if not shown:
        return None
    figure, axes = new_figure(4.2, 1, 3, sharey=True)
    for name, by_method in shown:
        repetitions = sorted(by_method["ldm"])[:N_INFLUENCE_REPETITIONS]
        refitted = [refit(by_method["ldm"][rep], data_home) for rep in repetitions]
        for ax, (price, values) in zip(axes.flat, PRICES[protocol].items(), strict=True):
            scores = [scores_over(*found, price, values) for found in refitted]
            draw_influence(ax, name, price, values, np.mean(scores, axis=0))
    axes[0, 0].set_ylabel("test accuracy")
    handles = axes[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=len(shown), frameon=False)
    return figure


def draw_influence(ax, name, price, values, means):
    """Draw the curve of one data set over one price."""
    if values is WORDS:
        price, values = f"{price} / scale", FACTORS
    display = PriceInfluenceDisplay(price, values, means, np.zeros(len(values)))
    display.plot(ax=ax, label=name)
    ax.set_ylabel("")


def scores_over(machine, X_train, y_train, X_test, y_test, price, values):
    """Return the test accuracy for each value of a price, NaN where there is no machine."""
    stack = sp.vstack if sp.issparse(X_train) else np.vstack
    X, y = stack([X_train, X_test]), np.concatenate([y_train, y_test])
    n_train = len(y_train)
    half = np.arange(n_train), np.arange(n_train, len(y))
    search = search_for(machine).around(machine, **{price: values})
    search.set_params(cv=[half], refit=False)
    with without_warnings():
        return search.fit(X, y).cv_results_["split0_test_score"]
