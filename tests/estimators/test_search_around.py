"""A search that takes what it does not search from an estimator."""

import pytest

from largemargin import ODMClassifier, ODMClassifierCV


def test_a_search_around_a_machine_takes_default_values_and_its_own_parameters():
    machine = ODMClassifier(3.0, tol=1e-6)
    search = ODMClassifierCV.around(machine, mu=None, cv=3, refit=False)
    assert (search.Cs, search.mus, search.cv, search.tol) == ([3.0], None, 3, 1e-6)
    assert not search.refit
    with pytest.raises(ValueError, match="can be searched; got 'kernel'"):
        ODMClassifierCV.around(machine, kernel=["rbf"])
