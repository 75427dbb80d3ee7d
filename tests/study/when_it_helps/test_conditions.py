import pytest

from study.defaults.candidates import METHODS
from study.defaults.sets import SETS, TABLE
from study.when_it_helps.comparison import SVMS
from study.when_it_helps.conditions import CONDITIONS, SMALL_SETS


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_compares_known_methods_with_an_svm(name):
    one = CONDITIONS[name]
    assert set(one.methods) <= set(METHODS)
    assert set(one.methods) & set(SVMS)
    assert set(one.methods) - set(SVMS)


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_set_has_rows_to_train_and_to_test_on(name):
    one = CONDITIONS[name]
    for known in (SETS[key] for key in one.sets):
        n_train, n_test = one.sizes(known)
        assert n_train + n_test <= known.rows
        assert n_test >= 200


def test_small_sets_are_chosen_by_their_size_alone():
    binary = {one.name for one in TABLE if one.classes == 2 and 400 <= one.rows <= 800}
    many = {one.name for one in TABLE if one.classes > 2 and 400 <= one.rows <= 1500}
    assert set(SMALL_SETS) == binary | many
    assert len(binary) >= 10
    assert len(many) >= 5
