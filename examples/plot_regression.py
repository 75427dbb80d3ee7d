"""
Quantiles of values whose noise grows
=====================================

A regression predicts one number for each row. Quantiles also tell how far values may be
from it, here where the noise grows from left to right.
"""

# %%
# The rows have one feature. The deviation of the noise is 0.1 at the left end and 0.7 at
# the right one.

import numpy as np

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 1, 400))
y = np.sin(3 * x) + (0.1 + 0.6 * x) * rng.normal(size=400)

# %%
# Three quantiles are fitted on one Gram matrix. ``C="scale"`` is in the units of ``y``.

from largemargin import LDMRegressor

options = {"C": "scale", "loss": "quantile", "gamma": 2.0}
model = LDMRegressor(quantile=[0.1, 0.5, 0.9], **options).fit(x[:, None], y)
low, middle, high = model.predict(x[:, None]).T
print(f"{np.mean((low <= y) & (y <= high)):.0%} of the values are between the outer curves")

# %%
# A price of the variance of the residuals keeps the share of all rows below a quantile.
# But the curves become too wide where the noise is small, and too narrow where it is large.

priced = LDMRegressor(quantile=[0.1, 0.9], lambda_var="10*scale", **options)
apart = priced.fit(x[:, None], y).predict(x[:, None])

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
ax.plot(x, y, ".", color="0.6", markersize=4)
ax.fill_between(x, low, high, alpha=0.2, label="quantiles 0.1 to 0.9")
ax.plot(x, middle, label="median")
ax.plot(x, apart, "k:", linewidth=1, label=["with a price of the variance", None])
ax.set(xlabel="x", ylabel="y", title="quantiles of values whose noise grows")
ax.legend()
plt.show()
