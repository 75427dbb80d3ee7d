"""
An SVM and an LDM side by side
==============================

Trains both machines on the breast cancer data that scikit-learn ships, with the features
scaled to [0, 1] and half of the rows kept for testing, prints what each of them reached,
and draws the two cumulative distributions of the training margins.
"""

import time
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from largemargin import LDMClassifier, MarginDistributionDisplay

MACHINES = {
    "SVM": LDMClassifier(lambda_var=0, lambda_mean=0),
    "LDM": LDMClassifier(),
}


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
    for name, machine in MACHINES.items():
        begin = time.perf_counter()
        machine.fit(X_train, y_train)
        seconds = time.perf_counter() - begin
        print(
            f"{name:4}{machine.score(X_test, y_test):17.4f}{machine.margin_mean_:17.4f}"
            f"{machine.margin_variance_:17.4f}{machine.duality_gap_:17.1e}{seconds:17.4f}"
        )
    display = MarginDistributionDisplay.from_estimators(MACHINES, X_train, y_train)
    display.ax_.set_title("Cumulative margin distributions, breast cancer, training rows")
    picture = Path("demo.png")
    display.figure_.savefig(picture, dpi=150)
    print(f"\nThe margin distributions are drawn in {picture}.")


if __name__ == "__main__":
    main()
