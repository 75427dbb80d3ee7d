"""The large margin distribution machine with a kernel."""

from typing import Literal

import numpy as np

from largemargin._compat import StrOptions
from largemargin.estimators.base import (
    CONSTRAINTS,
    ClassWeight,
    KernelChoice,
    MarginClassifier,
    Seed,
)
from largemargin.estimators.kernel_expansion import KernelExpansion
from largemargin.estimators.kernel_space import KernelSpace
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.self_tuning import WORD
from largemargin.estimators.targets import Classes
from largemargin.kernels.widths import multiple_of_scale
from largemargin.problem import Prices, Problem
from largemargin.problem.losses import loss_named

# lambda="scale" means this constant times C times the sum of the weights: the largest
# value that is hardly ever worse than an SVM, see docs/defaults.
SCALES = {"lambda_var": 0.01, "lambda_mean": 0.01}


class LDMClassifier(KernelExpansion, MarginClassifier):
    r"""Large margin distribution machine with a kernel.

    Minimises over ``w`` in the feature space ``phi`` of the kernel and over ``b``, with
    the margins ``g_i = y_i (w . phi(x_i) + b)``,

    ``|w|^2 / 2 + lambda_var * 2 var(g) - lambda_mean * mean(g) + C * sum(s * loss)``

    where ``loss_i = max(0, 1 - g_i)``, or its square, and ``s`` are the sample weights,
    which also weight the mean and the variance. Zero lambdas give the support vector
    machine, ``C=numpy.inf`` a hard margin. The intercept ``b`` is not penalised.

    Parameters
    ----------
    C : float or "loo", default="loo"
        Price of margin violations (regularisation parameter), not divided by the number of
        samples. A larger value fits the training rows more closely. ``numpy.inf`` forbids
        violations and raises an error if the classes cannot be separated; 0 ignores them.
        ``"loo"`` chooses it by the leave-one-out error of ridge regressions on the signs of
        the rows, which has a closed form; see the user guide on self-tuning.
    lambda_var : float or "scale", default="10*scale"
        Price of the margin variance, lambda_1 in the paper. A larger value draws the
        margins together. ``"scale"`` is ``0.01 * C * sum(s)``, so that its effect depends
        neither on C nor on the number of samples (if C is 0 or infinite, 1 replaces it).
        Multiples such as ``"0.3*scale"`` are accepted too.
    lambda_mean : float or "scale", default=0.0
        Reward of the margin mean, lambda_2 in the paper. A larger value raises all margins,
        including those above one. ``"scale"`` and its multiples mean the same as above.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss of a margin ``g`` below one: ``1 - g`` or ``(1 - g)^2``. The squared hinge
        is smooth and therefore often faster; it has more support vectors. A hard margin
        is the same with both.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "precomputed"} \
            or callable, default="rbf"
        A callable takes two arrays of rows and returns the matrix of their inner products.
        With ``"precomputed"``, X is that matrix. The Gram matrix of ``"sigmoid"``, or of
        ``"poly"`` with a negative ``coef0``, may have negative eigenvalues; they are
        removed with a warning. From a callable or in X, they raise an error.
    gamma : {"scale", "auto", "loo"} or float, default="loo"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. A larger
        value narrows the kernel. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted by ``s``; ``"auto"`` is ``1 / n_features``; ``"loo"`` chooses one of
        1/16, 1/4, 1 and 4 times ``"scale"``, as for C (``"scale"`` if C is 0 or infinite).
    degree : int, default=3
        Degree of ``"poly"``.
    coef0 : float, default=0.0
        Constant of ``"poly"`` and ``"sigmoid"``.
    fit_intercept : bool, default=True
        Whether to fit the intercept ``b``. The method in the paper has none.
    class_weight : dict or "balanced", default=None
        Factor on the sample weights of each class; ``"balanced"`` gives every class the
        same sum of weights.
    multi_class : {"ovo", "ovr"}, default="ovo"
        How more than two classes are fitted. ``"ovo"`` fits one machine per pair of
        classes, on their rows alone, as ``SVC`` does; ``"ovr"`` fits one per class, against
        all others. ``"scale"`` prices use the weights of the rows of a machine, and
        ``gamma="scale"`` uses all rows.
    solver : {"auto", "kernel_dual", "dual_cd"}, default="auto"
        ``"kernel_dual"`` optimises pairs of dual variables if ``lambda_var`` is small; if
        it is large, it sweeps over few rows, and uses Newton's method on the dual of many.
        ``"dual_cd"`` is the coordinate descent of the paper; with a positive ``lambda_var``
        it inverts a matrix as large as the Gram matrix. ``"auto"`` uses
        ``"kernel_dual"``, and a method that stores no Gram matrix where that would be too
        large, see Notes.
    tol : float, default=1e-4
        Relative duality gap at which to stop.
    max_iter : int, default=None
        Maximum number of iterations. None allows 500 Newton steps, products with the Gram
        matrix, or tens of sweeps over few rows; or 10,000 sweeps of ``solver="dual_cd"``.
    time_limit : float, default=None
        Seconds after which the fit stops and keeps the best solution so far, with a warning
        that states its gap. Single steps, such as the computation of the Gram matrix, are
        not interrupted. None sets no limit.
    n_jobs : int, default=None
        Number of threads that fit the machines of more than two classes in parallel; -1
        uses all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Random seed for the order of rows in ``solver="dual_cd"``.
    verbose : int, default=0
        If positive, report progress on standard error, or to the ``largemargin`` logger if
        :mod:`logging` is configured to show its messages of level INFO.
    warm_start : bool, default=False
        Whether to start from the solution of the last fit, if that was on the same number
        of rows and classes, with the same ``multi_class``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    C_ : float
        The price of margin violations; what was chosen for ``C="loo"``.
    gamma_ : float
        The coefficient of the kernel, if it has one.
    loo_results_ : dict
        With ``"loo"`` only: the values ``C`` and ``gamma`` that were compared, arrays
        ``error`` (leave-one-out error) and ``squared_residual`` with one row per gamma and
        one column per C, and ``best``, the indices of the choice in them.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors among the training rows. A positive ``lambda_var``
        or ``lambda_mean`` gives every row a coefficient. If a few rows span all others, as
        is common for smooth kernels, the solution is expressed by these few. Those of
        pairs of classes are grouped by class.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, n_support) or (n_machines, n_support)
        Coefficients of the support vectors in the expansion of ``w``. Here and below, with
        more than two classes there is one entry per class (``"ovr"``) or per pair of
        classes (``"ovo"``), in the order (0, 1), (0, 2), .. (k - 2, k - 1). Scores of a
        pair are positive for its second class, as with two classes.
    low_rank_residual_ : float or None
        Share of the trace of the Gram matrix that a low-rank model leaves out; None for
        all other models. Only models of more than 60,000 rows without a ``time_limit`` are
        of low rank, see Notes.
    coef_ : ndarray of shape (1, n_features) or (n_machines, n_features)
        The vector ``w``. With a kernel other than ``"linear"`` it does not exist.
    intercept_ : ndarray of shape (1,) or (n_machines,)
        The intercept ``b``.
    duality_gap_ : float or ndarray of shape (n_machines,)
        Certified distance of the objective from its optimum, relative to its size. It
        holds for the fitted model as it is stored, rounding included.
    objective_ : float or ndarray of shape (n_machines,)
        The minimised objective.
    margin_mean_, margin_variance_ : float or ndarray of shape (n_machines,)
        Weighted mean and variance of the training margins.
    dual_beta_ : ndarray of shape (n_samples,) or (n_machines, n_samples)
        Dual variables, between 0 and ``C * s_i``; zero for rows outside the pair. For
        ``loss="squared_hinge"`` they have no upper bound.
    n_iter_ : int
        Number of iterations; with more than two classes, the largest.
    history_ : dict or list of dict
        ``objective``, ``duality_gap`` and ``seconds`` after each step; with more than two
        classes, one dict per machine.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has names that are strings.

    See Also
    --------
    LinearLDMClassifier : Faster for a linear kernel, and suited to many rows.

    Notes
    -----
    The Gram matrix takes ``m^2`` numbers for m rows, float32 beyond 4,000 rows and,
    with a ``tol`` of at least 1e-4, beyond 1,200. A small
    ``lambda_var`` (up to about 1/4) costs little more than the SVM. A large one, such as
    ``"scale"``, takes products of the Gram matrix with vectors, ``m^2`` operations each:
    often about ten, and up to some hundred for a large C or a small ``tol``. Besides, a
    factor of low rank r (at most 1,200, usually a few hundred) takes ``m r`` numbers and
    ``m r^2`` operations. Up to 2,000 rows, sweeps over the rows come first; where these are
    slow, a matrix of up to 600 rows is inverted, of up to 1,000 with the hinge, and of
    twice as many rows if float32 is exact enough.

    If the Gram matrix would take more than 4 GiB, beyond about 32,000 rows,
    ``solver="auto"`` does not store it, provided that the kernel is positive
    semi-definite. It solves a low-rank approximation of the problem, and then improves this
    solution by products with the whole matrix, which is computed anew, tile by tile, for
    each product; tiles of up to 2 GiB are kept. The model is exact: ``duality_gap_``
    reaches ``tol``. A product takes a few seconds at 60,000 rows. With more rows than
    that, this is done only if a ``time_limit`` is set, and when the time is over, a warning
    states the gap and how long another product would take.

    Without a ``time_limit``, the model of more than 60,000 rows is of low rank: rows are
    drawn until they explain all but a thousandth of the trace of the Gram matrix, at most
    1,000 of them, and ``w`` is sought in their span. ``low_rank_residual_`` is the share of
    the trace left out. ``duality_gap_`` still refers to the exact problem, so it seldom
    reaches ``tol``, and a warning says so; it is an upper bound that may be far too large.

    With ``multi_class="ovo"``, k classes have ``k (k - 1) / 2`` machines, each on a block
    of the Gram matrix of all rows, which is copied while the machine is fitted. If that
    matrix would be too large, each machine has its own, to which the limits above apply.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import LDMClassifier
    >>> X, y = make_moons(noise=0.3, random_state=0)
    >>> model = LDMClassifier().fit(X, y)
    >>> model.duality_gap_ <= model.tol
    True
    >>> print(f"{model.score(X, y):.2f}")
    0.95
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "solver": [StrOptions({"auto", "kernel_dual", "dual_cd"})],
    }

    # Models in files of 0.1.0 have no such parameter.
    loss: str = "hinge"

    def __init__(
        self,
        C: float | Literal["loo"] = "loo",
        *,
        lambda_var: float | str = "10*scale",
        lambda_mean: float | str = 0.0,
        loss: str = "squared_hinge",
        kernel: KernelChoice = "rbf",
        gamma: float | str = "loo",
        degree: int = 3,
        coef0: float = 0.0,
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
        self.loss = loss
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.fit_intercept, self.class_weight = fit_intercept, class_weight
        self.multi_class = multi_class
        self.solver, self.tol, self.max_iter = solver, tol, max_iter
        self.time_limit, self.n_jobs, self.random_state = time_limit, n_jobs, random_state
        self.verbose, self.warm_start = verbose, warm_start

    def __largemargin_recipe__(self):
        return ldm_recipe(self, KernelSpace(self))


def ldm_recipe(machine, space):
    """Return the recipe of a large margin distribution machine in a space."""

    def pose(targets, weight, _number):
        return ldm_problem(machine, None, targets, weight, weight.sum())

    encoder = Classes(machine.class_weight, machine.multi_class)
    return Recipe(encoder, space, pose, machine.solver, curvature=curvature_of(machine))


def curvature_of(machine):
    """Return the curvature of the variance and of a squared hinge for C = 1."""
    factor = multiple_of_scale(machine.lambda_var, "lambda_var") or 0.0
    return 4.0 * SCALES["lambda_var"] * factor + 2.0


def ldm_problem(machine, design, targets, weight, total):
    """Return the problem of a machine, given the sum of weights for ``"scale"``."""
    prices = ldm_prices(machine, total)
    loss = loss_named(machine.loss, prices.C)
    return Problem(design, targets, weight, prices, machine.fit_intercept, loss)


def ldm_prices(machine, total):
    """Return C and both lambdas as numbers, given the sum of weights for ``"scale"``."""
    C = float(machine.C_ if machine.C == WORD else machine.C)
    # "scale" cannot refer to a C that is zero or infinite: one takes its place.
    # Floats of Python overflow without a warning, and the problem is refused then.
    unit = (C if 0 < C < np.inf else 1.0) * float(total)
    prices = {}
    for name, constant in SCALES.items():
        value = getattr(machine, name)
        factor = multiple_of_scale(value, name)
        prices[name] = float(value) if factor is None else factor * constant * unit
    return Prices(C, **prices)
