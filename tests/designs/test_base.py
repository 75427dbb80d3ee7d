"""Every design keeps the contract of ``designs.base``, and has what it declares."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin.designs.base import Capability, Design, MissingCapability
from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import KernelRows, TiledDesign
from largemargin.designs.sparse import SparseDesign
from largemargin.kernels.functions import Kernel
from largemargin.numerics.rounding import growth
from largemargin.problem import Prices, Problem, Targets
from largemargin.solvers import SOLVERS, solve

X = np.random.default_rng(0).normal(size=(12, 3))
X[X < -0.8] = 0.0
GRAM = X @ X.T
DESIGNS = {
    "dense": DenseDesign(X),
    "narrow": DenseDesign(X.astype(np.float32)),
    "sparse": SparseDesign(sp.csr_matrix(X)),
    "gram": GramDesign(GRAM, entry_error=growth(5)),
    "kernel rows": KernelRows(Kernel("linear"), X),
    "tiled": TiledDesign(Kernel("linear"), X),
}
PARTS = {
    Capability.FEATURES: ["n_features", "outer_products", "squared_columns", "zeros"],
    Capability.ROWS: ["rows", "n_features", "sweeps_are_cheap"],
    Capability.GRAM: ["gram_matrix", "damped_inverse", "on_features", "once_for"],
    Capability.PRODUCTS: ["low_rank", "surrogate", "pass_seconds"],
    Capability.INNER_PRODUCTS: ["as_gram_design"],
    Capability.REMOVAL: ["without", "score_of"],
}


@pytest.fixture(params=DESIGNS)
def design(request):
    return DESIGNS[request.param]


def test_a_design_has_what_it_declares(design):
    for capability in Capability:
        has_all = all(hasattr(design, name) for name in PARTS[capability])
        assert design.has_any(capability) <= has_all


def test_combinations_and_scores_are_those_of_the_rows(design):
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 12))
    if type(design) is KernelRows:  # made for examinations, it combines nothing
        assert_allclose(design.scores(first), GRAM @ first, atol=1e-10)
        return
    v, w = design.combine(first), design.combine(second)
    assert_allclose(design.scores(w), GRAM @ second, rtol=1e-5)
    assert_allclose(design.inner(v, w), first @ GRAM @ second, rtol=1e-5)
    assert_allclose(design.inner(v, w, design.scores(w)), design.inner(v, w))
    assert_allclose(design.squared_norms(), np.diagonal(GRAM), rtol=1e-5)
    assert_allclose(design.scores(design.zeros()), 0.0)


def test_measures_bound_their_errors(design):
    alpha = np.random.default_rng(2).normal(size=12)
    is_row = design.has_any(Capability.FEATURES)
    w = X.T @ alpha if is_row else alpha
    rows = design.X.astype(np.longdouble) if is_row and hasattr(design.X, "astype") else X
    rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.longdouble)
    element = w if is_row else X.T.astype(np.longdouble) @ alpha
    exact = rows @ element
    measured = design.measure(w)
    close = design.measure_closely(w, measured, np.ones(12, bool))
    for one in measured, close:
        assert (np.abs(one.scores - exact) <= one.errors).all()
        assert abs(one.square - element @ element) <= one.square_error
    forces = np.random.default_rng(3).normal(size=12)
    left = np.sqrt(float(np.sum((element - rows.T @ forces) ** 2)))
    for closely in False, True:
        bound = design.slope_length(w, forces, np.zeros(12), closely)
        assert left <= bound <= left * (1 + 1e-6)


def test_capabilities_say_what_the_removal_of_a_row_leaves(design):
    if not design.has_any(Capability.REMOVAL):
        return
    rest = design.without(4)
    kept = np.arange(12) != 4
    alpha = np.random.default_rng(3).normal(size=11)
    w = rest.combine(alpha)
    assert_allclose(rest.scores(w), GRAM[np.ix_(kept, kept)] @ alpha, rtol=1e-4, atol=1e-6)
    assert design.score_of(4, w, kept) == pytest.approx(GRAM[4, kept] @ alpha, rel=1e-4)


def test_an_inverse_without_a_row_follows_from_that_of_all():
    design, weight = GramDesign(GRAM), np.linspace(0.5, 2.0, 12)
    kept = np.arange(12) != 4
    derived = design.without(4, weight).damped_inverse(weight[kept], 0.3)
    own = design.without(4).damped_inverse(weight[kept], 0.3)
    assert_allclose(derived, own, rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_serves_a_design_or_says_what_is_missing(design, solver):
    sign = np.where(np.arange(12) % 2, 1.0, -1.0)
    targets, weight = Targets.of_classes(sign), np.ones(12)
    problem = Problem(design, targets, weight, Prices(1.0, 1.0, 0.1))
    if design.has_any(*SOLVERS[solver].needs):
        solution = solve(problem, solver, tol=1e-6, rng=np.random.default_rng(0))
        assert np.isfinite(solution.certificate.gap)
        return
    message = f"solver='{solver}' needs .*; {type(design).__name__} does not have that"
    with pytest.raises(MissingCapability, match=message):
        solve(problem, solver, tol=1e-6)


def test_a_design_that_declares_nothing_serves_nobody():
    with pytest.raises(MissingCapability, match="a Gram matrix in memory, or elements"):
        Design().require("solver='auto'", *SOLVERS["auto"].needs)
