import numpy as np
import pytest
from numpy.testing import assert_array_equal

from study.splits import N_FOLDS, draw_split, draw_stratified


def labels(n_negative, n_positive):
    return np.repeat([-1.0, 1.0], [n_negative, n_positive])


@pytest.mark.parametrize("n_rows", [40, 41])
def test_halves_share_all_rows_between_them(n_rows):
    train, test, _ = draw_split("heart", labels(n_rows - 15, 15), 0)
    assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n_rows))
    assert len(train) == n_rows // 2


def test_folds_share_the_training_half_between_them():
    split = draw_split("heart", labels(25, 20), 0)
    tested = np.concatenate([test for _, test in split.folds])
    assert_array_equal(np.sort(tested), np.arange(len(split.train)))
    for train, test in split.folds:
        assert_array_equal(np.union1d(train, test), np.arange(len(split.train)))
        assert len(np.intersect1d(train, test)) == 0


def test_folds_deal_out_both_classes_evenly():
    y = labels(60, 40)
    split = draw_split("heart", y, 0)
    counts = [np.count_nonzero(y[split.train][test] > 0) for _, test in split.folds]
    assert max(counts) - min(counts) <= 1


def test_halves_differ_between_sets_and_between_repetitions():
    y = labels(30, 20)
    drawn = {
        tuple(draw_split(name, y, repetition).train)
        for name in ("vote", "house")
        for repetition in range(10)
    }
    assert len(drawn) == 20


def test_halves_are_plain_random_ones_not_stratified():
    y = labels(50, 50)
    counts = {np.count_nonzero(y[draw_split("heart", y, k).train] > 0) for k in range(20)}
    assert len(counts) > 3


@pytest.mark.parametrize("repetition", range(20))
def test_a_rare_class_is_in_both_halves_and_in_what_every_fold_trains_on(repetition):
    y = labels(37, 3)
    split = draw_split("rare", y, repetition)
    assert set(y[split.test]) == {-1.0, 1.0}
    for train, _ in split.folds:
        assert set(y[split.train][train]) == {-1.0, 1.0}


@pytest.mark.parametrize("counts", [(38, 2), (4, 5), (20, 0)])
def test_a_set_too_small_to_be_halved_is_an_error_that_says_so(counts):
    with pytest.raises(ValueError, match="tiny is too small"):
        draw_split("tiny", labels(*counts), 0)


def test_every_fold_has_rows_to_score_in_the_smallest_set_that_is_taken():
    _, _, folds = draw_split("small", labels(5, 5), 0)
    assert len(folds) == N_FOLDS
    assert all(len(test) == 1 for _, test in folds)


def test_stratified_rows_have_the_shares_of_all_classes_and_no_row_twice():
    y = np.repeat([0, 1, 2], [60, 30, 10])
    train, test = draw_stratified("heart", y, 0, 50, 20)
    assert_array_equal(np.bincount(y[train]), [30, 15, 5])
    assert_array_equal(np.bincount(y[test]), [12, 6, 2])
    assert not set(train) & set(test)
    again, _ = draw_stratified("heart", y, 0, 50, 20)
    assert_array_equal(train, again)
    assert set(train) != set(draw_stratified("heart", y, 1, 50, 20)[0])
