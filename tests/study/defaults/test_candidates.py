import numpy as np
import pytest
from sklearn.base import clone

from study.defaults.candidates import METHODS, PLAIN, SEARCHED, chosen_by, price

X = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_makes_an_estimator(name):
    machine = METHODS[name].make(X)
    assert clone(machine).get_params().keys() == machine.get_params().keys()


def test_every_method_has_its_support_vector_machines():
    for method in METHODS.values():
        assert METHODS[PLAIN[method.kernel]].part == "reference"
        assert METHODS[SEARCHED[method.kernel]].part == "reference"
        assert method.as_binary is None or METHODS[method.as_binary].as_binary is None


def test_prices_are_in_units_of_c_and_the_number_of_rows():
    assert price(0.1, "lambda_var") == "10*scale"
    assert price(0.0, "lambda_var") == 0.0


def test_what_a_self_tuning_machine_chose_is_known():
    y = (X[:, 0] > 0).astype(int)
    fitted = METHODS["loo, squared, k 0.1"].make(X).fit(X, y)
    assert chosen_by(fitted) == {"C": fitted.C_, "gamma": fitted.gamma_}
    assert chosen_by(METHODS["SVC"].make(X).fit(X, y)) == {}


def test_a_small_search_has_the_prices_and_the_loss_of_its_name():
    search = METHODS["LDM search, squared, k 0 .3 / 0"].make(X)
    assert list(search.lambda_vars) == [0.0, "30*scale"]
    assert list(search.lambda_means) == [0.0]
    assert search.loss == "squared_hinge"
