"""Estimators that choose their parameters by cross-validation."""

import time
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if

from largemargin._compat import StrOptions, check_sample_weight, fit_context
from largemargin.estimators.base import MarginClassifier
from largemargin.estimators.cross_validation import CrossValidation
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import all_or_nothing
from largemargin.estimators.grids import GRIDS, check_values, paper_gammas
from largemargin.estimators.keywords import HintingClassifier, HintingEstimator
from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import validated
from largemargin.estimators.solving import deadline_of, sooner_deadline
from largemargin.kernels.widths import WITHOUT_WIDTH
from largemargin.numerics.progress_log import progress_printed

# The types of parameters of searches.
Values = Iterable[Any] | None
Scoring = str | Callable[..., float] | None
# The final fit gets at least this many seconds.
SHORTEST = 1e-3
# Parameters that a search and its estimator have independently of each other.
OF_BOTH = {"verbose", "time_limit"}
OF_THE_SEARCH = {"grid", "cv", "scoring", "refit", "error_score", "n_jobs", *OF_BOTH}


def has_best_estimator(search):
    """Return True, or raise if a search does not fit the best estimator."""
    if not search.refit:
        raise AttributeError(
            f"{type(search).__name__}(refit=False) does not fit the best estimator: use "
            "best_params_, or refit=True."
        )
    return True


def search_constraints(machine_class, grids, named_grids=("scale",)):
    """Return the constraints of a search; other parameters are those of its estimator."""
    return {
        **machine_class._parameter_constraints,
        "grid": [StrOptions(set(named_grids))],
        **{plural: ["array-like", None] for plural in grids.values()},
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "refit": ["boolean"],
        "error_score": [StrOptions({"raise"}), Real],
    }


class MachineSearch(HintingEstimator):
    """A search for the parameters of any estimator that has a recipe.

    A subclass names its class, ``_machine_class``, and ``_grids``, which map a parameter of
    the estimator to the parameter of the search with its values. Other parameters that both
    have are passed on. ``_named_grids`` are the default values by the name of the grid, and
    ``_also`` has values that are searched besides a grid of multiples of ``"scale"``.
    What depends on the kind of targets is in ``ClassifierSearch`` and ``RegressorSearch``,
    and in the encoder of the estimator, see ``recipe.Searched``.

    Parameters
    ----------
    refit : bool, default=True
        Whether to fit the best estimator on all rows.
    time_limit : float, default=None
        Seconds after which the search stops. Points that were not fitted in every fold are
        left out, with a warning. None sets no limit.
    n_jobs : int, default=None
        Number of threads over folds and kernel widths; -1 uses all cores. The result does
        not depend on it.

    Attributes
    ----------
    best_estimator_ : estimator
        The estimator with the best parameters, fitted on all rows.
    best_params_ : dict
        The parameters with the best mean score.
    best_score_ : float
        Mean score of the best parameters over the folds.
    best_index_ : int
        Index of the best parameters in ``cv_results_``.
    cv_results_ : dict of ndarray
        As in ``GridSearchCV``; times of shared work are divided evenly.
    n_splits_ : int
        Number of folds.
    """

    _named_grids: dict[str, Any] = GRIDS
    _also: dict | None = None
    # The attribute with the scores that rows get from the fit without their fold.
    _unseen = "unseen_scores_"
    # Models in files of 0.1.0 have no such parameter.
    time_limit: float | None = None

    @classmethod
    def around(cls, machine: Any, **values: Any) -> Self:
        """Return a search that takes its other parameters from an estimator.

        Parameters
        ----------
        machine : estimator
            An estimator of the class that is searched.
        **values : dict
            Values to search, by the name of the estimator's parameter, such as
            ``C=[1, 10]``; None searches the values of the default grid. Parameters without
            values stay as they are in ``machine``. Parameters of the search itself, such
            as ``cv``, may be given too.

        Returns
        -------
        search : estimator
            The search, not fitted.
        """
        unknown = set(values) - set(cls._grids) - OF_THE_SEARCH
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
        options = {name: given[name] for name in cls._get_param_names() if name in given}
        for name, plural in cls._grids.items():
            found = values.pop(name, [given[name]])
            options[plural] = None if found is None else list(found)
        return cls(**{**options, **values})

    @fit_context(prefer_skip_nested_validation=True)
    @described_like(MarginClassifier.fit)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search the grid and fit the best estimator on all rows.

        Parameters
        ----------
        X
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels of any type; for a regressor values, whose columns have a model each but
            the same parameters.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in training and in scoring.
        groups : array-like of shape (n_samples,), default=None
            Groups of the rows, for splitters that use them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        deadline = deadline_of(self.time_limit)
        with all_or_nothing(self), progress_printed(self.verbose):
            machine = self._machine()
            encoder = recipe_of(machine).encoder
            X, y = validated(self, encoder, X, y)
            if sample_weight is not None:
                sample_weight = check_sample_weight(sample_weight, X, dtype=np.float64)
            points = self._points(machine, X, sample_weight)
            splits = self._splits(encoder, X, y, groups)
            is_default = self.scoring in (None, encoder.default_scoring)
            scorer = None if is_default else check_scoring(machine, self.scoring)
            search = CrossValidation(
                self._searched_machine(X),
                points,
                scorer,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                keeps_unseen=self.refit,
                # The final fit takes as long as one fold.
                deadline=sooner_deadline(deadline, len(splits) / (len(splits) + 1)),
            )
            results = search.run(X, y, sample_weight, splits)
            results.settle(self.error_score, type(self).__name__)
            self.cv_results_ = results.as_dict(points)
            self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
            self.best_params_ = points[self.best_index_]
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
            self.n_splits_ = len(splits)
            for name in "best_estimator_", "n_iter_", self._unseen:
                self.__dict__.pop(name, None)
            best: Any = None
            if self.refit:
                best = machine.set_params(**self.best_params_, verbose=self.verbose)
                if self.time_limit is not None:
                    best.time_limit = max(deadline - time.perf_counter(), SHORTEST)
                best.fit(X, y, sample_weight)
                best.verbose, best.time_limit = 0, None
                if hasattr(self, "feature_names_in_"):
                    best.feature_names_in_ = self.feature_names_in_
                self.best_estimator_, self.n_iter_ = best, best.n_iter_
            if search.keeps_unseen:
                shape = X.shape[0], len(best.intercept_)
                unseen = results.unseen_scores(self.best_index_, shape)
                setattr(self, self._unseen, unseen)
            self._settle(y, best)
        return self

    def _settle(self, y, best):
        """Store what follows from the targets; there is a best estimator or None."""

    def _machine(self):
        """Return the estimator that is searched, with the parameters both have."""
        known = set(self._machine_class._get_param_names()) - OF_BOTH
        shared = [name for name in self._get_param_names() if name in known]
        return self._machine_class(**{name: getattr(self, name) for name in shared})

    def _searched_machine(self, X):
        """Return the estimator to fit in the folds."""
        return self._machine()

    def _points(self, machine, X, sample_weight):
        """Return the points of the grid as ``GridSearchCV`` would order them."""
        grid = {}
        for name, plural in self._grids.items():
            values = getattr(self, plural)
            if values is None:
                values = self._default_values(plural, X, sample_weight)
            grid[name] = list(values)
            check_values(machine, name, plural, grid[name])
        also = self._also if self.grid != "paper" else None
        if also and all(getattr(self, self._grids[name]) is None for name in also):
            return list(ParameterGrid([grid, {**grid, **also}]))
        return list(ParameterGrid(grid))

    def _default_values(self, plural, X, sample_weight):
        if plural == "gammas" and (callable(self.kernel) or self.kernel in WITHOUT_WIDTH):
            return ("scale",)
        if plural == "gammas" and self.grid == "paper":
            return paper_gammas(X, check_sample_weight(sample_weight, X, dtype=np.float64))
        return self._named_grids[self._grid_name][plural]

    @property
    def _grid_name(self):
        """The grid that ``grid`` stands for in this search."""
        return self.grid

    def _splits(self, encoder, X, y, groups):
        splits = encoder.splits(self.cv, X, y, groups)
        if not splits:
            raise ValueError(f"cv={self.cv!r} gives no splits; expected at least one.")
        rows = np.arange(X.shape[0])
        for number, split in enumerate(splits):
            if any(len(rows[part]) == 0 for part in split):
                raise ValueError(
                    f"Fold {number} of cv={self.cv!r} has no rows to train on or none to "
                    "test on. Use fewer folds or another splitter."
                )
        return splits

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        machine_tags = self._machine().__sklearn_tags__()
        tags.input_tags.sparse = machine_tags.input_tags.sparse
        tags.input_tags.pairwise = machine_tags.input_tags.pairwise
        tags.target_tags.multi_output = machine_tags.target_tags.multi_output
        return tags


class ClassifierSearch(HintingClassifier, MachineSearch):
    """A search for the parameters of a classifier."""

    # Models in files of 0.1.0 have no such parameter.
    multi_class: str = "ovr"

    predict = available_if(has_best_estimator)(MarginClassifier.predict)
    decision_function = available_if(has_best_estimator)(MarginClassifier.decision_function)

    def _decide(self, X):
        return self.best_estimator_.decision_function(X)

    def _settle(self, y, best):
        self.classes_ = np.unique(y) if best is None else best.classes_
