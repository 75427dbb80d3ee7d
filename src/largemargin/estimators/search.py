"""Machines that choose their own parameters by cross-validation: the one search for all."""

import time
from importlib import import_module
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from largemargin._compat import Interval, StrOptions, check_sample_weight, fit_context
from largemargin.estimators.cross_validation import Search, accuracy
from largemargin.estimators.fitting import all_or_nothing, deadline_of, sooner_deadline
from largemargin.estimators.grids import GRIDS, check_values, paper_gammas
from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import FLOATS, canonical_rows
from largemargin.estimators.table import SEARCHES
from largemargin.estimators.targets import splits_of
from largemargin.kernels.widths import WITHOUT_WIDTH

# What is left for the last fit at the least, in seconds.
SHORTEST = 1e-3
# Parameters that a search has for itself, though its machine has some of that name.
OF_THE_SEARCH = {"verbose", "time_limit"}


def __getattr__(name):
    """Return a search that was in this module once: pickles name it so."""
    if name not in SEARCHES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("largemargin"), name)


def has_best_estimator(search):
    """Return whether a search has fitted the best machine on all rows."""
    if not search.refit:
        raise AttributeError(
            f"{type(search).__name__}(refit=False) does not fit the best machine: use "
            "best_params_, or refit=True."
        )
    return True


def search_constraints(machine_class, names, grids, named_grids=("scale",)):
    """Return the constraints of a search, those of ``names`` as the machine has them."""
    return {
        "grid": [StrOptions(set(named_grids))],
        **{plural: ["array-like", None] for plural in grids.values()},
        **{name: machine_class._parameter_constraints[name] for name in names},
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "refit": ["boolean"],
        "error_score": [StrOptions({"raise"}), Real],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }


class MachineSearch(ClassifierMixin, BaseEstimator):
    """The story of a search: validate, split, search, tabulate, choose, refit.

    Any machine with a recipe can be searched. Subclasses name its class,
    ``_machine_class``, and ``_grids``, which map a parameter of the machine to the
    parameter of the search that has its values; others that both have are passed on.
    ``_also`` are values that are searched beside a whole default grid.
    """

    _also: dict | None = None
    # So that models of older files have one.
    time_limit = None

    @classmethod
    def around(cls, machine, **values):
        """Return a search whose grid is a machine's own point, but for ``values``.

        Parameters
        ----------
        machine : estimator of the class that is searched
            What all other parameters are taken from.

        **values : array-like
            Values to search, by the name of the machine's parameter, such as ``C``.

        Returns
        -------
        search : estimator
            Not fitted.
        """
        unknown = set(values) - set(cls._grids)
        if unknown:
            raise ValueError(
                f"Only {', '.join(cls._grids)} can be searched; got {min(unknown)!r}."
            )
        given = machine.get_params()
        if not set(cls._grids) <= set(given):
            raise TypeError(
                f"{cls.__name__} searches around {cls._machine_class.__name__}; got "
                f"{type(machine).__name__}."
            )
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
            recipe_of(machine).encoder.check(y)
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
            self.cv_results_ = table.results(points)
            self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
            self.best_params_ = points[self.best_index_]
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
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

    def _machine(self):
        """Return the machine that is searched, with the parameters both have."""
        known = set(self._machine_class._get_param_names()) - OF_THE_SEARCH
        shared = [name for name in self._get_param_names() if name in known]
        return self._machine_class(**{name: getattr(self, name) for name in shared})

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
        also = self._also if self.grid == "scale" else None
        if also and all(getattr(self, self._grids[name]) is None for name in also):
            return list(ParameterGrid([{**grid, **also}, grid]))
        return list(ParameterGrid(grid))

    def _default_values(self, plural, X, sample_weight):
        if plural == "gammas" and (callable(self.kernel) or self.kernel in WITHOUT_WIDTH):
            return ("scale",)
        if plural == "gammas" and self.grid == "paper":
            return paper_gammas(X, check_sample_weight(sample_weight, X, dtype=np.float64))
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
