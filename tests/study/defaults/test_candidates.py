import numpy as np
import pytest
from sklearn.base import clone

from largemargin import LDMClassifierCV, LinearLDMClassifierCV
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


def test_a_search_has_the_prices_of_its_name_and_the_svm_last():
    y = (X[:, 0] > 0).astype(int)
    search = METHODS["LDM search, squared, k 0 .3 / 0 .3"].make(X).fit(X, y)
    results = search.cv_results_
    points = list(
        zip(results["param_lambda_var"], results["param_lambda_mean"], strict=True)
    )
    ldm = [("30*scale", 0.0), ("30*scale", "30*scale")]
    assert points == ldm * 32 + [(0.0, 0.0)] * 32
    assert search.loss == "squared_hinge"


@pytest.mark.parametrize(
    ("name", "search"),
    [
        ("LDM search, squared, k 0 .3 / 0", LDMClassifierCV(cv=3)),
        ("LDM search, squared, 320 points", LDMClassifierCV("wide", cv=3)),
        ("linear LDM search, squared, 80 points", LinearLDMClassifierCV(cv=3)),
    ],
)
def test_these_searches_are_those_of_the_named_grids(name, search):
    y = (X[:, 0] > 0).astype(int)
    studied = METHODS[name].make(X).set_params(cv=3).fit(X, y)
    assert studied.cv_results_["params"] == search.fit(X, y).cv_results_["params"]
