"""Values that options accept, and how options treat columns of words."""

from numbers import Real

import pytest

from largemargin._compat import Interval, StrOptions
from largemargin.cli.group import COMMANDS
from largemargin.cli.machine_options import expected_values


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c", "-1"], "-c: expected a number of at least 0 or loo; got -1.0."),
        (["-c", "nan"], "-c: expected a number of at least 0 or loo; got nan."),
        (["-g", "-1"], "-g: expected a number above 0 or a multiple of scale such as"),
        (["-d", "-1"], "-d: expected a whole number of at least 0; got -1."),
        (["-e", "0"], "-e: expected a number above 0; got 0.0."),
        (["--lambda-var", "-1"], "--lambda-var: expected a number of at least 0 or a"),
        (["--max-iter", "0"], "--max-iter: expected a whole number of at least 1; got 0."),
        (["--solver", "foo"], "--solver: expected auto, dual_cd or kernel_dual; got foo."),
        (["--method", "odm", "--set", "mu=3"], "--set mu: expected a number of at least 0"),
        (["--set", "warm_start=1"], "--set has no warm_start"),
        (["--seed", "-1"], "'--seed': -1 is not in the range"),
        (["--seed", "4294967296"], "'--seed': 4294967296 is not in the range"),
        (["--jobs", "0"], "'--jobs': expected 1 or more, or -1 for all cores; got 0."),
        (["--jobs", "-2"], "'--jobs': expected 1 or more, or -1 for all cores; got -2."),
    ],
)
def test_a_value_out_of_range_is_a_usage_error_before_rows_are_read(
    refused, tmp_path, arguments, words
):
    told = refused("train", "nowhere.csv", "-o", tmp_path / "m", *arguments, code=2)
    assert words in told


def test_what_a_parameter_takes_is_said_in_words():
    constraints = [Interval(Real, 0, 1, closed="left"), StrOptions({"median"}), None]
    assert expected_values(constraints) == "a number of at least 0 and below 1 or median"


def test_values_at_the_ends_of_their_ranges_are_taken(good, libsvm, tmp_path):
    ends = "-c", "inf", "-d", "0", "--lambda-var", "0", "--lambda-mean", "0"
    ends += "--jobs", "-1", "--seed", "4294967295", "-g", "0.3*scale"
    good("train", libsvm, "-o", tmp_path / "m", *ends)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json(good, name):
    assert "--json" in good(name, "--help").out


@pytest.fixture
def rare(tmp_path, flowers):
    """A table with a column that has a word in one row only, so in few folds."""
    path = tmp_path / "rare.csv"
    flowers["note"] = None
    flowers.loc[3, "note"] = "odd"
    flowers[["petal length", "note", "colour", "species"]].to_csv(path, index=False)
    return path


def test_a_column_of_words_may_be_empty_in_a_fold(good, rare):
    told = good("train", rare, "-v", "3", "--missing", "impute", "--json")
    assert told.record["accuracy"] > 0.8


def test_probabilities_need_no_word_in_every_fold(good, rare, tmp_path):
    path = tmp_path / "m"
    options = "--missing", "impute", "-t", "linear"
    good("train", rare, "-o", path, *options, "--cv", "--probability")
    assert good("evaluate", path, rare, "--json").record["accuracy"] > 0.9


def test_methods_are_compared_with_an_empty_column_in_a_fold(good, rare):
    options = "--missing", "impute", "--methods", "mamc", "-v", "2"
    (result,) = good("compare", rare, *options, "--json").record["results"]
    assert result["accuracy"] > 0.8


def test_a_missing_word_is_filled_in_by_the_commonest(good, flowers, tmp_path):
    flowers.loc[3, "colour"] = None
    table, filled, model = (tmp_path / name for name in ("a.csv", "b.csv", "m"))
    flowers.to_csv(table, index=False)
    flowers.fillna({"colour": "blue"}).to_csv(filled, index=False)
    good("train", table, "-o", model, "--missing", "impute")
    scores = [good("predict", model, one, "--scores").out for one in (table, filled)]
    assert scores[0] == scores[1]
