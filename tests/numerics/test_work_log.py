"""What fits log about their work."""

import logging

from sklearn.datasets import make_moons

from largemargin.numerics.work_log import log_work, timed
from machines import fixed_ldm


def test_numbers_are_part_of_the_record(caplog):
    with caplog.at_level(logging.DEBUG, logger="largemargin.work"):
        log_work(products=3)
        with timed("seconds"):
            pass
    first, second = (record.work for record in caplog.records)
    assert first == {"products": 3}
    assert second["seconds"] >= 0


def test_a_fit_at_active_prices_logs_its_products_and_its_rank(caplog):
    X, y = make_moons(2100, noise=0.3, random_state=0)  # too many for sweeps
    machine = fixed_ldm(C=10, lambda_var="10*scale")
    machine.fit(X, y)
    assert not caplog.records
    with caplog.at_level(logging.DEBUG, logger="largemargin.work"):
        machine.fit(X, y)
    work = {name: value for record in caplog.records for name, value in record.work.items()}
    assert work["products"] >= 1
    assert work["rank"] >= 1
    names = {"gram_seconds", "factor_seconds", "start_seconds", "solve_seconds"}
    assert names < set(work)
    assert work["solve_seconds"] >= work["start_seconds"] > 0
