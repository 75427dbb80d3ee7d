import numpy as np
import pytest
from sklearn.base import clone

from study.regression.methods import METHODS, SEARCHED, chosen_by, price

X = np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_makes_an_estimator(name):
    machine = METHODS[name].make(X)
    assert clone(machine).get_params().keys() == machine.get_params().keys()


def test_every_method_has_a_search_and_follows_one_of_its_kernel():
    for method in METHODS.values():
        assert METHODS[SEARCHED[method.kernel]].part == "reference"
        assert method.follows in (None, SEARCHED[method.kernel])


def test_prices_are_in_units_of_c_and_the_number_of_rows():
    assert price(0.1) == "10*scale"
    assert price(0) == 0.0


def test_what_a_method_chose_is_known():
    y = X[:, 0] + 0.1 * np.sin(9 * X[:, 1])
    ours = METHODS["C loo, k 0/0, epsilon loo"].make(X).fit(X, y)
    assert chosen_by(ours)["C"] == ours.C_
    search = METHODS["KernelRidge search"].make(X).fit(X, y)
    assert chosen_by(search).keys() == chosen_by(search)["by_mae"].keys() | {"by_mae"}
    assert chosen_by(METHODS["SVR"].make(X).fit(X, y)) == {}
