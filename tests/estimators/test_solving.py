"""What two runs of one fit leave together."""

from largemargin.estimators.solving import joined


def test_the_seconds_of_a_second_run_come_after_those_of_the_first():
    first = {"objective": [3.0, 2.0], "duality_gap": [0.5, 0.25], "seconds": [1.0, 2.0]}
    second = {"objective": [1.0], "duality_gap": [0.125], "seconds": [0.5]}
    both = joined(first, second)
    assert both["objective"] == [3.0, 2.0, 1.0]
    assert both["duality_gap"] == [0.5, 0.25, 0.125]
    assert both["seconds"] == [1.0, 2.0, 2.5]
