"""
An SVM and an LDM side by side
==============================

A support vector machine (SVM) looks at the smallest margins only. A large margin
distribution machine (LDM) also takes the mean and the variance of all margins into
account. This example fits both to the breast cancer data that scikit-learn ships, prints
accuracy, margins, duality gap and time, and draws the distributions of the training
margins.
"""

# %%
# One half of the rows is for training, the other one for testing. The features are scaled
# to [0, 1] by the ranges of the training half.

import time

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
scaler = MinMaxScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)

# %%
# With ``lambda_var=0`` and ``lambda_mean=0`` the LDM is the SVM. The default values change
# it a little; ten times the default ``lambda_var`` changes it more. Each model is fitted
# once before it is timed, because the first fit loads compiled code.

from largemargin import LDMClassifier

models = {
    "SVM": LDMClassifier(lambda_var=0, lambda_mean=0),
    "LDM": LDMClassifier(),
    "LDM, 10 x variance": LDMClassifier(lambda_var="10*scale"),
}
for model in models.values():
    model.fit(X_train, y_train)

titles = "test accuracy", "margin mean", "margin variance", "duality gap", "seconds"
print(f"breast cancer, {len(y_train)} training rows, rbf kernel, C = 1\n")
print(" " * 18 + "".join(f"{title:>16}" for title in titles))
for name, model in models.items():
    begin = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - begin
    print(
        f"{name:18}{model.score(X_test, y_test):16.4f}{model.margin_mean_:16.4f}"
        f"{model.margin_variance_:16.4f}{model.duality_gap_:16.1e}{seconds:16.4f}"
    )

# %%
# The curves show, for each margin, the fraction of training rows whose margin is at most
# that. The larger ``lambda_var``, the steeper the curve: margins are closer together.

from largemargin import MarginDistributionDisplay

display = MarginDistributionDisplay.from_estimators(models, X_train, y_train)
display.ax_.set_title("Cumulative margin distributions, breast cancer, training rows")
display.figure_.savefig("demo.png", dpi=150)
print("\nThe margin distributions are drawn in demo.png.")
