"""An independent answer: the machine as a quadratic programme, by interior points."""

import clarabel
import numpy as np
import scipy.sparse as sp


def factor_of(gram):
    """Return rows whose inner products are the Gram matrix, null directions left out."""
    values, vectors = np.linalg.eigh(np.asarray(gram, dtype=float))
    kept = values > 1e-13 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def solve_as_tightly_as_possible(arguments):
    """Return the answer of the interior-point method at the best accuracy it reaches."""
    for accuracy in 1e-13, 1e-12, 1e-11, 1e-10:
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
        answer = clarabel.DefaultSolver(*arguments, settings).solve()
        if answer.status == clarabel.SolverStatus.Solved:
            return answer
    raise AssertionError(f"the oracle failed: {answer.status}")


def solve_qp(gram, y, weight, C, lambda_var, lambda_mean, fit_intercept, loss="hinge"):
    """Return scores without intercept, intercept, and objective of the optimum.

    The variables are w, b and the slacks, which the loss charges for as they are or
    squared; the margin statistics are written out as in the paper, so nothing here is
    shared with the library.
    """
    features = factor_of(gram)
    n_rows, n_features = features.shape
    columns = [features, np.ones((n_rows, 1))] if fit_intercept else [features]
    margins = y[:, None] * np.hstack(columns)
    n_free = margins.shape[1]
    share = weight / weight.sum()
    centred = margins - share @ margins
    quadratic = 4 * lambda_var * centred.T @ (share[:, None] * centred)
    quadratic[np.arange(n_features), np.arange(n_features)] += 1.0
    linear = -lambda_mean * (share @ margins)
    # Constraints in the form rhs - A x >= 0: margins + slack >= 1, slack >= 0.
    above_one, rhs = [-margins], [-np.ones(n_rows)]
    if np.isfinite(C):
        is_squared = loss == "squared_hinge"
        of_squares = sp.diags(2.0 * C * weight * is_squared)
        quadratic = sp.block_diag([quadratic, of_squares])
        linear = np.concatenate([linear, C * weight * (not is_squared)])
        above_one.append(-np.eye(n_rows))
        rhs.append(np.zeros(n_rows))
    matrix = sp.csc_matrix(np.hstack(above_one))
    if np.isfinite(C):
        positive = sp.hstack([sp.csc_matrix((n_rows, n_free)), -sp.eye(n_rows)])
        matrix = sp.vstack([matrix, positive])
    # A common factor changes nothing but keeps the numbers near one.
    unit = max(1.0, np.abs(linear).max())
    arguments = (
        sp.triu(sp.csc_matrix(quadratic / unit), format="csc"),
        linear / unit,
        sp.csc_matrix(matrix),
        np.concatenate(rhs),
        [clarabel.NonnegativeConeT(sum(map(len, rhs)))],
    )
    answer = solve_as_tightly_as_possible(arguments)
    x = np.array(answer.x)
    intercept = x[n_features] if fit_intercept else 0.0
    return features @ x[:n_features], intercept, answer.obj_val * unit


def solve_tube(X, values, weight, prices, sides, fit_intercept):
    """Return w, b and the optimum of the quadratic programme, written out in residuals.

    ``sides`` are pairs of a slope and an edge: the loss is the largest of
    ``slope (margin - edge)`` and zero, summed over the pairs.
    """
    C, lambda_var, lambda_mean, lambda_square, intercept = prices
    n_rows, n_features = X.shape
    columns = np.hstack([X, np.ones((n_rows, 1))]) if fit_intercept else X
    n_free = columns.shape[1]
    share = weight / weight.sum()
    centred = columns - share @ columns
    moved = values - share @ values
    quadratic = 4 * lambda_var * centred.T @ (share[:, None] * centred)
    quadratic += 2 * lambda_square * columns.T @ (share[:, None] * columns)
    quadratic[np.arange(n_features), np.arange(n_features)] += 1.0
    linear = -4 * lambda_var * centred.T @ (share * moved)
    linear -= 2 * lambda_square * columns.T @ (share * values)
    linear -= lambda_mean * (share @ columns)
    if fit_intercept:
        linear[-1] += intercept
    constant = 2 * lambda_var * share @ moved**2 + lambda_square * share @ values**2
    constant += lambda_mean * share @ values
    n_slack = n_rows * len(sides)
    quadratic = sp.block_diag([quadratic, sp.csc_matrix((n_slack, n_slack))])
    linear = np.concatenate([linear, np.tile(C * weight, len(sides))])
    # slack >= slope (columns x - values - edge), slack >= 0
    rows = np.vstack([slope * columns for slope, _ in sides])
    rhs = np.concatenate([slope * (values + edge) for slope, edge in sides])
    matrix = sp.vstack(
        [
            sp.hstack([sp.csc_matrix(rows), -sp.eye(n_slack)]),
            sp.hstack([sp.csc_matrix((n_slack, n_free)), -sp.eye(n_slack)]),
        ]
    )
    unit = max(1.0, np.abs(linear).max())
    answer = solve_as_tightly_as_possible(
        (
            sp.triu(sp.csc_matrix(quadratic / unit), format="csc"),
            linear / unit,
            sp.csc_matrix(matrix),
            np.concatenate([rhs, np.zeros(n_slack)]),
            [clarabel.NonnegativeConeT(2 * n_slack)],
        )
    )
    x = np.array(answer.x)
    b = x[n_features] if fit_intercept else 0.0
    return x[:n_features], b, answer.obj_val * unit + constant


def solve_least_qp(quadratic, linear, equalities=(), values=(), nonnegative=None):
    """Return the argument of the least ``x'Px / 2 + q'x`` by interior points."""
    n = len(linear)
    inequalities = np.eye(n) if nonnegative is None else nonnegative
    arguments = (
        sp.triu(sp.csc_matrix(quadratic), format="csc"),
        np.asarray(linear, dtype=float),
        sp.csc_matrix(np.vstack([*np.reshape(equalities, (-1, n)), -inequalities])),
        np.r_[np.asarray(values, dtype=float), np.zeros(len(inequalities))],
        [clarabel.ZeroConeT(len(values)), clarabel.NonnegativeConeT(len(inequalities))],
    )
    return np.array(solve_as_tightly_as_possible(arguments).x)
