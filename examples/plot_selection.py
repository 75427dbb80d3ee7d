"""
Choose prices, and look at what they buy
========================================

Searches the default grid on the wine data that scikit-learn ships, made a problem of two
classes by asking for one of them, and draws the margin distributions of the chosen
machine and of an SVM, the influence of the price of the margin variance, and the duality
gap of the last fit.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from largemargin import (
    ConvergenceDisplay,
    LinearLDMClassifier,
    LinearLDMClassifierCV,
    MarginDistributionDisplay,
    PriceInfluenceDisplay,
    leave_one_out_error,
)

VALUES = [0, "0.1*scale", "scale", "10*scale", "100*scale", "1000*scale"]


def main():
    """Search, print what was found and save the pictures."""
    X, y = load_wine(return_X_y=True)
    parts = train_test_split(minmax_scale(X), y == 1, test_size=0.5, random_state=0)
    X_train, X_test, y_train, y_test = parts
    search = LinearLDMClassifierCV().fit(X_train, y_train)
    svm = LinearLDMClassifier(lambda_var=0, lambda_mean=0).fit(X_train, y_train)
    print("best prices       ", search.best_params_)
    print(f"cross-validated    {search.best_score_:.3f}")
    print(f"leave-one-out      {1 - leave_one_out_error(search, X_train, y_train):.3f}")
    print(f"test half          {search.score(X_test, y_test):.3f}")
    print(f"SVM, test half     {svm.score(X_test, y_test):.3f}")

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.2), layout="constrained")
    machines = {"SVM": svm, "LDM": search.best_estimator_}
    MarginDistributionDisplay.from_estimators(
        machines, X_test, y_test, normalise=True, ax=axes[0]
    )
    axes[0].set_title("margins of the test half")
    for C in (0.1, 10.0):
        PriceInfluenceDisplay.from_estimator(
            LinearLDMClassifier(C),
            X_train,
            y_train,
            price="lambda_var",
            values=VALUES,
            name=f"C = {C:g}",
            ax=axes[1],
        )
    axes[1].set_title("price of the margin variance")
    ConvergenceDisplay.from_estimator(search, ax=axes[2])
    axes[2].set_title("the last fit")
    picture = Path("selection.png")
    figure.savefig(picture, dpi=120)
    print(f"\nThe pictures are in {picture}.")


if __name__ == "__main__":
    main()
