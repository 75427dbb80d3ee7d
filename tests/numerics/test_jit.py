"""Loops are compiled when they are first called, with the loops that they call."""

import threading

import numpy as np

from largemargin.numerics.jit import JIT, SUM, njit


@njit(**SUM)
def summed(values):
    """Return the sum of all values."""
    total = 0.0
    for value in values:
        total += value
    return total


@njit(**JIT)
def fill_with_sum(values, out):
    """Fill ``out`` with the sum of all values."""
    out[:] = summed(values)


def test_a_loop_calls_other_loops_and_remembers_its_name():
    out = np.zeros(2)
    fill_with_sum(np.arange(4.0), out)
    assert out.tolist() == [6.0, 6.0]
    assert fill_with_sum.__name__ == "fill_with_sum"
    assert fill_with_sum.__doc__.startswith("Fill")


def test_a_loop_is_compiled_once_however_many_threads_call_it():
    made = []

    @njit(**{**JIT, "cache": False})
    def double(x):
        return 2.0 * x

    results = [0.0] * 4

    def call(k):
        results[k] = double(k)
        made.append(double.compiled)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0.0, 2.0, 4.0, 6.0]
    assert len(set(map(id, made))) == 1
