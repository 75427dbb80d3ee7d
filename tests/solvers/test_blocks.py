"""The seam for rows that are elsewhere: a smoothed problem whose rows are in blocks.

``solve_newton`` iterates numbers; all that has one number per row belongs to the smoothed
problem. Here is another one, for hinge machines of few features with a free intercept. A
block is a pure function of its rows and a request of a few short vectors, and answers in
sums; it remembers nothing, so its dual variables are made anew from the history of points
at which the anchor followed.
"""

import pickle
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from largemargin.designs.dense import DenseDesign
from largemargin.problem import Prices, Problem, Targets
from largemargin.problem.certificate import Certificate, Certified
from largemargin.problem.smoothed import Look
from largemargin.solvers.newton import solve_newton
from largemargin.solvers.solution import Run, Start

N_FEATURES = 4
# None is the length of a vector or the size of a matrix that a block answers with.
BLOCK_ROWS = 37, 61, 112


class Rows(NamedTuple):
    """The rows of one block."""

    X: np.ndarray
    sign: np.ndarray
    weight: np.ndarray


class MomentRequest(NamedTuple):
    """Ask for the mean signed row or, given that, for the second moment about it."""

    mean: np.ndarray | None = None


class LossRequest(NamedTuple):
    """Ask for sums of the smoothed losses at a point, intercept last, or along a direction.

    ``history`` holds the points and lengths of proximal steps that led to the anchor.
    """

    C: float
    history: tuple
    point: np.ndarray
    sigma: float
    direction: np.ndarray | None = None
    lengths: tuple = ()


class LossSums(NamedTuple):
    """What the rows of a block add to the objective, its gap and its derivatives."""

    loss: float
    gap: float
    moved: float
    pull: np.ndarray
    bend: np.ndarray


def visit(rows, request):
    """Answer a request by sums over the rows: a pure function."""
    columns = np.hstack([rows.X.astype(float), np.ones((len(rows.X), 1))])
    signed = rows.sign[:, None] * columns
    if isinstance(request, LossRequest):
        return visit_losses(signed, rows.weight, request)
    if request.mean is None:
        return rows.weight.sum(), rows.weight @ signed
    centred = signed - request.mean
    return centred.T @ (rows.weight[:, None] * centred)


def visit_losses(signed, weight, request):
    C, sigma = request.C, request.sigma
    anchor = np.zeros(len(weight))
    for point, length in request.history:
        anchor = np.clip(anchor + length * (1.0 - signed @ point), 0.0, C)
    margins = signed @ request.point
    if request.direction is not None:
        along = signed @ request.direction
        slopes = []
        for length in request.lengths:
            free = anchor + sigma * (1.0 - margins - length * along)
            bent = weight * sigma * ((free > 0) & (free < C))
            pulls = weight * np.clip(free, 0.0, C) * along
            slopes.append([-pulls.sum(), bent @ along**2, np.abs(pulls).sum()])
        return np.array(slopes)
    free = anchor + sigma * (1.0 - margins)
    beta = np.clip(free, 0.0, C)
    bent = weight * sigma * ((free > 0) & (free < C))
    below, above = np.maximum(1.0 - margins, 0.0), np.maximum(margins - 1.0, 0.0)
    return LossSums(
        C * weight @ below,
        weight @ ((C - beta) * below + beta * above),
        weight @ (beta - anchor) ** 2,
        (weight * beta) @ signed,
        signed.T @ (bent[:, None] * signed),
    )


class Blocks:
    """Rows that are elsewhere: requests travel there as bytes, sums come back."""

    def __init__(self, blocks):
        self._blocks = blocks

    def __call__(self, request):
        """Return the sums over all blocks, each part of the answer added up."""
        sent = pickle.dumps(request)
        answers = [visit(rows, pickle.loads(sent)) for rows in self._blocks]
        for rows, answer in zip(self._blocks, answers, strict=True):
            refuse_rows(answer, len(rows.X))
        if isinstance(answers[0], tuple):
            parts = [sum(part) for part in zip(*answers, strict=True)]
            return LossSums(*parts) if isinstance(request, LossRequest) else parts
        return sum(answers)


def refuse_rows(answer, n_rows):
    """Raise if an answer holds anything but short vectors and small matrices."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        assert np.size(part) != n_rows
        assert all(length <= N_FEATURES + 1 for length in np.shape(part))


class BlockPoint(NamedTuple):
    """A place in the primal space, without scores and margins."""

    w: np.ndarray
    offset: float
    scores: None = None
    margins: None = None


class BlockProblem:
    """A hinge machine with a free intercept on rows in blocks."""

    def __init__(self, blocks, prices):
        self.blocks, self.prices = Blocks(blocks), prices
        self.total, first = self.blocks(MomentRequest())
        self.mean = first / self.total
        self.scatter = self.blocks(MomentRequest(self.mean)) / self.total

    def smoothed(self, start=None):
        return SmoothedBlocks(self, start)

    def stretched(self, point):
        return point


class SmoothedBlocks:
    """What Newton's method drives. Vectors have the intercept as their last number."""

    def __init__(self, problem, start):
        self.problem, self.best = problem, None
        n_numbers = len(problem.mean)
        self.history, self.point = (), np.zeros(n_numbers)
        if start is not None:
            self.history, self.point = start.beta, np.append(start.w, start.offset)
        # Second derivative of the norm and the variance.
        self.curvature = 4.0 * problem.prices.lambda_var * problem.scatter
        self.curvature[np.diag_indices(n_numbers - 1)] += 1.0

    is_smooth = False

    def first_sigma(self, sharpness):
        return self.problem.prices.C * sharpness

    def request(self, sigma, **along):
        return LossRequest(self.problem.prices.C, self.history, self.point, sigma, **along)

    def best_length(self, sigma, direction, **options):
        """Return how far to go along a direction: a visit for each trial."""
        gradient = self.curvature @ self.point
        gradient -= self.problem.prices.lambda_mean * self.problem.mean
        slope, bend = gradient @ direction, direction @ self.curvature @ direction

        def slope_at(length):
            request = self.request(sigma, direction=direction, lengths=(length,))
            value, curvature, size = self.problem.blocks(request)[0]
            size += np.abs(gradient) @ np.abs(direction) + bend * abs(length)
            return value + slope + bend * length, curvature + bend, size

        return find_zero(slope_at, **options)

    def look(self, sigma):
        problem, upwards = self.problem, np.eye(len(self.point))[-1]
        self.point = self.point + self.best_length(sigma, upwards) * upwards
        sums = problem.blocks(self.request(sigma))
        self.sigma, self.bend = sigma, sums.bend
        quadratic = 0.5 * self.point @ self.curvature @ self.point
        reward = problem.prices.lambda_mean * (problem.mean @ self.point)
        gradient = self.curvature @ self.point - problem.prices.lambda_mean * problem.mean
        self.slope = gradient - sums.pull
        square = self.slope[:-1] @ self.slope[:-1]
        primal, scale = quadratic - reward + sums.loss, quadratic + abs(reward) + sums.loss
        certificate = Certificate(primal, sums.gap + 0.5 * square, scale)
        if self.best is None or certificate.gap < self.best.certificate.gap:
            point = BlockPoint(self.point[:-1], self.point[-1])
            history = (*self.history, (self.point, sigma))
            self.best = Certified(point, history, certificate)
        return Look(certificate, square, sums.moved, bool(sums.bend.any()))

    def follow(self):
        self.history = (*self.history, (self.point, self.sigma))

    def step(self, sigma, enough):
        direction = np.linalg.lstsq(self.curvature + self.bend, -self.slope)[0]
        length = self.best_length(sigma, direction, first=1.0, accuracy=0.1)
        self.point = self.point + length * direction
        return length

    def result(self):
        return self.best


def find_zero(slope_at, first=0.0, accuracy=0.0):
    """Return where an increasing function vanishes: Newton's method inside a bracket."""
    low, high, t, stride = -np.inf, np.inf, 0.0, 1.0
    value, bend, size = slope_at(t)
    goal = accuracy * abs(value)
    for trial in range(100):
        if abs(value) <= max(goal, 4e-16 * size):
            break
        low, high = (low, t) if value > 0 else (t, high)
        following = first if trial == 0 and first else t - value / bend if bend > 0 else t
        if not low < following < high:
            stride *= 4.0
            following = high - stride if np.isinf(low) else 0.5 * (low + high)
            following = low + stride if np.isinf(high) else following
        if following == t:
            break
        t = following
        value, bend, size = slope_at(t)
    return t


def drawn(dtype, seed=0):
    rng = np.random.default_rng(seed)
    n_rows = sum(BLOCK_ROWS)
    sign = np.where(rng.random(n_rows) < 0.6, 1.0, -1.0)
    X = (rng.standard_normal((n_rows, N_FEATURES)) + 0.5 * sign[:, None]).astype(dtype)
    weight = rng.uniform(0.3, 3.0, n_rows)
    ends = np.cumsum(BLOCK_ROWS)[:-1]
    parts = zip(*(np.split(part, ends) for part in (X, sign, weight)), strict=True)
    return Rows(X, sign, weight), [Rows(*part) for part in parts]


# C, lambda_var, lambda_mean
PRICES = [(1.0, 0.0, 0.0), (100.0, 0.0, 0.0), (1.0, 30.0, 5.0), (10.0, 0.5, 2.0)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("prices", PRICES)
def test_rows_in_blocks_have_the_solution_of_rows_in_memory(prices, dtype, seed):
    rows, blocks = drawn(dtype, seed)
    prices, targets = Prices(*prices), Targets.of_classes(rows.sign)
    in_memory = Problem(DenseDesign(rows.X), targets, rows.weight, prices)
    expected = solve_newton(in_memory, Run(1e-14, 500))
    found = solve_newton(BlockProblem(blocks, prices), Run(1e-14, 500))
    size = np.linalg.norm(expected.w)
    assert_allclose(found.w, expected.w, rtol=0, atol=1e-10 * size)
    assert_allclose(found.offset, expected.offset, rtol=0, atol=1e-10 * max(size, 1.0))
    assert_allclose(found.certificate.primal, expected.certificate.primal, rtol=1e-12)


def arrays_in(thing):
    """Return all arrays that can be reached, but for the rows in their blocks."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, Blocks):
        return []
    parts = thing if isinstance(thing, tuple) else getattr(thing, "__dict__", {}).values()
    return [array for part in parts for array in arrays_in(part)]


def test_the_driver_holds_no_number_per_row():
    _, blocks = drawn(np.float64)
    problem = BlockProblem(blocks, Prices(1.0, 3.0, 2.0))
    smoothed = problem.smoothed()
    problem.smoothed = lambda start: smoothed
    solution = solve_newton(problem, Run(1e-10, 100))
    assert solution.converged
    arrays = arrays_in(smoothed) + arrays_in(solution)
    assert len(arrays) > 5
    assert max(array.size for array in arrays) <= (N_FEATURES + 1) ** 2 < min(BLOCK_ROWS)


def test_a_run_goes_on_from_the_few_vectors_it_left():
    _, blocks = drawn(np.float64)
    problem = BlockProblem(blocks, Prices(1.0, 3.0, 2.0))
    first = solve_newton(problem, Run(1e-3, 100))
    kept = pickle.loads(pickle.dumps(Start(first.beta, first.w, first.offset)))
    warm = solve_newton(problem, Run(1e-12, 100, kept))
    cold = solve_newton(problem, Run(1e-12, 100))
    assert warm.n_iter < cold.n_iter
    assert_allclose(warm.w, cold.w, rtol=1e-6)
