"""Learning from a stream of batches: ``partial_fit`` and what it keeps between batches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from largemargin._compat import fit_context
from largemargin.estimators.base import MarginClassifier
from largemargin.estimators.documentation import described_like
from largemargin.estimators.fitting import all_or_nothing, settled_recipe
from largemargin.estimators.ldm import ldm_problem
from largemargin.estimators.linear_space import design_of
from largemargin.estimators.recipe import recipe_of
from largemargin.estimators.rows import Rows, validated_rows
from largemargin.estimators.self_tuning import WORD
from largemargin.estimators.targets import Classes, Part, check_machines, n_problems
from largemargin.numerics.memory import check_width
from largemargin.solvers.asgd import N_STEPS, Descent, Draws, run_epoch

# Results of a fit that would need all rows of the stream.
UNKNOWN = (
    "objective_",
    "margin_mean_",
    "margin_variance_",
    "residual_mean_",
    "residual_variance_",
    "dual_beta_",
    "history_",
)


@dataclass
class Stream:
    """The state between batches: one averaged descent for each problem.

    An estimator stores the descents as ``_descents``, the name in model files.
    """

    descents: list[Descent]

    @classmethod
    def of(cls, estimator) -> "Stream | None":
        """Return a copy of the stream of an estimator, or a new one at its last fit."""
        if getattr(estimator, "_descents", None):
            return cls([descent.copy() for descent in estimator._descents])
        if hasattr(estimator, "coef_"):
            return cls(list(map(Descent.at, estimator.coef_, estimator.intercept_)))
        return None

    @classmethod
    def at(cls, intercepts, n_features: int) -> "Stream":
        """Return a new stream, one descent at zero with each of these intercepts."""
        return cls([Descent.at(np.zeros(n_features), one) for one in intercepts])

    def learn(self, estimator, rows: Rows, parts: list[Part], pose: Callable) -> None:
        """Make one pass over a batch; prices refer to all rows seen so far.

        ``pose(targets, weight, number, total)`` returns a problem without a design, given
        its number among those on the same rows and the weight of all rows so far.
        """
        rng = check_random_state(estimator.random_state)
        descents = iter(self.descents)
        for members, targets in parts:
            some = rows.only(members)
            if not some.counted.any():
                next(descents)
                continue
            design = design_of(some.used)
            for number, (one, descent) in enumerate(zip(targets, descents, strict=False)):
                averaging = descent.weight_seen > 0
                total = descent.weight_seen = descent.weight_seen + some.weight.sum()
                problem = pose(one, some.weight, number, total).on(design)
                # With a fixed random_state, another pass over the same rows draws others.
                seeds = rng.randint(2**31 - 1), int(descent.scalars[N_STEPS])
                draws = Draws(problem, np.random.default_rng(seeds))
                run_epoch(problem, descent, draws, averaging=averaging, total=total)

    def keep(self, estimator) -> None:
        """Store the stream and its averages in an estimator."""
        coef, intercept = zip(*(one.average() for one in self.descents), strict=True)
        estimator._descents = self.descents
        estimator.coef_, estimator.intercept_ = np.array(coef), np.array(intercept)
        estimator.n_iter_, estimator.duality_gap_ = 1, np.nan
        for name in UNKNOWN:
            vars(estimator).pop(name, None)


class StreamingClassifier(MarginClassifier):
    """A linear classifier that can learn from one batch of rows after the other."""

    @fit_context(prefer_skip_nested_validation=True)
    @described_like(MarginClassifier.fit)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Make one pass of averaged stochastic gradient descent over a batch.

        Prices refer to all rows seen so far. The margin variance is estimated from pairs
        of rows in the same batch, so a batch should have at least a few tens of rows.
        Averaging begins with the second batch. ``C="loo"`` is chosen by the first batch, or
        by the last ``fit``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the batch.
        y
        classes : array-like of shape (n_classes,), default=None
            All labels of the stream; required in the first call only.
        sample_weight

        Returns
        -------
        self : object
            The estimator.
        """
        with all_or_nothing(self):
            is_hard = self.C != WORD and np.isinf(self.C)
            if is_hard or self.class_weight == "balanced":
                raise ValueError(
                    "partial_fit needs a finite C and class weights that do not depend on "
                    f"the batch; got C={self.C}, class_weight={self.class_weight!r}. Use "
                    "fit, or a dict of class weights."
                )
            first = not hasattr(self, "coef_")
            encoder = Classes(self.class_weight)
            rows = validated_rows(self, encoder, X, y, sample_weight, reset=first)
            check_width(rows.X.shape[1])
            self._check_batch_classes(rows.y, classes, first)
            if first:
                settled_recipe(self, recipe_of(self), rows)  # C="loo" by the first batch
            stream = Stream.of(self) or self._new_stream(rows.X.shape[1])
            encoder = Classes(multi_class="ovo" if self._one_vs_one else "ovr")
            parts = encoder.parts(rows.labels, self.classes_)
            stream.learn(self, rows, parts, self._problem_of_batch)
            stream.keep(self)
        return self

    def _new_stream(self, n_features):
        n_classes, multi_class = len(self.classes_), self.multi_class
        check_machines(n_classes, n_features, "features", multi_class)
        self._one_vs_one = multi_class == "ovo" and n_classes > 2
        return Stream.at(np.zeros(n_problems(n_classes, multi_class)), n_features)

    def _problem_of_batch(self, targets, weight, _number, total):
        return ldm_problem(self, None, targets, weight, total)

    def _check_batch_classes(self, y, classes, first):
        if first and classes is None:
            raise ValueError(
                "The first call of partial_fit needs classes, all labels of the stream: "
                "pass classes=numpy.unique(all_labels)."
            )
        if first:
            self.classes_ = np.unique(classes)
            check_classification_targets(self.classes_)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"classes must hold at least two classes; got {self.classes_!r}."
                )
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes must stay as they were in the first call, {self.classes_!r}; got "
                f"{np.unique(classes)!r}."
            )
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y must hold only the known classes {self.classes_!r}; got {unknown!r}."
            )
