"""The large margin distribution machine on explicit features, with a search."""

from typing import Any

import numpy as np

from largemargin._compat import StrOptions
from largemargin.designs.in_memory import without_offsets
from largemargin.estimators.base import ClassWeight, Seed
from largemargin.estimators.documentation import described_like
from largemargin.estimators.grids import GRIDS
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.ldm_cv import LDM_GRIDS, SVM_POINT, LDMClassifierCV
from largemargin.estimators.linear_ldm import LinearLDMClassifier
from largemargin.estimators.linear_space import design_of
from largemargin.estimators.search import MachineSearch, Scoring, Values, search_constraints

# With more rows than this, rows with many features are not searched by a Gram matrix.
MAX_SEARCHED_GRAM_ROWS = 10_000


@described_like(LDMClassifierCV)
class LinearLDMClassifierCV(MachineSearch):
    """LinearLDMClassifier with prices chosen by cross-validation.

    Computes the scores of ``GridSearchCV`` over :class:`LinearLDMClassifier` at a fraction
    of its cost: prices are solved from warm starts, and a solution that is certified to
    ``tol`` at other prices is reused there.

    Parameters
    ----------
    grid
    Cs, lambda_vars, lambda_means : array-like, default=None
        Values of ``C``, ``lambda_var`` and ``lambda_mean`` to search; None uses those of
        ``grid``.
    fit_intercept, class_weight, cv, scoring, refit, error_score
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

    def __init__(
        self,
        grid: str = "scale",
        *,
        Cs: Values = None,
        lambda_vars: Values = None,
        lambda_means: Values = None,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
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
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.cv, self.scoring, self.refit = cv, scoring, refit
        self.error_score, self.solver, self.tol = error_score, solver, tol
        self.max_iter, self.time_limit, self.n_jobs = max_iter, time_limit, n_jobs
        self.random_state, self.verbose = random_state, verbose

    def _searched_machine(self, X):
        n_rows, n_features = X.shape
        if self.solver != "auto" or not n_rows < min(n_features, MAX_SEARCHED_GRAM_ROWS):
            return self._machine()
        if self.fit_intercept and without_offsets(design_of(X)).shift is not None:
            return self._machine()
        # Inner products of such rows are fewer numbers, and computed once per fold.
        return LDMClassifier(kernel="linear", **self._machine().get_params())
