"""
An SVM and an LDM side by side
==============================

Trains both machines on the breast cancer data that scikit-learn ships, with the features
scaled to [0, 1] and half of the rows kept for testing, prints what each of them reached,
and draws the two cumulative distributions of the training margins.
"""

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from largemargin import LDMClassifier

MACHINES = {
    "SVM": LDMClassifier(lambda_var=0, lambda_mean=0),
    "LDM": LDMClassifier(),
}
STYLES = {"SVM": "--", "LDM": "-"}


def halves():
    """Return training and test halves of the data, scaled by the training half."""
    X, y = load_breast_cancer(return_X_y=True)
    parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    X_train, X_test, y_train, y_test = parts
    scaler = MinMaxScaler().fit(X_train)
    return scaler.transform(X_train), scaler.transform(X_test), y_train, y_test


def main():
    """Fit both machines, print a table and save the picture."""
    X_train, X_test, y_train, y_test = halves()
    for machine in MACHINES.values():  # once unmeasured: compiled loops load from disk
        machine.fit(X_train, y_train)
    titles = "test accuracy", "margin mean", "margin variance", "duality gap", "seconds"
    print(f"breast cancer, {len(y_train)} training rows, rbf kernel, C = 1\n")
    print("    " + "".join(f"{title:>17}" for title in titles))
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name, machine in MACHINES.items():
        begin = time.perf_counter()
        machine.fit(X_train, y_train)
        seconds = time.perf_counter() - begin
        print(
            f"{name:4}{machine.score(X_test, y_test):17.4f}{machine.margin_mean_:17.4f}"
            f"{machine.margin_variance_:17.4f}{machine.duality_gap_:17.1e}{seconds:17.4f}"
        )
        signs = np.where(y_train == machine.classes_[1], 1, -1)
        margins = np.sort(signs * machine.decision_function(X_train))
        axes.step(
            margins,
            np.arange(1, len(margins) + 1) / len(margins),
            STYLES[name],
            where="post",
            label=f"{name}: mean {margins.mean():.2f}, variance {margins.var():.2f}",
        )
    axes.axvline(0, color="0.7", linewidth=1, zorder=0)
    axes.set(
        xlabel="margin of a training row",
        ylabel="share of rows with at most this margin",
        title="Cumulative margin distributions, breast cancer",
    )
    axes.legend(loc="upper left", frameon=False)
    picture = Path("demo.png")
    figure.savefig(picture, dpi=150)
    print(f"\nThe margin distributions are drawn in {picture}.")


if __name__ == "__main__":
    main()
