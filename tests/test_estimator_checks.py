"""scikit-learn's own checks, for every solver, with nothing expected to fail.

The sample-weight checks compare two fits to 1e-7, so there the solvers that converge slowly
get a tolerance to match, and may say that unscaled rows keep them from it.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import largemargin
from every_estimator import some
from largemargin.estimators.table import MACHINES, SEARCHES

# The gap of a smooth loss is the square of an error.
SLOW = {"dual_cd": {"tol": 1e-18}}


def variants():
    """Yield every machine by each of its solvers, with each loss, and every search."""
    for machine in MACHINES:
        make = getattr(largemargin, machine.name)
        for options in machine.variants:
            # The checks make rows, not Gram matrices.
            if options.get("kernel") != "precomputed":
                yield make(**options)
        if machine.task == "classes" and "loss" in make().get_params():
            solvers = {options.get("solver", "auto") for options in machine.variants}
            for solver in sorted(solvers):
                yield make(solver=solver, loss="squared_hinge", random_state=0)
    for name in SEARCHES:
        yield some(name, Cs=[1, 10], cv=3, random_state=None)
    # Pairs of classes are the default.
    for name in "LDMClassifier", "LinearLDMClassifier", "ODMClassifier":
        yield getattr(largemargin, name)(multi_class="ovr")
    yield largemargin.LDMClassifier(C="loo", gamma="loo")
    yield largemargin.LinearLDMClassifier(C="loo")
    # Numbers as prices give it partial_fit.
    prices = {"epsilon": 0.1, "lambda_var": 0.1, "lambda_square": 0.1}
    yield largemargin.LinearLDMRegressor(1.0, **prices)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(list(variants()))
def test_scikit_learn_checks_pass(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__:
        estimator.set_params(**SLOW.get(estimator.get_params().get("solver"), {}))
    check(estimator)
