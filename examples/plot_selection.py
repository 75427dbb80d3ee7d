"""
Choose prices, and see what they change
=======================================

``LinearLDMClassifierCV`` chooses the prices by cross-validation. This example searches two
prices of the margin variance on the wine data that scikit-learn ships, compares the chosen
model with an SVM, and draws three displays: margin distributions, the influence of one
price, and the convergence of the last fit.
"""

# %%
# The task is to separate one of the three classes from the other two.

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    minmax_scale(X), y == 1, test_size=0.5, random_state=0
)

# %%
# The search chooses ``C`` and ``lambda_var``. The default grid has the SVM too; the values
# given here leave it out, so that the chosen model is an LDM. Its leave-one-out error is
# exact, not a bound: each row is left out in turn.

from largemargin import LinearLDMClassifier, LinearLDMClassifierCV, leave_one_out_error

search = LinearLDMClassifierCV(lambda_vars=["10*scale", "30*scale"], lambda_means=[0])
search.fit(X_train, y_train)
svm = LinearLDMClassifier(lambda_var=0, lambda_mean=0).fit(X_train, y_train)
print("best prices               ", search.best_params_)
print(f"cross-validated accuracy   {search.best_score_:.3f}")
print(f"leave-one-out accuracy     {1 - leave_one_out_error(search, X_train, y_train):.3f}")
print(f"test accuracy              {search.score(X_test, y_test):.3f}")
print(f"test accuracy of the SVM   {svm.score(X_test, y_test):.3f}")

# %%
# Normalised margins are signed distances from the decision boundary, so they can be
# compared between models.

import matplotlib.pyplot as plt

from largemargin import MarginDistributionDisplay

models = {"SVM": svm, "LDM": search.best_estimator_}
MarginDistributionDisplay.from_estimators(models, X_test, y_test, normalise=True)
plt.title("margins of the test half")

# %%
# The cross-validated accuracy as the price of the margin variance rises, for two values of
# ``C``.

from largemargin import PriceInfluenceDisplay

_, ax = plt.subplots()
for C in (0.1, 10.0):
    PriceInfluenceDisplay.from_estimator(
        LinearLDMClassifier(C),
        X_train,
        y_train,
        price="lambda_var",
        values=[0, "0.1*scale", "scale", "10*scale", "100*scale", "1000*scale"],
        name=f"C = {C:g}",
        ax=ax,
    )
ax.set_title("price of the margin variance")

# %%
# The duality gap after each step of the last fit.

from largemargin import ConvergenceDisplay

ConvergenceDisplay.from_estimator(search)
plt.title("the last fit")
plt.show()
