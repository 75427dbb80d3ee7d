"""The table holds every estimator, and the lists of them follow from it."""

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module

import click
import pytest
from sklearn.base import BaseEstimator

import largemargin
from largemargin.cli.machine_options import build_machine, build_search
from largemargin.cli.warm_up import warming_fits
from largemargin.estimators import table
from largemargin.estimators.table import MACHINES, METHODS
from largemargin.production.model_files.trust import TRUSTED
from study.methods import STUDIED


def classes_with_a_fit():
    """Return every class of the package that is fitted and that no other is based on."""
    found = set()
    for module in pkgutil.walk_packages(largemargin.__path__, "largemargin."):
        if not module.name.endswith("__main__"):
            things = vars(import_module(module.name)).values()
            found |= {thing for thing in things if inspect.isclass(thing)}
    ours = {one for one in found if one.__module__.startswith("largemargin.")}
    fitted = {one for one in ours if issubclass(one, BaseEstimator) and hasattr(one, "fit")}
    return {one for one in fitted if not fitted.intersection(one.__subclasses__())}


def test_every_class_with_a_fit_is_in_the_table_at_its_place():
    places = {one.__name__: one.__module__ for one in classes_with_a_fit()}
    parts = {name: table.PARTS[name] for name in ("GivenScores", "PairMap")}
    listed = {**table.ESTIMATORS, **parts}
    assert places == {name: f"largemargin.{module}" for name, module in listed.items()}


def test_what_is_in_the_table_is_public_and_what_is_only_kept_in_files_is_not():
    for name in table.ESTIMATORS:
        assert name in largemargin.__all__
    for name, module in table.PARTS.items():
        assert name not in largemargin.__all__
        part = getattr(import_module(f"largemargin.{module}"), name)
        assert getattr(largemargin, name) is part


def test_the_table_is_read_without_loading_an_estimator():
    code = "import sys, largemargin.estimators.table; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = set(told.stdout.split())
    assert "largemargin.estimators.table" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "numba", "click"}


def test_model_files_may_hold_what_is_in_the_table():
    ours = {name.rpartition(".")[2] for name in TRUSTED if name.startswith("largemargin.")}
    assert ours == {*table.ESTIMATORS, *table.PARTS}


def test_every_estimator_has_an_onnx_converter():
    from skl2onnx import supported_converters

    from largemargin.production.onnx import register_converters

    register_converters()
    assert {f"LargeMargin{name}" for name in table.ESTIMATORS} <= {*supported_converters()}


def test_the_warm_up_fits_every_machine_in_all_its_variants():
    warmed = [
        (type(machine).__name__, machine.get_params()) for machine, *_ in warming_fits()
    ]
    for one in MACHINES:
        for options in one.variants:
            same = [
                params
                for name, params in warmed
                if name == one.name and options.items() <= params.items()
            ]
            assert len(same) >= 2


CLASSIFYING = [one for one in MACHINES if one.task == "classes"]


@pytest.mark.parametrize("one", CLASSIFYING, ids=lambda one: one.name)
def test_the_command_line_makes_every_machine(one):
    for kernel in one.kernels:
        machine = build_machine(one.method, kernel, {})
        assert type(machine) is getattr(largemargin, one.name)
    assert (table.search_for(machine) is None) == (not one.has_search)


SEARCHED = [name for name in METHODS if table.search_for(METHODS[name].machine("linear"))]


@pytest.mark.parametrize("name", SEARCHED)
@pytest.mark.parametrize("kernel", table.BOTH)
@pytest.mark.parametrize("grid", ["scale", "paper"])
def test_the_search_of_a_machine_is_found_through_the_table(name, kernel, grid):
    machine = build_machine(name, kernel, {"C": 3.0})
    if name == "odm" and grid == "paper":
        with pytest.raises(click.BadParameter, match="expected scale; got paper"):
            build_search(machine, name, grid, {}, 0)
        return
    search = build_search(machine, name, grid, {"C": 3.0}, 0)
    assert type(search).__name__ == f"{type(machine).__name__}CV"
    assert type(search).__name__ in table.SEARCHES
    assert search.Cs == [3.0]
    assert search.get_params().get("grid", grid) == grid
    for parameter, value in METHODS[name].fixed.items():
        assert getattr(search, f"{parameter}s") == [value]


def test_the_study_names_methods_of_the_table():
    for name in METHODS.keys() & STUDIED.keys():
        assert STUDIED[name].machines == METHODS[name].machines
