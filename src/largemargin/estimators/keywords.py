"""Answers to the parameters of scikit-learn's SVMs that the estimators here do not have."""

from difflib import get_close_matches
from inspect import Parameter, signature
from typing import NoReturn

from sklearn.base import BaseEstimator, ClassifierMixin

CALIBRATE = "use largemargin.calibrate(model, X, y) with the fitted model for probabilities"
KERNEL = "for kernels, use LDMClassifier or LDMClassifierCV"
INSTEAD = {
    "alpha": "use C, which corresponds to 1 / (alpha * n_samples)",
    "break_ties": "predict always returns the class with the largest score",
    "cache_size": "the Gram matrix is stored as a whole, so there is no cache",
    "coef0": KERNEL,
    "decision_function_shape": "decision_function returns one column per class ('ovr')",
    "degree": KERNEL,
    "dual": "the algorithm is chosen automatically, or by solver where that exists",
    "gamma": KERNEL,
    "intercept_scaling": "the intercept is not penalised and needs no scaling",
    "kernel": KERNEL,
    "l1_ratio": "the penalty is always the squared norm of w; its strength is set by C",
    "lambda1": "use lambda_var, the price of the margin variance",
    "lambda2": "use lambda_mean, the reward of the margin mean",
    "loss": "LDM estimators use the hinge loss, ODMClassifier a squared loss",
    "multi_class": "more than two classes are always fitted one against the rest",
    "nu": "use C to set the price of margin violations",
    "param_grid": "pass the values of each parameter separately, such as Cs=[1, 10]",
    "penalty": "the penalty is always the squared norm of w; its strength is set by C",
    "probability": CALIBRATE,
    "random_state": "the fit does not use random numbers",
    "shrinking": "the solver chooses the rows to work on by itself",
    "warm_start": "every fit starts anew",
}


def check_names(cls, given, known, kind):
    """Raise an error that says what to use instead of an unknown parameter, if known."""
    for name in given.keys() - known.keys():
        near = get_close_matches(name, known, n=1)
        if f"{name}s" in known:
            hint = f"; pass the values to search as {name}s."
        elif name in INSTEAD:
            hint = f"; {INSTEAD[name]}."
        elif near:
            hint = f". Did you mean {near[0]!r}?"
        else:
            continue
        raise kind(f"{cls.__name__} has no parameter {name!r}{hint}")


class HintingClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that explains what to use instead of parameters it does not have."""

    def __new__(cls, *args, **kwargs):  # noqa: D102
        known = signature(cls.__init__).parameters if kwargs else {}
        if all(one.kind != Parameter.VAR_KEYWORD for one in known.values()):
            check_names(cls, kwargs, known, TypeError)
        # Names without a hint are left to Python's own error.
        return super().__new__(cls)

    def set_params(self, **params):
        """Set parameters by name and return the estimator, as in scikit-learn."""
        check_names(type(self), params, self.get_params(), ValueError)
        return super().set_params(**params)

    @property
    def predict_proba(self) -> NoReturn:
        """Not available: ``largemargin.calibrate`` returns a model with probabilities."""
        raise AttributeError(f"{type(self).__name__} has no predict_proba; {CALIBRATE}.")
