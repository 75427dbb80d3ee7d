"""Answers to the parameters of scikit-learn's SVMs that the estimators here do not have."""

import re
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any, NoReturn, Self

from sklearn.base import BaseEstimator, ClassifierMixin

CALIBRATE = "use largemargin.calibrate(model, X, y) with the fitted model for probabilities"
KERNEL = ("for kernels, use LDMClassifier or LDMClassifierCV",)
NO_STEPS = ("the solution has a closed form, so there are no steps",)
PENALTY = (
    "the penalty is always the squared norm of w; its strength is set by {C}",
    "the penalty cannot be chosen",
)
# The first answer counts whose parameters, in braces, an estimator has; a search may have
# values of them instead, such as Cs.
INSTEAD = {
    "C": (
        "use {lam}, the price of uneven weights",
        "this method has no price of margin violations",
    ),
    "alpha": ("use {C}, which corresponds to 1 / (alpha * n_samples)",),
    "break_ties": ("predict always returns the class with the largest score",),
    "cache_size": ("there is no kernel cache",),
    "class_weight": ("pass weights of the rows as sample_weight to fit",),
    "coef0": KERNEL,
    "decision_function_shape": (
        "decision_function returns one column per class ('ovr'); to fit one machine per "
        "class or per pair of classes, use {multi_class}",
        "decision_function returns one column per class ('ovr')",
    ),
    "degree": KERNEL,
    "dual": ("use {solver} to choose the algorithm", "the algorithm cannot be chosen"),
    "fit_intercept": ("use {threshold}", "the threshold is always fitted"),
    "gamma": KERNEL,
    "intercept_scaling": ("the intercept needs no scaling",),
    "kernel": KERNEL,
    "l1_ratio": PENALTY,
    "lambda1": ("use {lambda_var}, the price of the margin variance",),
    "lambda2": ("use {lambda_mean}, the reward of the margin mean",),
    "loss": ("the loss is part of the method; only LDM estimators have a choice",),
    "max_iter": NO_STEPS,
    "multi_class": ("more than two classes are always fitted one against the rest",),
    "nu": (
        "use {C} to set the price of margin violations",
        "the number of support vectors cannot be bounded",
    ),
    "param_grid": ("use {grid}, or pass values of each parameter, such as Cs=[1, 10]",),
    "penalty": PENALTY,
    "probability": (CALIBRATE,),
    "random_state": ("the result does not depend on a random seed",),
    "shrinking": ("the solver chooses the rows to work on by itself",),
    "tol": NO_STEPS,
    "verbose": ("progress is not reported",),
    "warm_start": ("every fit starts anew",),
}
NO_CLASSES = dict.fromkeys(
    ("break_ties", "class_weight", "decision_function_shape", "multi_class", "probability"),
    ("there are no classes",),
)
# Answers of regressors, which come first.
INSTEAD_FOR_VALUES: dict[str, tuple[str, ...]] = {
    **NO_CLASSES,
    **dict.fromkeys(
        ("coef0", "degree", "gamma", "kernel"),
        ("for kernels, use LDMRegressor or LDMRegressorCV",),
    ),
    "alpha": (
        "use {C}, of which a larger value regularises less; ridge regression is C=0 with "
        "{lambda_square} of n_samples / (2 * alpha)",
    ),
    "lambda1": ("use {lambda_var}, the price of the variance of the residuals",),
    "lambda2": ("use {lambda_square}, the price of the mean squared residual",),
    "lambda_mean": ("use {lambda_square}, the price of the mean squared residual",),
    "nu": ("use {epsilon}, half the width of the tube, which nu would choose",),
    "solver_options": ("use {tol} and {max_iter}",),
    "tau": ("use {quantile}, with loss='quantile'",),
}
# Answers of machines of one class.
INSTEAD_FOR_OUTLIERS: dict[str, tuple[str, ...]] = {
    **NO_CLASSES,
    "C": ("use {nu}, as the price of a row below the threshold is 1 / (nu * n_samples)",),
    "contamination": ("use {nu}, an upper bound of the share of outliers",),
    "epsilon": ("scores have no tube",),
    "loss": ("the loss is part of the method",),
    "n_jobs": ("a fit is one problem, with nothing to share among workers",),
    "solver": ("the algorithm cannot be chosen",),
}


def hint_at(name, known, first):
    """Return what to use instead of a parameter, as the end of a sentence, or None.

    Answers in ``first`` come before those in ``INSTEAD``.
    """
    if f"{name}s" in known:
        return f"; pass the values to search as {name}s."
    for answer in (*first.get(name, ()), *INSTEAD.get(name, ())):
        mentioned = re.findall(r"{(\w+)}", answer)
        own = {one: one if one in known else f"{one}s" for one in mentioned}
        if set(own.values()) <= set(known):
            return f"; {answer.format(**own)}."
    near = get_close_matches(name, known, n=1)
    return f". Did you mean {near[0]!r}?" if near else None


def check_names(cls, given, known, kind):
    """Raise an error that says what to use instead of an unknown parameter, if known."""
    for name in given:
        hint = None if name in known else hint_at(name, known, cls._instead)
        if hint is not None:
            raise kind(f"{cls.__name__} has no parameter {name!r}{hint}")


class HintingEstimator(BaseEstimator):
    """An estimator that explains what to use instead of parameters it does not have."""

    # Answers that come before those in ``INSTEAD``.
    _instead: dict[str, tuple[str, ...]] = {}

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:  # noqa: D102
        own = list(signature(cls.__init__).parameters.values())[1:] if kwargs else []
        if all(one.kind != Parameter.VAR_KEYWORD for one in own):
            check_names(cls, kwargs, [one.name for one in own], TypeError)
        # Names without a hint are left to Python's own error.
        return super().__new__(cls)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name and return the estimator, as in scikit-learn."""
        check_names(type(self), params, self.get_params(), ValueError)
        return super().set_params(**params)


class HintingClassifier(ClassifierMixin, HintingEstimator):
    """A classifier that explains how to get probabilities, too."""

    @property
    def predict_proba(self) -> NoReturn:
        """Not available: ``largemargin.calibrate`` returns a model with probabilities."""
        raise AttributeError(f"{type(self).__name__} has no predict_proba; {CALIBRATE}.")
