"""Points from an interior-point method: one more upper bound on each optimum.

The input is centred and scaled, and the answer is converted to what a machine stores. A
poor answer does no harm: it is evaluated like any other point, and its objective is larger.
"""

import clarabel
import numpy as np
import scipy.sparse as sp

from fuzz.exact import LONG

ACCURACY = 1e-13
TIME_LIMIT = 3.0
NULL = 1e-15
# The method keeps its points within a tube that is narrower by this factor.
INSIDE = 1.0 - 1e-7


def interior_point(quadratic, linear, matrix, rhs, cones):
    """Return the answer to a quadratic programme, or None."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = TIME_LIMIT
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = ACCURACY
    # Large numbers on either side, which the method does not like.
    unit = max(np.abs(linear).max(initial=0.0), np.abs(quadratic).max(), 1e-300)
    solver = clarabel.DefaultSolver(
        sp.triu(sp.csc_matrix(quadratic / unit), format="csc"),
        linear / unit,
        sp.csc_matrix(matrix),
        rhs,
        cones,
        settings,
    )
    x = np.array(solver.solve().x)
    return x if np.isfinite(x).all() else None


def solve_primal(features, ridge, pose):
    """Return coordinates and intercept of a machine whose norm has weights ``ridge``."""
    if pose.is_of_values:
        return solve_values(features, ridge, pose)
    y = pose.y.astype(float)
    n_rows, n_features = features.shape
    weight = (pose.weight / pose.total).astype(float)
    price = (pose.weight * (pose.C if np.isfinite(pose.C) else 0.0)).astype(float)
    columns = [features, np.ones((n_rows, 1))] if pose.fit_intercept else [features]
    margins = y[:, None] * np.hstack(columns)
    n_free = margins.shape[1]
    centred = margins - weight @ margins
    quadratic = 4 * pose.lambda_var * centred.T @ (weight[:, None] * centred)
    quadratic[np.arange(n_features), np.arange(n_features)] += ridge
    linear = -pose.lambda_mean * (weight @ margins)
    if pose.band is not None:
        x = solve_band(quadratic, linear, margins, price, pose.band)
    elif np.isinf(pose.C):
        cones = [clarabel.NonnegativeConeT(n_rows)]
        x = interior_point(quadratic, linear, -margins, -np.ones(n_rows), cones)
    else:
        x = solve_hinge(quadratic, linear, margins, price)
    if x is None:
        return None
    return x[:n_features], x[n_features] if n_free > n_features else 0.0


def solve_values(features, ridge, pose):
    """Return the same for a regressor or one class, values centred and scaled before."""
    n_rows, n_features = features.shape
    weight = (pose.weight / pose.total).astype(float)
    middle = 0.0
    if pose.fit_intercept and not pose.price:
        middle = (pose.weight @ pose.origin) / pose.total
    unit = np.abs(pose.origin - middle).max() or 1.0
    origin = ((pose.origin - middle) / unit).astype(float)
    columns = [features, np.ones((n_rows, 1))] if pose.fit_intercept else [features]
    margins = np.hstack(columns)
    n_free = margins.shape[1]
    centred, moved = margins - weight @ margins, origin - weight @ origin
    lambda_var, lambda_square = float(pose.lambda_var), float(pose.lambda_square)
    quadratic = 4 * lambda_var * centred.T @ (weight[:, None] * centred)
    quadratic += 2 * lambda_square * margins.T @ (weight[:, None] * margins)
    quadratic[np.arange(n_features), np.arange(n_features)] += ridge
    linear = -4 * lambda_var * centred.T @ (weight * moved)
    linear -= 2 * lambda_square * margins.T @ (weight * origin)
    linear -= float(pose.lambda_mean / unit) * (weight @ margins)
    if pose.fit_intercept:
        linear[-1] += float(pose.price / unit)
    low, high = (float(edge / unit) for edge in pose.sides[:2])
    if np.isinf(pose.C):
        low, high = INSIDE * low, INSIDE * high
        matrix, rhs = np.vstack([-margins, margins]), np.r_[-low - origin, high + origin]
    else:
        price = (pose.weight * pose.C / unit).astype(float)
        zero = np.zeros((2 * n_rows, 2 * n_rows))
        quadratic = block(quadratic, zero)
        below, above = pose.sides[2:]
        linear = np.concatenate([linear, below * price, above * price])
        eye = np.eye(2 * n_rows)
        matrix = -np.block(
            [
                [np.vstack([margins, -margins]), eye],
                [np.zeros((2 * n_rows, n_free)), eye],
            ]
        )
        rhs = np.r_[-low - origin, high + origin, np.zeros(2 * n_rows)]
    cones = [clarabel.NonnegativeConeT(len(rhs))]
    x = interior_point(quadratic, linear, matrix, rhs, cones)
    if x is None:
        return None
    intercept = unit * LONG(x[n_features]) + middle if pose.fit_intercept else 0.0
    return unit * x[:n_features].astype(LONG), intercept


def solve_hinge(quadratic, linear, margins, price):
    """Return the best point for the hinge loss, by slacks."""
    n_rows, n_free = margins.shape
    quadratic = block(quadratic, np.zeros((n_rows, n_rows)))
    eye = np.eye(n_rows)
    matrix = -np.block([[margins, eye], [np.zeros((n_rows, n_free)), eye]])
    rhs = np.concatenate([-np.ones(n_rows), np.zeros(n_rows)])
    cones = [clarabel.NonnegativeConeT(2 * n_rows)]
    return interior_point(quadratic, np.concatenate([linear, price]), matrix, rhs, cones)


def solve_band(quadratic, linear, margins, price, band):
    """Return the best point for the loss of the ODM, by slacks on either side."""
    mu, theta = band
    n_rows = len(margins)
    price = 2 * price / (1 - theta) ** 2
    quadratic = block(quadratic, np.diag(np.concatenate([price, mu * price])))
    eye, zero = np.eye(n_rows), np.zeros((n_rows, n_rows))
    matrix = -np.block([[margins, eye, zero], [-margins, zero, eye]])
    ones = np.ones(n_rows)
    rhs = np.concatenate([-(1 - theta) * ones, (1 + theta) * ones])
    cones = [clarabel.NonnegativeConeT(2 * n_rows)]
    linear = np.concatenate([linear, np.zeros(2 * n_rows)])
    return interior_point(quadratic, linear, matrix, rhs, cones)


def block(upper, lower):
    """Return both matrices along the diagonal of one."""
    corner = np.zeros((len(upper), len(lower)))
    return np.block([[upper, corner], [corner.T, lower]])


def linear_candidate(rows, pose):
    """Return coefficients and intercept of a linear machine, or None."""
    rows = rows[pose.counted]
    # Where the intercept has a price, to centre rows would change the price of others.
    is_centred = pose.fit_intercept and not (pose.is_of_values and pose.price)
    middle = (pose.weight @ rows / pose.total) if is_centred else 0 * rows[0]
    centred = rows - middle
    unit = np.abs(centred).max(axis=0)
    used = unit > 0
    unit = unit[used]
    features = (centred[:, used] / unit).astype(float)
    found = solve_primal(features, (1 / unit**2).astype(float), pose)
    if found is None:
        return None
    coef = np.zeros_like(rows[0])
    coef[used] = found[0] / unit
    return coef, found[1] - coef @ middle


def kernel_candidate(gram, pose):
    """Return expansion and intercept of a machine on a Gram matrix, or None."""
    gram = gram[np.ix_(pose.counted, pose.counted)].astype(float)
    factor, back = factor_of(gram)
    found = solve_primal(factor, np.ones(factor.shape[1]), pose)
    if found is None:
        return None
    alpha = np.zeros(len(pose.counted))
    alpha[pose.counted] = back @ found[0]
    return alpha, found[1]


def factor_of(gram):
    """Return features with that Gram matrix, and what maps elements to expansions."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > NULL * max(values[-1], 0.0)
    values, vectors = values[kept], vectors[:, kept]
    return vectors * np.sqrt(values), vectors / np.sqrt(values)


def duel_candidate(features, duel):
    """Return the weights of the rows of a KOMD machine, or None."""
    y = duel.y.astype(float)
    size = np.abs(features).max(initial=0.0)
    features = (features / size if size > 0 else features).astype(float)
    n_rows, n_features = features.shape
    lam, unit = duel.lam, float(size**2)
    prices = (2 * lam * duel.ridge / duel.weight).astype(float)
    quadratic = block(2 * (1 - lam) * unit * np.eye(n_features), np.diag(prices))
    # The difference of the class means is a variable of its own, tied to the weights.
    tie = np.hstack([np.eye(n_features), -(y[:, None] * features).T])
    sums = np.hstack([np.zeros((2, n_features)), np.stack([y > 0, y < 0]).astype(float)])
    positive = np.hstack([np.zeros((n_rows, n_features)), -np.eye(n_rows)])
    rhs = np.concatenate([np.zeros(n_features), np.ones(2), np.zeros(n_rows)])
    cones = [clarabel.ZeroConeT(n_features + 2), clarabel.NonnegativeConeT(n_rows)]
    linear = np.zeros(n_features + n_rows)
    x = interior_point(quadratic, linear, np.vstack([tie, sums, positive]), rhs, cones)
    return None if x is None else x[n_features:]
