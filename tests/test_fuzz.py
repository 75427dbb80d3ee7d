from fractions import Fraction
from itertools import count, islice

import numpy as np
import pytest

import fuzz_stubs
from fuzz.exact import EPS, LinearSpace, combine_exactly
from fuzz.judge import judge
from fuzz.machines import GIVEN, LOSSES, MACHINES, ONE_CLASS, QUANTILE, TUBE, fit
from fuzz.objective import poses_of
from fuzz.primal import Machines, element_of
from fuzz.problems import draw, kind_of
from fuzz.report import Report
from fuzz.rows import KINDS
from fuzz.value_poses import value_poses_of
from fuzz.warm_up import easy_problem
from fuzz.workers import Fuzzer

pytestmark = pytest.mark.skipif(EPS > 2e-19, reason="numpy.longdouble is no wider here")

N_PROBLEMS, MAX_ROWS = 64, 60


@pytest.fixture
def drawn():
    """Return a problem of which nobody complains."""
    found = easy_problem(60, "dense", 0.25)
    found.common["tol"] = 1e-6
    return found


def verdicts(drawn, *classes):
    """Return the faults of stubs that are judged together with an honest machine."""
    machines = [fuzz_stubs.HONEST, *map(fuzz_stubs.stub, classes)]
    outcomes = [fit(machine, drawn) for machine in machines]
    return {judged.machine: judged for judged in judge(drawn, machines, outcomes)}


def test_an_honest_machine_is_not_blamed(drawn):
    assert verdicts(drawn)["LinearLDMClassifier"].faults == {}


@pytest.mark.parametrize(
    ("stub", "fault"),
    [
        (fuzz_stubs.ShortGap, "false"),
        (fuzz_stubs.WrongObjective, "objective"),
        (fuzz_stubs.WrongMargins, "margins"),
        (fuzz_stubs.WrongScores, "scores"),
        (fuzz_stubs.NotFinite, "not finite"),
        (fuzz_stubs.Raising, "error"),
        (fuzz_stubs.Singular, "error"),
        (fuzz_stubs.Overflowing, "warning"),
        (fuzz_stubs.Refusing, "disagree"),
    ],
)
def test_the_judge_finds_the_fault_and_spares_the_honest_machine(drawn, stub, fault):
    found = verdicts(drawn, stub)
    assert fault in found[stub.__name__].faults
    assert found["LinearLDMClassifier"].faults == {}


def test_a_gap_that_is_too_small_is_found_without_another_machine(drawn):
    machine = fuzz_stubs.stub(fuzz_stubs.ShortGap)
    assert "false" in judge(drawn, [machine], [fit(machine, drawn)])[0].faults


def test_a_hard_margin_that_is_violated_is_found(drawn):
    drawn.y = (drawn.X[:, 0] > 0).astype(int)
    drawn.prices["C"] = np.inf
    found = verdicts(drawn, fuzz_stubs.SoftMargin)
    assert "hard" in found["SoftMargin"].faults
    assert found["LinearLDMClassifier"].faults == {}


def test_a_wrong_refusal_of_all_machines_is_found(drawn):
    drawn.y = (drawn.X[:, 0] > 0).astype(int)
    drawn.prices["C"] = np.inf
    machine = fuzz_stubs.stub(fuzz_stubs.Refusing)
    assert "disagree" in judge(drawn, [machine], [fit(machine, drawn)])[0].faults


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kernel", GIVEN)
def test_a_gap_that_is_too_small_is_found_on_a_gram_matrix(drawn, kernel, loss):
    drawn.prices["lambda_var"] = "scale"
    (machine,) = (m for m in MACHINES if m.group == (kernel, loss) and m.route == "lone")
    outcome = fit(machine, drawn)
    assert judge(drawn, [machine], [outcome])[0].faults == {}
    outcome.kept["dual_coef"] = 0.99 * outcome.kept["dual_coef"]
    outcome.kept["scores"] = 0.99 * outcome.kept["scores"]
    assert "false" in judge(drawn, [machine], [outcome])[0].faults


def test_fits_that_hang_die_or_fail_are_named_and_the_next_goes_on():
    fuzzer = Fuzzer("fuzz_stubs:MACHINES", jobs=1, deadline=2.0)
    ((_, found),) = fuzzer.run([(0, 0)])
    statuses = {judged.machine: judged.status for judged in found}
    assert statuses.pop("LinearLDMClassifier") in {"converged", "unconverged"}
    assert statuses == {"Hanging": "endless", "Dying": "crash", "Raising": "error"}


VALUE_LOSSES = TUBE, QUANTILE, ONE_CLASS
KERNELS_OF_VALUES = "linear", "rbf", "precomputed"


def fit_values(drawn, kernel, loss):
    """Return a machine of values or of one class, and how its fit ended."""
    machine = next(one for one in MACHINES if one.group == (kernel, loss))
    return machine, fit(machine, drawn)


@pytest.mark.parametrize("kernel", KERNELS_OF_VALUES)
@pytest.mark.parametrize("loss", VALUE_LOSSES)
def test_a_gap_that_is_too_small_is_found_for_values_and_one_class(drawn, loss, kernel):
    drawn.X = drawn.X + 2.0  # else the origin is among the rows of one class
    machine, outcome = fit_values(drawn, kernel, loss)
    assert judge(drawn, [machine], [outcome])[0].faults == {}
    element = "coef" if "coef" in outcome.kept else "dual_coef"
    for name in element, "intercept":
        outcome.kept[name] = 0.98 * outcome.kept[name]
    outcome.kept["scores"] = 0.98 * outcome.kept["scores"]
    assert {"false"} & judged_without_objective(drawn, machine, outcome)


def judged_without_objective(drawn, machine, outcome):
    """Return the faults of a machine whose objective is right by definition."""
    pose = value_poses_of(drawn, machine.loss)[0]
    examiner = Machines(drawn, *machine.group, machine.matrix(drawn), {}, True)
    space = examiner._space([outcome])
    value = pose.on(space).value(
        element_of(space, outcome.kept, 0), outcome.kept["intercept"][0]
    )
    outcome.kept["objective"] = np.array([float(value.objective)])
    mean, variance, _ = pose.moments(value.margins, value.margin_errors)
    outcome.kept |= {
        "margin_mean": np.array([mean]),
        "margin_variance": np.array([variance]),
    }
    return set(judge(drawn, [machine], [outcome])[0].faults)


@pytest.mark.parametrize("loss", [QUANTILE, ONE_CLASS])
def test_a_share_that_is_too_large_is_found(drawn, loss):
    machine, outcome = fit_values(drawn, "rbf", loss)
    shift = -np.abs(outcome.kept["scores"]).max() * np.array([0.5])
    outcome.kept["intercept"] = outcome.kept["intercept"] + shift
    outcome.kept["scores"] = outcome.kept["scores"] + shift
    assert "share" in judge(drawn, [machine], [outcome])[0].faults


def test_a_residual_outside_a_hard_tube_is_found(drawn):
    drawn.regression |= {"C": np.inf, "epsilon": 3.0, "lambda_var": 0.0}
    machine, outcome = fit_values(drawn, "linear", TUBE)
    assert judge(drawn, [machine], [outcome])[0].faults == {}
    outcome.kept["intercept"] = outcome.kept["intercept"] + 9.0
    outcome.kept["scores"] = outcome.kept["scores"] + 9.0
    assert "hard" in judge(drawn, [machine], [outcome])[0].faults


def exact_value_objective(drawn, pose, coef, intercept):
    """Return the objective of a regressor or of one class without rounding at all."""
    coef, intercept = [Fraction(w) for w in coef], Fraction(intercept)
    weight = [Fraction(float(one)) for one in pose.weight]
    margins = [
        sum(Fraction(x) * w for x, w in zip(row, coef, strict=True))
        + intercept
        - Fraction(float(origin))
        for row, origin in zip(drawn.rows, pose.origin, strict=True)
    ]

    def mean(values):
        return sum(s * one for s, one in zip(weight, values, strict=True)) / sum(weight)

    low, high, below, above = map(Fraction, pose.sides)
    losses = [below * max(low - g, 0) + above * max(g - high, 0) for g in margins]
    squares = [g * g for g in margins]
    total = sum(w * w for w in coef) / 2 + Fraction(float(pose.price)) * intercept
    total += 2 * Fraction(float(pose.lambda_var)) * (mean(squares) - mean(margins) ** 2)
    total += Fraction(float(pose.lambda_square)) * mean(squares)
    total -= Fraction(float(pose.lambda_mean)) * mean(margins)
    return total + Fraction(pose.C) * sum(weight) * mean(losses)


@pytest.mark.parametrize("loss", VALUE_LOSSES)
@pytest.mark.parametrize("number", range(20))
def test_the_judge_knows_its_own_rounding_of_values(number, loss):
    drawn = draw(3, number)
    drawn.sample_weight = None
    prices = {"lambda_var": 0.375, "lambda_square": 1.25}
    drawn.regression |= {"C": 0.75, "epsilon": 0.125, "quantile": 0.25, **prices}
    drawn.one_class = {"nu": 0.25, "lambda_var": 0.375, "lambda_mean": 0.5}
    space = LinearSpace(drawn.rows)
    (pose,) = value_poses_of(drawn, loss)
    pose = pose.on(space)
    coef = np.random.default_rng(number).normal(size=drawn.X.shape[1])
    value = pose.value(space.of_coef(coef), 0.1)
    exact = exact_value_objective(drawn, pose, coef, 0.1)
    high = float(value.objective)
    rest = float(value.objective - high)
    assert abs(Fraction(high) + Fraction(rest) - exact) <= Fraction(float(value.error))
    assert value.error <= 1e-13 * value.scale


def exact_objective(drawn, pose, coef, intercept):
    """Return the objective of an SVM without rounding at all."""
    coef, intercept = [Fraction(w) for w in coef], Fraction(intercept)
    total = sum(w * w for w in coef) / 2
    for row, sign, weight in zip(drawn.rows, pose.y, pose.weight, strict=True):
        score = sum(Fraction(x) * w for x, w in zip(row, coef, strict=True)) + intercept
        price = Fraction(pose.C) * Fraction(float(weight))
        total += price * max(Fraction(0), 1 - int(sign) * score)
    return total


@pytest.mark.parametrize("number", range(40))
def test_the_judge_knows_its_own_rounding(number):
    drawn = draw(3, number)
    drawn.y, drawn.sample_weight = drawn.y % 2, None
    drawn.y[:2] = 0, 1
    no_prices = {"C": 0.75, "lambda_var": 0.0, "lambda_mean": 0.0, "class_weight": None}
    drawn.prices |= no_prices
    (pose,) = poses_of(drawn, "hinge")
    rng = np.random.default_rng(number)
    coef = rng.normal(size=drawn.X.shape[1])
    space = LinearSpace(drawn.rows)
    value = pose.value(space.of_coef(coef), 0.1)
    exact = exact_objective(drawn, pose, coef, 0.1)
    # Numbers of 80 bits are fractions of 64 and 64 bits.
    high = float(value.objective)
    rest = float(value.objective - high)
    assert abs(Fraction(high) + Fraction(rest) - exact) <= Fraction(float(value.error))
    assert value.error <= 1e-15 * value.scale + float(1e-17 * value.sizes.sum())


def test_combinations_of_rows_are_exact_whatever_cancels():
    rng = np.random.default_rng(0)
    rows = 1e12 + rng.normal(size=(30, 4)) * 10.0 ** rng.integers(-20, 20, size=(30, 1))
    alpha = rng.normal(size=30)
    alpha = np.concatenate([alpha, -alpha, [1e-30]])
    rows = np.vstack([rows, rows, rows[:1]])
    expected = [float(Fraction(1e-30) * Fraction(x)) for x in rows[-1]]
    np.testing.assert_array_equal(combine_exactly(alpha, rows).astype(float), expected)


def test_the_same_seed_and_number_draw_the_same_problem():
    for number in range(len(KINDS)):
        one, two = draw(7, number), draw(7, number)
        assert one.describe() == two.describe()
        np.testing.assert_array_equal(one.rows, two.rows)
        np.testing.assert_array_equal(one.values, two.values)
        assert np.isfinite(one.values).all()
        assert np.isfinite(one.rows).all()
        assert len(np.unique(one.y)) > 1


@pytest.mark.slow
def test_no_machine_fails_on_hostile_problems():
    report = Report()
    small = (number for number in count() if len(draw(1, number).y) <= MAX_ROWS)
    numbers = [(1, number) for number in islice(small, N_PROBLEMS)]
    fuzzer = Fuzzer("fuzz_stubs:QUICK", jobs=2)
    for progress, found in fuzzer.run(numbers):
        report.add(progress.seed, progress.number, kind_of(progress.number), found)
    assert set(report.by_machine) == set(fuzz_stubs.NAMES)
    assert report.is_clean, report.show()


@pytest.mark.parametrize(
    ("seed", "number", "active_share", "names"),
    [
        (21, 62, 0.0, ["KOMD linear"]),
        (21, 85, 0.0, ["LinearLDM auto"]),
        (55, 75, 0.0, ["LinearLDM newton", "LinearLDM auto"]),
        (101, 11, 0.4, ["LDM rbf tiled squared"]),
        (101, 16, 0.4, ["KOMD linear"]),
        (101, 20, 0.4, ["LDM rbf tiled"]),
        (5, 7, 0.4, ["LinearLDMRegressor auto quantile"]),
        (5, 54, 0.4, ["OneClassLDM linear"]),
        (201, 84, 0.4, ["OneClassLDM poly", "OneClassLDM poly narrow"]),
    ],
)
def test_what_the_fuzzer_once_found_stays_mended(seed, number, active_share, names):
    drawn = draw(seed, number, active_share)
    machines = [machine for machine in MACHINES if machine.name in names]
    outcomes = [fit(machine, drawn) for machine in machines]
    assert len(outcomes) == len(names)
    assert all(outcome.seconds < 10.0 for outcome in outcomes)
    assert all(judged.faults == {} for judged in judge(drawn, machines, outcomes))
