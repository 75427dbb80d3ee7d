"""Rows in a random order that is always the same, for compiled sweeps."""

import numpy as np

from largemargin.numerics.jit import JIT, njit


@njit(**JIT)
def draw_row(order, n_drawn, n_rows, chance):
    """Return a row that was not drawn yet, and move it to the end of those that were.

    The first ``n_rows`` of ``order`` are drawn from, of which ``n_drawn`` come first that
    were drawn. ``chance`` has one number of 64 bits, the state of a linear congruential
    generator.
    """
    chance[0] = chance[0] * np.uint64(6364136223846793005) + np.uint64(1)
    draw = (chance[0] >> np.uint64(33)) * np.uint64(n_rows - n_drawn)
    place = np.uint64(n_drawn) + (draw >> np.uint64(31))
    row = order[place]
    order[place] = order[n_drawn]
    order[n_drawn] = row
    return row
