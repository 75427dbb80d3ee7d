"""The large margin distribution machine on explicit features."""

from typing import Literal

from sklearn.utils.extmath import safe_sparse_dot

from largemargin._compat import StrOptions
from largemargin.estimators.base import CONSTRAINTS, ClassWeight, Seed
from largemargin.estimators.documentation import described_like
from largemargin.estimators.ldm import LDMClassifier, ldm_recipe
from largemargin.estimators.linear_space import LinearSpace
from largemargin.estimators.streaming import StreamingClassifier


@described_like(LDMClassifier)
class LinearLDMClassifier(StreamingClassifier):
    r"""Large margin distribution machine without a kernel.

    Minimises over ``w`` and ``b``, with the margins ``g_i = y_i (w . x_i + b)``,

    ``|w|^2 / 2 + lambda_var * 2 var(g) - lambda_mean * mean(g) + C * sum(s * loss)``

    where ``loss_i = max(0, 1 - g_i)``, or its square, and ``s`` are the sample weights,
    which also weight the mean and the variance. By default both lambdas are zero, which
    gives a support vector machine that chooses its ``C``; ``C=numpy.inf`` gives a hard
    margin. The intercept ``b`` is not penalised.

    Parameters
    ----------
    C
    lambda_var : float or "scale", default=0.0
        Price of the margin variance, as in :class:`LDMClassifier`. The default is no price,
        which makes the machine an SVM: linear machines of many rows lose by a price.
    lambda_mean, loss, fit_intercept, class_weight
    multi_class : {"ovo", "ovr"}, default="ovo"
        How more than two classes are fitted. ``"ovo"`` fits one machine per pair of
        classes, on their rows alone; ``"ovr"`` fits one per class, against all others.
        ``"scale"`` prices use the weights of the rows of a machine.
    solver : {"auto", "newton", "dual_cd", "asgd"}, default="auto"
        ``"newton"`` is Newton's method; it suits any prices. ``"dual_cd"`` updates one dual
        variable at a time; it suits sparse rows, a small C and a small ``lambda_var``.
        ``"asgd"`` is the averaged stochastic gradient descent of the paper; it runs
        ``max_iter`` epochs regardless of ``tol``. ``"auto"`` begins with ``"dual_cd"`` if
        rows have more than 2,000 features, or are sparse and ``lambda_var`` is small, and
        switches to Newton's method when that progresses too slowly.
    tol
    max_iter : int, default=None
        Maximum number of iterations. None allows 500 Newton steps, 10,000 sweeps of
        ``"dual_cd"``, or 5 epochs of ``"asgd"``.
    time_limit, n_jobs
    random_state : int, RandomState instance or None, default=None
        Random seed for the order of rows in ``"dual_cd"`` and ``"asgd"``.
    verbose, warm_start

    Attributes
    ----------
    classes_
    C_
    loo_results_ : dict
        With ``C="loo"`` only: the values ``C`` that were compared, arrays ``error``
        (leave-one-out error) and ``squared_residual`` with one row and one column per C,
        and ``best``, the indices of the choice in them.
    coef_ : ndarray of shape (1, n_features) or (n_machines, n_features)
        The vector ``w``. Here and below, with more than two classes there is one entry per
        class (``"ovr"``) or per pair of classes (``"ovo"``), in the order (0, 1), (0, 2),
        .. (k - 2, k - 1). Scores of a pair are positive for its second class, as with two
        classes.
    intercept_, duality_gap_, objective_, margin_mean_, margin_variance_, dual_beta_
    n_iter_, history_, n_features_in_, feature_names_in_

    See Also
    --------
    LDMClassifier : The same with a kernel.

    Notes
    -----
    A Newton step costs O(m k^2) for m rows and k features up to 2,000, and a few tens of
    steps suffice for any C. Memory beyond the data: O(k^2 + m). With more features, each
    step takes some products with the rows instead. If there are at most 5,000 rows and
    ``lambda_var`` is large, one factorisation of the matrix of their inner products, m^2
    numbers, keeps the number of these products small.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import minmax_scale
    >>> from largemargin import LinearLDMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearLDMClassifier().fit(minmax_scale(X), y)
    >>> model.duality_gap_ <= model.tol
    True
    >>> print(f"{model.score(minmax_scale(X), y):.2f}")
    0.99
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "solver": [StrOptions({"auto", "newton", "dual_cd", "asgd"})],
    }

    # Models in files of 0.1.0 have no such parameter.
    loss: str = "hinge"

    def __init__(
        self,
        C: float | Literal["loo"] = "loo",
        *,
        lambda_var: float | str = 0.0,
        lambda_mean: float | str = 0.0,
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        multi_class: str = "ovo",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.C, self.lambda_var, self.lambda_mean = C, lambda_var, lambda_mean
        self.loss, self.fit_intercept, self.class_weight = loss, fit_intercept, class_weight
        self.multi_class = multi_class
        self.solver, self.tol, self.max_iter = solver, tol, max_iter
        self.time_limit, self.n_jobs, self.random_state = time_limit, n_jobs, random_state
        self.verbose, self.warm_start = verbose, warm_start

    def __largemargin_recipe__(self):
        return ldm_recipe(self, LinearSpace(self.fit_intercept))

    def _scores(self, X):
        return safe_sparse_dot(X, self.coef_.T, dense_output=True)
