"""The optimal margin distribution machine, searched."""

import numpy as np

from largemargin.compared.odm import ODMClassifier
from largemargin.estimators.search import MachineSearch, search_constraints


class ODMClassifierCV(MachineSearch):
    """ODMClassifier with its parameters and kernel width chosen by cross-validation.

    Gives the scores of ``GridSearchCV`` over :class:`ODMClassifier`, at a fraction of its
    cost: each fold makes one Gram matrix per kernel width, and points are solved from warm
    starts.

    Parameters
    ----------
    grid : {"scale"}, default="scale"
        Which values are searched where none are given below: C in 2^-6 .. 2^8, mu in
        {0.2, 1}, theta = 0.1, and four kernel widths, 64 points, or 16 for a kernel without
        a width.

    Cs, mus, thetas, gammas : array-like, default=None
        Values of ``C``, ``mu``, ``theta`` and ``gamma``, as :class:`ODMClassifier` takes
        them; None means those of ``grid``.

    kernel, degree, coef0, fit_intercept, class_weight, tol, max_iter :
        As in :class:`ODMClassifier`.

    cv, scoring, refit, error_score, time_limit, n_jobs, verbose :
        As in :class:`LDMClassifierCV`.

    Attributes
    ----------
    best_estimator_ : ODMClassifier
        The best machine, fitted on all rows.

    best_params_ : dict
        Its ``C``, ``mu``, ``theta`` and ``gamma``.

    best_score_, best_index_, cv_results_, unseen_scores_, n_splits_, n_iter_ :
        As in :class:`LDMClassifierCV`.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are strings.

    See Also
    --------
    ODMClassifier : The machine at given parameters.

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
    _parameter_constraints: dict = search_constraints(
        ODMClassifier,
        ["kernel", "degree", "coef0", "fit_intercept", "class_weight"],
        _grids,
    )

    def __init__(
        self,
        grid="scale",
        *,
        Cs=None,
        mus=None,
        thetas=None,
        gammas=None,
        kernel="rbf",
        degree=3,
        coef0=0.0,
        fit_intercept=True,
        class_weight=None,
        cv=None,
        scoring=None,
        refit=True,
        error_score=np.nan,
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        verbose=0,
    ):
        self.grid = grid
        self.Cs = Cs
        self.mus = mus
        self.thetas = thetas
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.error_score = error_score
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
