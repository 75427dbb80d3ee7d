"""Leave-one-out errors and residuals, and a bound of errors from the dual solution."""

import numpy as np
import scipy.sparse as sp

from largemargin.designs.base import Capability
from largemargin.estimators.documentation import described_like
from largemargin.estimators.targets import class_scores, winners_of
from largemargin.inspection.margin_moves import farthest_moves, metric_products
from largemargin.inspection.refits import AT_BOUND, Case
from largemargin.inspection.residuals import (
    ResidualDistribution,
    distribution_of_predictions,
    residual_distribution,
)
from largemargin.numerics.ridge import RidgePath

# Margins are as accurate as the fit, so a sign is certain only with this much to spare.
SPARE = 0.05
KINDS = "paper", "stable"


def leave_one_out_bound(
    estimator, X, y, sample_weight=None, *, kind: str = "paper"
) -> float:
    """Bound the leave-one-out error of an estimator from its dual solution.

    ``kind="paper"`` is Theorem 3 of the paper: the error of m rows is at most
    ``(h * sum(beta_free) + n_bound) / m``, where ``beta_free`` are the dual variables
    between 0 and C, ``n_bound`` counts those at C, and ``h`` is the largest diagonal
    element of H, the matrix of the dual problem. The proof removes a row from the losses,
    but not from the mean and the variance of the margins. This is harmless if the prices
    are small compared with C, as in the paper. If they are large, the error may exceed
    this bound. With ``loss="squared_hinge"`` no dual variable is at a bound, and
    ``1 / (2 C)`` is added to h, as to the diagonal of the dual problem.

    ``kind="stable"`` removes a row from the mean and the variance as well, with the prices
    per unit of weight unchanged, and holds at all prices. It counts the rows whose margin
    may fall to zero when they are left out. At small prices it is the larger bound.

    With an intercept, both kinds need ``lambda_var > 0``, because nothing else limits how
    far the intercept may move.

    Parameters
    ----------
    estimator : LDMClassifier or LinearLDMClassifier
        Fitted; also at the end of a pipeline or a search.
    X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
        The training rows and their labels; ``X`` may be a sparse matrix.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights used in training, which weight the error, too. A row is left out with
        all its weight.
    kind : {"paper", "stable"}, default="paper"
        Which bound to return.

    Returns
    -------
    bound : float
        Bound on the share of rows that are misclassified when left out; above 1 it says
        nothing. With more than two classes, the sum of the bounds of all machines: a row
        that every machine of its class classifies correctly is classified correctly.

    See Also
    --------
    leave_one_out_error : The error itself.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier, leave_one_out_bound, leave_one_out_error
    >>> X, y = make_moons(noise=0.1, random_state=0)
    >>> machine = LDMClassifier(lambda_var=0.1, lambda_mean=0.1).fit(X, y)
    >>> leave_one_out_error(machine, X, y) <= leave_one_out_bound(machine, X, y)
    True
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
    case = Case.of(estimator, X, y, sample_weight)
    bound = 0.0
    for machine in case.machines():
        problem, beta = machine.problem, machine.start.beta
        if problem.fit_intercept and problem.prices.lambda_var == 0:
            raise ValueError(
                "The bound does not hold for an estimator with an intercept and "
                "lambda_var=0. Use leave_one_out_error, or fit with fit_intercept=False "
                "or lambda_var > 0."
            )
        margins = problem.sign * machine.scores
        if kind == "stable":
            doubt = margins <= farthest_moves(problem, beta, margins)
        else:
            at_bound = beta >= (1.0 - AT_BOUND) * problem.box[1]
            own, _ = metric_products(problem)
            # With a ridge, the margin is below one by ridge times beta.
            lengths = own.max() * problem.weight + problem.ridge
            doubt = np.where(at_bound, 1.0, lengths * beta)
        weight = case.sample_weight
        bound += weight[machine.members] @ doubt / weight.sum()
    return float(bound)


@described_like(leave_one_out_bound)
def leave_one_out_error(estimator, X, y, sample_weight=None) -> float:
    """Return the leave-one-out error of an estimator, with one fit for each row left out.

    Each fit starts from the solution on all rows and shares its Gram matrix and, if the
    variance price is large, its metric. Rows that are no support vectors of an SVM need no
    fit, nor do rows whose margin cannot fall to zero, see ``leave_one_out_bound``. The
    width of the kernel stays that of the estimator.

    Parameters
    ----------
    estimator, X, y, sample_weight

    Returns
    -------
    error : float
        The share of rows that are misclassified when left out.

    See Also
    --------
    leave_one_out_bound : A bound that needs no fit.
    """
    case = Case.of(estimator, X, y, sample_weight)
    scores = first_scores(case)
    for k, machine in enumerate(case.machines()):
        scores[machine.members, k] = machine.scores
        for i in np.flatnonzero(needs_fit(case, machine)):
            scores[i, k] = case.score_without(i, machine)
    if case.is_pairwise:
        scores = class_scores(scores, len(case.classes))
    wrong = case.classes[winners_of(scores)] != case.rows.labels
    return float(np.average(wrong, weights=case.sample_weight))


def first_scores(case):
    """Return the scores of all rows by all machines, as far as they stay."""
    n_problems = sum(len(part.problems) for part in case.parts)
    if not case.is_pairwise:
        return np.zeros((len(case.rows.weight), n_problems))
    return case.fitted._finite_scores(case.rows.X[case.rows.counted])


def needs_fit(case, machine):
    """Return the rows whose score by a machine may change its sign without them."""
    problem, beta = machine.problem, machine.start.beta
    moved = case.changed_without(machine)
    given = case.machine.lambda_var, case.machine.lambda_mean
    per_row = all(price == 0 or isinstance(price, str) for price in given)
    held = problem.prices.lambda_var > 0 or not problem.fit_intercept
    depends = case.recipe.encoder.weights_depend_on_others
    if depends or len(case.classes) > 2 or not (per_row and held):
        return moved
    margins = problem.sign * machine.scores
    return moved & (np.abs(margins) <= farthest_moves(problem, beta, margins) + SPARE)


@described_like(residual_distribution)
def leave_one_out_residuals(
    estimator, X, y, sample_weight=None
) -> ResidualDistribution | list[ResidualDistribution]:
    """Return the residual of each training row by a fit without it.

    The fits are exact: each starts from the solution on all rows and shares its Gram
    matrix. Where the result is known there is no fit: rows strictly inside the tube do not
    change a machine without squares, and with ``C=0`` a closed form gives all residuals.

    ``C``, ``epsilon`` and the lambdas follow the other rows if they are words such as
    ``"scale"``: a row that moves the scale of the values moves them. Numbers stay, and so
    do the width of the kernel and what ``"loo"`` has chosen.

    Parameters
    ----------
    estimator : LDMRegressor or LinearLDMRegressor
        Fitted; also at the end of a pipeline or a search.
    X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
        The training rows and their values, or an array of shape (n_samples, n_outputs);
        ``X`` may be a sparse matrix.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights used in training, which weight the errors, too. A row is left out with
        all its weight.

    Returns
    -------
    distribution : ResidualDistribution or list of ResidualDistribution
        ``residuals``, in the order of the rows, and errors such as
        ``mean_squared_error``, ``mean_absolute_error`` and ``r2``. Rows of weight zero have
        the residuals of the estimator, which has not seen them. A list with one for each
        column of the predictions if ``y`` has columns or if there are several quantiles.

    See Also
    --------
    leave_one_out_error : The same for classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> from largemargin import LinearLDMRegressor, leave_one_out_residuals
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X, y = scale(X)[::4], y[::4]
    >>> model = LinearLDMRegressor(C=1, epsilon=20).fit(X, y)
    >>> print(f"{model.score(X, y):.2f}, {leave_one_out_residuals(model, X, y).r2:.2f}")
    0.50, 0.42
    """
    case = Case.of(estimator, X, y, sample_weight, of_values=True)
    if len(case.rows.weight) < 2:
        raise ValueError("Leaving a row out needs at least two rows; got one.")
    columns = [scores_without_each(case, machine) for machine in case.machines()]
    predicted = case.fitted.predict(case.rows.X)
    predicted[case.rows.counted] = case.fitted._predicted(np.column_stack(columns))
    given = predicted, case.rows.y, case.rows.all_weights
    return distribution_of_predictions(case.fitted, *given)


def scores_without_each(case, machine):
    """Return the score of each row by a fit of a regressor without it."""
    problem, scores = machine.problem, machine.scores.copy()
    if problem.prices.C == 0 and (problem.fit_intercept or problem.spread == 0):
        ridge = ridge_path_of(case, problem)
        if ridge is not None:
            return ridge_scores(case, machine, ridge)
    for i in np.flatnonzero(case.changed_without(machine)):
        scores[i] = case.score_without(i, machine)
    return scores


def ridge_path_of(case, problem):
    """Return the ridge regressions on the rows of a problem; None if they are too wide."""
    options = problem.weight, problem.fit_intercept
    if problem.design.has_any(Capability.GRAM):
        return RidgePath.on_gram(problem.design.gram_matrix, *options)
    X = case.rows.used
    return None if sp.issparse(X) else RidgePath.on_rows(X, *options)


def ridge_scores(case, machine, ridge):
    """Return the same where only squares have a price, from one decomposition.

    With a free intercept, the variance and the mean square of the residuals give the same
    machine, a ridge regression.
    """
    values, rows = machine.problem.origin, np.arange(len(machine.members))
    # If weights differ, each machine has another price per unit of the weight that is left.
    rests = [case.problem_without(i, machine) for i in machine.members]
    prices, own = np.unique([rest.stiffness for rest in rests], return_inverse=True)
    level = machine.problem.mean(values) if machine.problem.fit_intercept else 0.0
    whole = np.ones(len(rows))  # each row is left out with all its weight
    with np.errstate(divide="ignore"):  # without any price, w is zero
        outputs = ridge.outputs(values - level, prices, whole)
    return level + outputs.left_out[rows, own]
