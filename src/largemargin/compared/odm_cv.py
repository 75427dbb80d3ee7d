"""The optimal margin distribution machine, with a search."""

from typing import Any

import numpy as np

from largemargin.compared.odm import ODMClassifier
from largemargin.estimators.base import ClassWeight, KernelChoice
from largemargin.estimators.documentation import described_like
from largemargin.estimators.ldm_cv import LDMClassifierCV
from largemargin.estimators.search import (
    ClassifierSearch,
    Scoring,
    Values,
    search_constraints,
)


@described_like(LDMClassifierCV)
class ODMClassifierCV(ClassifierSearch):
    """ODMClassifier with its parameters and kernel width chosen by cross-validation.

    Computes the scores of ``GridSearchCV`` over :class:`ODMClassifier` at a fraction of its
    cost: each fold computes one Gram matrix per kernel width, and points are solved from
    warm starts.

    Parameters
    ----------
    grid : {"scale"}, default="scale"
        The values to search for parameters without values below: C in 2^-6 .. 2^8, mu in
        {0.2, 1}, theta = 0.1, and four kernel widths: 64 points, or 16 without a kernel
        width to search.
    Cs, mus, thetas, gammas : array-like, default=None
        Values of ``C``, ``mu``, ``theta`` and ``gamma`` to search; None uses those of
        ``grid``.
    kernel, degree, coef0, fit_intercept, class_weight, multi_class
    cv, scoring, refit, error_score, tol, max_iter, time_limit, n_jobs, verbose

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, unseen_scores_
    n_splits_, n_iter_, classes_, n_features_in_, feature_names_in_

    See Also
    --------
    ODMClassifier : The estimator at given parameters.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import ODMClassifierCV
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> search = ODMClassifierCV(Cs=[1, 10], gammas=["scale"]).fit(X, y)
    >>> len(search.cv_results_["params"])
    4
    """

    _machine_class = ODMClassifier
    _grids = {"C": "Cs", "mu": "mus", "theta": "thetas", "gamma": "gammas"}
    _parameter_constraints: dict = search_constraints(ODMClassifier, _grids)

    def __init__(
        self,
        grid: str = "scale",
        *,
        Cs: Values = None,
        mus: Values = None,
        thetas: Values = None,
        gammas: Values = None,
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
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.grid, self.Cs, self.mus = grid, Cs, mus
        self.thetas, self.gammas = thetas, gammas
        self.kernel, self.degree, self.coef0 = kernel, degree, coef0
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.multi_class = multi_class
        self.cv, self.scoring, self.refit = cv, scoring, refit
        self.error_score, self.tol, self.max_iter = error_score, tol, max_iter
        self.time_limit, self.n_jobs, self.verbose = time_limit, n_jobs, verbose
