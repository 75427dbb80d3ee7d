"""``cv_results_`` has the form that ``GridSearchCV`` gives it."""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV

from largemargin import LinearLDMClassifier, LinearLDMClassifierCV


def test_results_have_the_keys_types_and_values_of_scikit_learn(iris):
    grid = {"C": [1, 10], "lambda_var": [0.0, "scale"], "lambda_mean": [0.5]}
    expected = GridSearchCV(LinearLDMClassifier(tol=1e-8), grid, cv=3).fit(*iris)
    values = {f"{name}s": some for name, some in grid.items()}
    found = LinearLDMClassifierCV(**values, cv=3, tol=1e-8).fit(*iris)
    assert list(found.cv_results_) == list(expected.cv_results_)
    assert found.cv_results_["params"] == expected.cv_results_["params"]
    for name, array in expected.cv_results_.items():
        own = found.cv_results_[name]
        assert type(own) is type(array)
        if name != "params":
            assert own.dtype == array.dtype, name
        if name.startswith(("param_", "rank", "split")):
            assert_array_equal(np.ma.getmask(own), np.ma.getmask(array))
            assert_array_equal(own, array)
