"""scikit-learn's own checks, for every solver, with nothing expected to fail.

The sample-weight checks compare two fits to 1e-7, so there the solvers that converge slowly
get a tolerance to match, and may say that unscaled rows keep them from it.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import largemargin
from every_estimator import some
from largemargin.estimators.table import MACHINES, SEARCHES

SLOW = {"dual_cd": {"tol": 1e-14}}


def variants():
    """Yield every machine by each of its solvers, and every search."""
    for machine in MACHINES:
        for options in machine.variants:
            # The checks make rows, not Gram matrices.
            if options.get("kernel") != "precomputed":
                yield getattr(largemargin, machine.name)(**options)
    for name in SEARCHES:
        yield some(name, Cs=[1, 10], cv=3, random_state=None)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(list(variants()))
def test_scikit_learn_checks_pass(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__:
        estimator.set_params(**SLOW.get(estimator.get_params().get("solver"), {}))
    check(estimator)
