"""
Probabilities that agree with the predictions
=============================================

``calibrate`` adds probabilities to a fitted classifier and leaves its predictions as they
are. This example draws a reliability curve on rows that were not used for training, then
saves the model to a file and loads it again.
"""

# %%
# The rows are two overlapping classes of simulated data.

from sklearn.datasets import make_moons

X, y = make_moons(1500, noise=0.35, random_state=0)
X_train, y_train, X_test, y_test = X[:500], y[:500], X[500:], y[500:]

# %%
# A search has already scored each training row by a model that had not seen it.
# ``calibrate`` uses these scores, so nothing is fitted again.

from largemargin import LDMClassifierCV, calibrate

search = LDMClassifierCV(
    Cs=[0.1, 1, 10], gammas=["scale"], lambda_vars=["10*scale", "30*scale"]
).fit(X_train, y_train)
calibrated = calibrate(search, X_train, y_train)
print("same predictions:", (calibrated.predict(X_test) == search.predict(X_test)).all())

# %%
# Where the curve is near the diagonal, rows with a predicted probability of 70 % do belong
# to the class in about 70 % of the cases.

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay

figure, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
CalibrationDisplay.from_estimator(calibrated, X_test, y_test, n_bins=10, ax=ax, name="LDM")
ax.set_title("reliability on 1,000 test rows")
plt.show()

# %%
# A model file holds arrays and parameters, no code: loading one runs nothing.

from pathlib import Path
from tempfile import TemporaryDirectory

from largemargin import model_files

with TemporaryDirectory() as folder:
    path = Path(folder) / "moons.model"
    model_files.save(calibrated, path)
    loaded = model_files.load(path)
print(loaded.predict_proba(X_test[:3]).round(2))
