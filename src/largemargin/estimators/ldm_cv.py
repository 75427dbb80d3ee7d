"""The large margin distribution machine with a kernel, with a search."""

from typing import Any

import numpy as np

from largemargin.estimators.base import ClassWeight, KernelChoice, Seed
from largemargin.estimators.documentation import described_like
from largemargin.estimators.grids import GRIDS, grid_without_kernel
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.search import (
    ClassifierSearch,
    MachineSearch,
    Scoring,
    Values,
    search_constraints,
)

LDM_GRIDS = {"C": "Cs", "lambda_var": "lambda_vars", "lambda_mean": "lambda_means"}
# The support vector machine comes last, so that it loses every tie.
SVM_POINT = {"lambda_var": [0.0], "lambda_mean": [0.0]}


@described_like(MachineSearch, LDMClassifier)
class LDMClassifierCV(ClassifierSearch):
    r"""LDMClassifier with prices and kernel width chosen by cross-validation.

    Computes the scores of ``GridSearchCV`` over :class:`LDMClassifier` at a fraction of its
    cost: each fold computes one Gram matrix, and one factor of low rank, per kernel width;
    prices are solved from warm starts; and a solution that is certified to ``tol`` at other
    prices is reused there.

    Parameters
    ----------
    grid : {"scale", "wide", "paper"}, default="scale"
        The values to search for parameters without values below. ``"scale"`` has eight
        values of C in 2^-6 .. 2^8, four kernel widths, and at each of them the LDM with
        ``lambda_var="30*scale"`` and ``lambda_mean=0`` and the SVM, which wins no tie: 64
        points. ``"wide"`` has three values of both lambdas besides the SVM: 320 points.
        ``"paper"`` has C in {10, 50, 100}, both lambdas in 2^-8 .. 2^-2 and
        kernel widths 2^-2 d .. 2^2 d, where d is the mean distance between training rows
        and ``gamma = 1 / (2 width^2)``: 735 points. Without a kernel width to search there
        are 16, 80 or 147 points; with a linear kernel, ``"scale"`` is ``"wide"``. The best
        point may be the SVM, with both lambdas 0.
    Cs, lambda_vars, lambda_means, gammas : array-like, default=None
        Values of ``C``, ``lambda_var``, ``lambda_mean`` and ``gamma`` to search; None uses
        those of ``grid``.
    loss, kernel, degree, coef0, fit_intercept, class_weight, multi_class
    cv : int, splitter or iterable of splits, default=None
        Cross-validation splits, as in scikit-learn; None uses five stratified folds.
    scoring : str or callable, default=None
        A scorer of scikit-learn, or its name; None uses accuracy. If it accepts sample
        weights, it receives them.
    refit
    error_score : "raise" or float, default=numpy.nan
        Score of a fit that fails, with a warning; NaN never wins. If all fits fail, an
        error is raised. Prices at which the problem has no minimum always score NaN.
    solver, tol, max_iter
    time_limit, n_jobs
    random_state, verbose

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_
    unseen_scores_ : ndarray of shape (n_samples,) or (n_samples, n_problems)
        Scores of the training rows at the best parameters, each by the fit without the fold
        that tests the row; NaN if no fold does. With more than two classes, one column per
        pair of classes or, for ``multi_class="ovr"``, per class. Not stored with
        ``refit=False``, or if the scores of all points would take more than 256 MB during
        the search.
    n_splits_
    n_iter_, classes_, n_features_in_, feature_names_in_

    See Also
    --------
    LDMClassifier : The estimator at given prices.
    LinearLDMClassifierCV : The same without a kernel.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifierCV
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> search = LDMClassifierCV(Cs=[1, 10], gammas=["scale"]).fit(X, y)
    >>> len(search.cv_results_["params"])
    4
    >>> print(f"{search.best_score_:.2f}")
    0.96
    """

    _machine_class = LDMClassifier
    _grids = {**LDM_GRIDS, "gamma": "gammas"}
    _also = SVM_POINT
    _parameter_constraints: dict = search_constraints(LDMClassifier, _grids, GRIDS)

    # Models in files of 0.1.0 have no such parameter.
    loss: str = "hinge"

    def __init__(
        self,
        grid: str = "scale",
        *,
        Cs: Values = None,
        lambda_vars: Values = None,
        lambda_means: Values = None,
        gammas: Values = None,
        loss: str = "squared_hinge",
        kernel: KernelChoice = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
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
        self.grid, self.Cs, self.gammas = grid, Cs, gammas
        self.lambda_vars, self.lambda_means = lambda_vars, lambda_means
        self.loss, self.kernel, self.degree, self.coef0 = loss, kernel, degree, coef0
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.multi_class = multi_class
        self.cv, self.scoring, self.refit = cv, scoring, refit
        self.error_score, self.solver, self.tol = error_score, solver, tol
        self.max_iter, self.time_limit, self.n_jobs = max_iter, time_limit, n_jobs
        self.random_state, self.verbose = random_state, verbose

    @property
    def _grid_name(self):
        return grid_without_kernel(self.grid) if self.kernel == "linear" else self.grid
