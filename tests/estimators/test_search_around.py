"""A search that takes what it does not search from an estimator."""

import numpy as np
import pytest

from largemargin import LDMRegressor, LDMRegressorCV, ODMClassifier, ODMClassifierCV


def test_a_search_around_a_machine_takes_default_values_and_its_own_parameters():
    machine = ODMClassifier(3.0, tol=1e-6)
    search = ODMClassifierCV.around(machine, mu=None, cv=3, refit=False)
    assert (search.Cs, search.mus, search.cv, search.tol) == ([3.0], None, 3, 1e-6)
    assert not search.refit
    with pytest.raises(ValueError, match="can be searched; got 'kernel'"):
        ODMClassifierCV.around(machine, kernel=["rbf"])


def test_a_search_around_a_self_tuned_machine_says_which_values_it_lacks():
    search = LDMRegressorCV.around(LDMRegressor(), C=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"gammas .* 'loo'.* None, the default grid"):
        search.fit(np.eye(9), np.arange(9.0))
    assert LDMRegressorCV.around(LDMRegressor(), C=[1.0], gamma=None).gammas is None
