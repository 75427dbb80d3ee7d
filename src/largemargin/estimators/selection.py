"""Machines that choose their own prices and kernel width by cross-validation."""

import time
from numbers import Integral, Real

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from largemargin._compat import Interval, StrOptions, check_sample_weight, fit_context
from largemargin.designs.linear import without_offsets
from largemargin.estimators.base import (
    FLOATS,
    all_or_nothing,
    canonical_rows,
    check_labels,
    splits_of,
)
from largemargin.estimators.certified import deadline_of, sooner_deadline
from largemargin.estimators.grids import (
    GRIDS,
    check_values,
    paper_gammas,
)
from largemargin.estimators.kernel import LDMClassifier
from largemargin.estimators.linear import LinearLDMClassifier, design_of
from largemargin.estimators.search import Search, accuracy
from largemargin.kernels import WITHOUT_WIDTH

# Wide rows with more of them than this are not searched by a Gram matrix.
MAX_GRAM_ROWS = 10_000
# What is left for the last fit at the least, in seconds.
SHORTEST = 1e-3


def has_best_estimator(search):
    """Return whether a search has fitted the best machine on all rows."""
    if not search.refit:
        raise AttributeError(
            f"{type(search).__name__}(refit=False) does not fit the best machine: use "
            "best_params_, or refit=True."
        )
    return True


class BaseLDMClassifierCV(ClassifierMixin, BaseEstimator):
    """The story of a search: validate, split, search, tabulate, choose, refit.

    Subclasses name their machine, ``_machine()``, and its grids, ``_grids``, which map a
    parameter of the machine to a parameter of the search.
    """

    _parameter_constraints: dict = {
        "grid": [StrOptions(set(GRIDS))],
        "Cs": ["array-like", None],
        "lambda_vars": ["array-like", None],
        "lambda_means": ["array-like", None],
        "fit_intercept": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "refit": ["boolean"],
        "error_score": [StrOptions({"raise"}), Real],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    _grids = {"C": "Cs", "lambda_var": "lambda_vars", "lambda_mean": "lambda_means"}
    # So that models of older files have one.
    time_limit = None

    @classmethod
    def around(cls, machine, **values):
        """Return a search whose grid is a machine's own point, but for ``values``.

        Parameters
        ----------
        machine : LDMClassifier or LinearLDMClassifier
            What all other parameters are taken from.

        **values : array-like
            Values to search, by the name of the machine's parameter, such as ``C``.

        Returns
        -------
        search : LDMClassifierCV or LinearLDMClassifierCV
            Not fitted.
        """
        unknown = set(values) - set(cls._grids)
        if unknown:
            raise ValueError(
                f"Only {', '.join(cls._grids)} can be searched; got {min(unknown)!r}."
            )
        given = machine.get_params()
        grids = {
            plural: list(values.get(name, [given[name]]))
            for name, plural in cls._grids.items()
        }
        shared = {name: given[name] for name in cls._get_param_names() if name in given}
        return cls(**grids, **shared)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, groups=None):
        """Search the grid and fit the best machine on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or their Gram matrix for ``kernel="precomputed"``.

        y : array-like of shape (n_samples,)
            Labels of any type.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in training and in scoring.

        groups : array-like of shape (n_samples,), default=None
            For splitters that ask for them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        deadline = deadline_of(self.time_limit)
        with all_or_nothing(self):
            machine = self._machine()
            X, y = validate_data(
                self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=False
            )
            X = canonical_rows(X)
            check_labels(y)
            if sample_weight is not None:
                sample_weight = check_sample_weight(sample_weight, X, dtype=np.float64)
            points = self._points(machine, X, sample_weight)
            splits = self._splits(X, y, groups)
            scorer = accuracy
            if self.scoring not in (None, "accuracy"):
                scorer = check_scoring(machine, self.scoring)
            self.classes_ = np.unique(y)
            search = Search(
                self._searched_machine(X),
                points,
                scorer,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                keeps_unseen=self.refit,
                # The last fit takes as long as one fold does.
                deadline=sooner_deadline(deadline, len(splits) / (len(splits) + 1)),
            )
            table = search.run(X, y, sample_weight, splits)
            table.settle(self.error_score, type(self).__name__)
            self._choose(points, table)
            self.n_splits_ = len(splits)
            for name in "best_estimator_", "n_iter_", "unseen_scores_":
                vars(self).pop(name, None)
            if self.refit:
                if self.time_limit is not None:
                    left = max(deadline - time.perf_counter(), SHORTEST)
                    machine.set_params(time_limit=left)
                self._refit(machine, X, y, sample_weight)
                self.best_estimator_.time_limit = None
            if search.keeps_unseen:
                n_columns = len(self.classes_) if len(self.classes_) > 2 else 1
                shape = X.shape[0], n_columns
                self.unseen_scores_ = table.unseen_scores(self.best_index_, shape)
        return self

    def _searched_machine(self, X):
        """Return the machine that stands for this one in the folds."""
        return self._machine()

    def _refit(self, machine, X, y, sample_weight):
        best = machine.set_params(**self.best_params_).fit(X, y, sample_weight)
        if hasattr(self, "feature_names_in_"):
            best.feature_names_in_ = self.feature_names_in_
        self.best_estimator_ = best
        self.classes_, self.n_iter_ = best.classes_, best.n_iter_

    def _points(self, machine, X, sample_weight):
        """Return the points of the grid as ``GridSearchCV`` would order them."""
        grid = {}
        for name, plural in self._grids.items():
            values = getattr(self, plural)
            if values is None:
                values = self._default_values(plural, X, sample_weight)
            grid[name] = list(values)
            check_values(machine, name, plural, grid[name])
        if self.grid == "scale" and self.lambda_vars is None and self.lambda_means is None:
            # The support vector machine is part of the choice, and wins where it is equal.
            svm = {"lambda_var": [0.0], "lambda_mean": [0.0]}
            return list(ParameterGrid([{**grid, **svm}, grid]))
        return list(ParameterGrid(grid))

    def _default_values(self, plural, X, sample_weight):
        return GRIDS[self.grid][plural]

    def _splits(self, X, y, groups):
        splits = splits_of(self.cv, X, y, groups)
        if not splits:
            raise ValueError(f"cv={self.cv!r} gives no splits; expected one at least.")
        rows = np.arange(X.shape[0])
        for number, split in enumerate(splits):
            if any(len(rows[part]) == 0 for part in split):
                raise ValueError(
                    f"Fold {number} of cv={self.cv!r} has no rows to train on or none to "
                    "test on. Use fewer folds or another splitter."
                )
        return splits

    def _choose(self, points, table):
        """Keep all results in scikit-learn's form, and the best point."""
        means = table.scores.mean(axis=1)
        if np.isnan(means).all():
            raise ValueError(
                "No point of the grid has a score: in at least one fold each of them "
                "failed, or its score was NaN. Look at the warnings above, or set "
                "error_score='raise' to see the first error."
            )
        # NaN is worse than anything else and never wins.
        ranked = np.where(np.isnan(means), -np.inf, means)
        results = {
            "mean_fit_time": table.seconds.mean(axis=1),
            "std_fit_time": table.seconds.std(axis=1),
            "mean_score_time": table.score_seconds.mean(axis=1),
            "std_score_time": table.score_seconds.std(axis=1),
        }
        for name in self._grids:
            values = np.empty(len(points), dtype=object)
            values[:] = [point[name] for point in points]
            results[f"param_{name}"] = np.ma.MaskedArray(values, mask=False)
        results["params"] = points
        for fold, scores in enumerate(table.scores.T):
            results[f"split{fold}_test_score"] = scores
        results["mean_test_score"] = means
        results["std_test_score"] = table.scores.std(axis=1)
        results["rank_test_score"] = rankdata(-ranked, method="min").astype(np.int32)
        self.cv_results_ = results
        self.best_index_ = int(results["rank_test_score"].argmin())
        self.best_params_ = points[self.best_index_]
        self.best_score_ = float(means[self.best_index_])

    @available_if(has_best_estimator)
    def predict(self, X):
        """Predict the class of each row by the best machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            One of ``classes_`` for each row.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(has_best_estimator)
    def decision_function(self, X):
        """Return the signed score of each row by the best machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]``; with more than two classes a column a class.
        """
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        machine_tags = self._machine().__sklearn_tags__()
        tags.input_tags.sparse = machine_tags.input_tags.sparse
        tags.input_tags.pairwise = machine_tags.input_tags.pairwise
        return tags


class LDMClassifierCV(BaseLDMClassifierCV):
    r"""LDMClassifier with prices and kernel width chosen by cross-validation.

    Gives the scores of ``GridSearchCV`` over :class:`LDMClassifier`, at a fraction of its
    cost: each fold makes one Gram matrix a kernel width, prices are solved from warm
    starts, and a solution that is certified to ``tol`` at other prices too serves them.

    Parameters
    ----------
    grid : {"scale", "paper"}, default="scale"
        Which values are searched where none are given below. ``"scale"`` has C in 2^-6 ..
        2^8 and, beside the SVM, prices that keep their weight against the losses: 320
        points; ``"paper"`` has C in {10, 50, 100}, both lambdas in 2^-8 .. 2^-2 and
        kernel widths 2^-2 d .. 2^2 d, where d is the mean distance between training rows
        and ``gamma = 1 / (2 width^2)``: 735 points.

    Cs, lambda_vars, lambda_means, gammas : array-like, default=None
        Values of ``C``, ``lambda_var``, ``lambda_mean`` and ``gamma``, as
        :class:`LDMClassifier` takes them; None means those of ``grid``.

    kernel, degree, coef0, fit_intercept, class_weight, solver, tol, max_iter :
        As in :class:`LDMClassifier`.

    cv : int, splitter or iterable of splits, default=None
        As in scikit-learn; None means five stratified folds.

    scoring : str or callable, default=None
        A scorer; None means accuracy. It gets the sample weights, if there are any and it
        takes them.

    refit : bool, default=True
        Whether to fit the best machine on all rows.

    error_score : "raise" or float, default=numpy.nan
        Score of a fit that fails, with a warning; NaN never wins. If all fail, that is an
        error. Prices at which the problem has no minimum are passed over: their score is
        always NaN.

    time_limit : float, default=None
        Seconds after which the search stops. Points that it has not fitted in every fold
        are left out, with a warning. None sets no limit.

    n_jobs : int, default=None
        Threads over folds and kernel widths. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows in ``solver="dual_cd"``.

    verbose : int, default=0
        Whether to send progress and the time left to the ``largemargin`` logger, INFO.

    Attributes
    ----------
    best_estimator_ : LDMClassifier
        The best machine, fitted on all rows.

    best_params_ : dict
        Its ``C``, ``lambda_var``, ``lambda_mean`` and ``gamma``.

    best_score_ : float
        Its mean score over the folds.

    best_index_ : int
        Its place in ``cv_results_``.

    cv_results_ : dict of ndarray
        As in ``GridSearchCV``; times of shared work are divided evenly.

    unseen_scores_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Scores of the training rows by the best point, each fitted without the fold that
        tests the row; NaN where none does. Not kept with ``refit=False``, or where those of
        all points would take more than 256 MB until the best is known.

    n_splits_ : int
        Number of folds.

    n_iter_ : int
        Iterations of the last fit, that of ``best_estimator_``.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are strings.

    See Also
    --------
    LDMClassifier : The machine at given prices.
    LinearLDMClassifierCV : The same without a kernel.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifierCV
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> search = LDMClassifierCV(Cs=[1, 10], gammas=["scale"]).fit(X, y)
    >>> len(search.cv_results_["params"])
    20
    >>> print(f"{search.best_score_:.2f}")
    0.97
    """

    _parameter_constraints: dict = {
        **BaseLDMClassifierCV._parameter_constraints,
        "gammas": ["array-like", None],
        **{
            name: LDMClassifier._parameter_constraints[name]
            for name in ("kernel", "degree", "coef0", "solver")
        },
    }
    _grids = {**BaseLDMClassifierCV._grids, "gamma": "gammas"}

    def __init__(
        self,
        grid="scale",
        *,
        Cs=None,
        lambda_vars=None,
        lambda_means=None,
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
        solver="auto",
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.grid = grid
        self.Cs = Cs
        self.lambda_vars = lambda_vars
        self.lambda_means = lambda_means
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
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _machine(self):
        return LDMClassifier(
            kernel=self.kernel,
            degree=self.degree,
            coef0=self.coef0,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    def _default_values(self, plural, X, sample_weight):
        if plural == "gammas" and (callable(self.kernel) or self.kernel in WITHOUT_WIDTH):
            return ("scale",)
        if plural == "gammas" and self.grid == "paper":
            return paper_gammas(X, check_sample_weight(sample_weight, X, dtype=np.float64))
        return super()._default_values(plural, X, sample_weight)


class LinearLDMClassifierCV(BaseLDMClassifierCV):
    """LinearLDMClassifier with prices chosen by cross-validation.

    Gives the scores of ``GridSearchCV`` over :class:`LinearLDMClassifier`, at a fraction
    of its cost: prices are solved from warm starts, and a solution that is certified to
    ``tol`` at other prices too serves them.

    Parameters
    ----------
    grid : {"scale", "paper"}, default="scale"
        Which values are searched where none are given below. ``"scale"`` has C in 2^-6 ..
        2^8 and, beside the SVM, prices that keep their weight against the losses: 80
        points; ``"paper"`` has C in {10, 50, 100} and both lambdas in 2^-8 .. 2^-2: 147
        points.

    Cs, lambda_vars, lambda_means : array-like, default=None
        Values of ``C``, ``lambda_var`` and ``lambda_mean``, as
        :class:`LinearLDMClassifier` takes them; None means those of ``grid``.

    fit_intercept, class_weight, tol, max_iter :
        As in :class:`LinearLDMClassifier`.

    cv : int, splitter or iterable of splits, default=None
        As in scikit-learn; None means five stratified folds.

    scoring : str or callable, default=None
        A scorer; None means accuracy. It gets the sample weights, if there are any and it
        takes them.

    refit : bool, default=True
        Whether to fit the best machine on all rows.

    error_score : "raise" or float, default=numpy.nan
        Score of a fit that fails, with a warning; NaN never wins. If all fail, that is an
        error. Prices at which the problem has no minimum are passed over: their score is
        always NaN.

    solver : {"auto", "newton", "dual_cd"}, default="auto"
        As in :class:`LinearLDMClassifier`; ``"asgd"``, which has no goal to reach, cannot
        be searched this way.

    time_limit : float, default=None
        Seconds after which the search stops. Points that it has not fitted in every fold
        are left out, with a warning. None sets no limit.

    n_jobs : int, default=None
        Threads over folds. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows in ``solver="dual_cd"``.

    verbose : int, default=0
        Whether to send progress and the time left to the ``largemargin`` logger, INFO.

    Attributes
    ----------
    best_estimator_ : LinearLDMClassifier
        The best machine, fitted on all rows.

    best_params_ : dict
        Its ``C``, ``lambda_var`` and ``lambda_mean``.

    best_score_ : float
        Its mean score over the folds.

    best_index_ : int
        Its place in ``cv_results_``.

    cv_results_ : dict of ndarray
        As in ``GridSearchCV``; times of shared work are divided evenly.

    unseen_scores_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Scores of the training rows by the best point, each fitted without the fold that
        tests the row; NaN where none does. Not kept with ``refit=False``, or where those of
        all points would take more than 256 MB until the best is known.

    n_splits_ : int
        Number of folds.

    n_iter_ : int
        Iterations of the last fit, that of ``best_estimator_``.

    classes_ : ndarray of shape (n_classes,)
        The labels.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they are strings.

    See Also
    --------
    LinearLDMClassifier : The machine at given prices.
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

    _parameter_constraints: dict = {
        **BaseLDMClassifierCV._parameter_constraints,
        "solver": [StrOptions({"auto", "newton", "dual_cd"})],
    }

    def __init__(
        self,
        grid="scale",
        *,
        Cs=None,
        lambda_vars=None,
        lambda_means=None,
        fit_intercept=True,
        class_weight=None,
        cv=None,
        scoring=None,
        refit=True,
        error_score=np.nan,
        solver="auto",
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.grid = grid
        self.Cs = Cs
        self.lambda_vars = lambda_vars
        self.lambda_means = lambda_means
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.error_score = error_score
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _machine(self):
        return LinearLDMClassifier(
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    def _searched_machine(self, X):
        n_rows, n_features = X.shape
        if self.solver != "auto" or not n_rows < min(n_features, MAX_GRAM_ROWS):
            return self._machine()
        if self.fit_intercept and without_offsets(design_of(X)).shift is not None:
            return self._machine()
        # Inner products are fewer numbers than such rows, and made once a fold.
        return LDMClassifier(kernel="linear", **self._machine().get_params())
