"""How far the margin of a row may move when the row is left out of the fit."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from largemargin.designs.base import Capability
from largemargin.designs.features import MAX_FACTORED
from largemargin.kernels.gram import gram_product
from largemargin.solvers.equivalent_svm import equivalent_kernel


def farthest_moves(problem, beta, margins) -> np.ndarray:
    """Return how far the margin of each row may move if the row is left out.

    Without row i the gradient changes by ``v = a z - e d`` with ``a = s (beta + reward)``,
    ``d = z - zbar`` and ``e = k (g - Mean(g))``, and the metric Q loses ``k d d'``, where
    ``k = spread s S / (S - s)``. The margin falls by at most ``|v| |z|``, in the metric
    without the row.
    """
    own, to_mean = metric_products(problem)
    weight, total = problem.weight, problem.total
    loss = problem.spread * weight * total / np.maximum(total - weight, 1e-300)
    pull = weight * (beta + problem.reward)
    scatter = loss * problem.centred(margins)
    # Inner products of z and d, in the metric of all rows.
    z_d, d_d = own - to_mean, own - 2.0 * to_mean + problem.mean(to_mean)
    v_d = pull * z_d - scatter * d_d
    v_v = pull**2 * own - 2.0 * pull * scatter * z_d + scatter**2 * d_d
    # Without the row the metric is smaller, so all lengths grow.
    growth = loss / np.maximum(1.0 - loss * d_d, 1e-12)
    v_length = np.sqrt(np.maximum(v_v + growth * v_d**2, 0.0))
    z_length = np.sqrt(np.maximum(own + growth * z_d**2, 0.0))
    return v_length * z_length


def metric_products(problem) -> tuple[np.ndarray, np.ndarray]:
    """Return the inner products of each row with itself and with the mean of all rows.

    They are taken in the metric of the prices, so the first are the diagonal of H.
    """
    design = problem.design
    if design.has_any(Capability.INNER_PRODUCTS) and design.n_features > MAX_FACTORED:
        problem = problem.on(design.as_gram_design())
    if not problem.design.has_any(Capability.GRAM):
        return row_products(problem)
    matrix = problem.design.gram_matrix
    if problem.prices.lambda_var > 0:
        matrix = equivalent_kernel(problem).matrix
    share = problem.sign * problem.weight / problem.total
    to_mean = problem.sign * gram_product(matrix, share)
    return np.diagonal(matrix).astype(np.float64), to_mean


def row_products(problem) -> tuple[np.ndarray, np.ndarray]:
    """Return the same products for explicit rows, from the metric of their features.

    The intercept is one more feature: a constant, which the norm leaves out.
    """
    design, weight = problem.design, problem.weight
    moment = design.second_moment(weight)
    moment = np.tril(moment) + np.tril(moment, -1).T
    mean = design.combine(problem.sign * weight)
    norm = np.ones(design.n_features)
    if problem.fit_intercept:
        ones = design.combine(weight)
        moment = np.block([[moment, ones[:, None]], [ones, problem.total]])
        mean = np.append(mean, problem.sign @ weight)
        norm = np.append(norm, 0.0)
    covariance = moment - np.outer(mean, mean) / problem.total
    metric = np.diag(norm) + problem.spread * covariance
    root = solve_triangular(cholesky(metric, lower=True), np.eye(len(metric)), lower=True)
    own, to_mean = np.zeros(design.n_rows), np.zeros(design.n_rows)
    for line in root:
        constant = line[-1] if problem.fit_intercept else 0.0
        values = problem.sign * (design.scores(line[: design.n_features]) + constant)
        own += values**2
        to_mean += values * problem.mean(values)
    return own, to_mean
