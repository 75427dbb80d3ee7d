"""Certificates: what they say about other bounds and points."""

import numpy as np

from largemargin.problem.points import Certificate


def test_the_gap_is_relative_to_the_sum_of_the_terms():
    assert Certificate(3.0, 0.5, 10.0).relative == 0.05
    assert Certificate(0.0, 0.0, 0.0).relative == 0.0
    assert Certificate(0.0, 0.5, 0.0).relative == np.inf


def test_a_lower_bound_only_shrinks_the_gap():
    found = Certificate(3.0, 0.5, 10.0)
    assert found.above(2.8).gap == 3.0 - 2.8
    assert found.above(1.0).gap == 0.5
    assert found.above(3.5).gap == 0.0


def test_another_point_of_a_larger_objective_has_a_larger_gap():
    found = Certificate(3.0, 0.5, 10.0)
    assert found.at(3.25) == Certificate(3.25, 0.75, 10.0)
    assert found.at(2.0) == Certificate(2.0, 0.5, 10.0)
