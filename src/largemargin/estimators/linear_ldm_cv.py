"""The large margin distribution machine on explicit features, with a search."""

from typing import Any

import numpy as np

from largemargin._compat import StrOptions
from largemargin.designs.in_memory import without_offsets
from largemargin.estimators.base import ClassWeight, Seed
from largemargin.estimators.documentation import described_like
from largemargin.estimators.grids import GRIDS, grid_without_kernel
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.ldm_cv import LDM_GRIDS, SVM_POINT, LDMClassifierCV
from largemargin.estimators.linear_ldm import LinearLDMClassifier
from largemargin.estimators.linear_space import design_of
from largemargin.estimators.search import (
    ClassifierSearch,
    Scoring,
    Values,
    search_constraints,
)

# With more rows than this, rows with many features are not searched by a Gram matrix.
MAX_SEARCHED_GRAM_ROWS = 10_000


@described_like(LDMClassifierCV)
class LinearLDMClassifierCV(ClassifierSearch):
    """LinearLDMClassifier with prices chosen by cross-validation.

    Computes the scores of ``GridSearchCV`` over :class:`LinearLDMClassifier` at a fraction
    of its cost: prices are solved from warm starts, and a solution that is certified to
    ``tol`` at other prices is reused there. With ``solver="auto"``, fewer rows than
    features and less than 10,000 rows, each fold computes the inner products of all rows
    once and works on these.

    Parameters
    ----------
    grid : {"scale", "wide", "paper"}, default="scale"
        The values to search for parameters without values below. ``"scale"`` and ``"wide"``
        have eight values of C in 2^-6 .. 2^8, and at each of them three values of both
        lambdas besides the SVM, which wins no tie: 80 points. ``"paper"`` has C in {10, 50,
        100} and both lambdas in 2^-8 .. 2^-2: 147 points. The best point may be the SVM,
        with both lambdas 0.
    Cs, lambda_vars, lambda_means : array-like, default=None
        Values of ``C``, ``lambda_var`` and ``lambda_mean`` to search; None uses those of
        ``grid``.
    loss, fit_intercept, class_weight, multi_class, cv, scoring, refit, error_score
    solver : {"auto", "newton", "dual_cd"}, default="auto"
        As in :class:`LinearLDMClassifier`. ``"asgd"`` cannot be searched, because it does
        not stop at ``tol``.
    tol, max_iter, time_limit, n_jobs, random_state, verbose

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, unseen_scores_
    n_splits_, n_iter_, classes_, n_features_in_, feature_names_in_

    See Also
    --------
    LinearLDMClassifier : The estimator at given prices.
    LDMClassifierCV : The same with a kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from largemargin import LinearLDMClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = LinearLDMClassifierCV(Cs=[0.1, 1, 10]).fit(minmax_scale(X), y)
    >>> print(f"{search.best_score_:.2f}")
    0.98
    """

    _machine_class = LinearLDMClassifier
    _grids = LDM_GRIDS
    _also = SVM_POINT
    _parameter_constraints: dict = {
        **search_constraints(LinearLDMClassifier, _grids, GRIDS),
        "solver": [StrOptions({"auto", "newton", "dual_cd"})],
    }

    # Models in files of 0.1.0 have no such parameter.
    loss: str = "hinge"

    def __init__(
        self,
        grid: str = "scale",
        *,
        Cs: Values = None,
        lambda_vars: Values = None,
        lambda_means: Values = None,
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        multi_class: str = "ovo",
        cv: Any = None,
        scoring: Scoring = None,
        refit: bool = True,
        error_score: float | str = np.nan,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.grid, self.Cs = grid, Cs
        self.lambda_vars, self.lambda_means = lambda_vars, lambda_means
        self.loss, self.fit_intercept, self.class_weight = loss, fit_intercept, class_weight
        self.multi_class = multi_class
        self.cv, self.scoring, self.refit = cv, scoring, refit
        self.error_score, self.solver, self.tol = error_score, solver, tol
        self.max_iter, self.time_limit, self.n_jobs = max_iter, time_limit, n_jobs
        self.random_state, self.verbose = random_state, verbose

    @property
    def _grid_name(self):
        return grid_without_kernel(self.grid)

    def _searched_machine(self, X):
        machine = self._machine()
        if not suits_products(self, X):
            return machine
        return LDMClassifier(kernel="linear", **machine.get_params())


def suits_products(search, X):
    """Return whether a linear search had better work on the inner products of all rows.

    These are fewer numbers then, and computed once per fold.
    """
    n_rows, n_features = X.shape
    if search.solver != "auto" or not n_rows < min(n_features, MAX_SEARCHED_GRAM_ROWS):
        return False
    return not search.fit_intercept or without_offsets(design_of(X)).shift is None
