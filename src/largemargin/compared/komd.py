"""Kernel method for the optimisation of the margin distribution (KM-OMD)."""

from dataclasses import replace
from numbers import Real

import numpy as np

from largemargin._compat import Interval, StrOptions
from largemargin.estimators.base import CONSTRAINTS, KernelChoice, MarginClassifier
from largemargin.estimators.documentation import described_like
from largemargin.estimators.kernel_expansion import KernelExpansion
from largemargin.estimators.kernel_space import space_of
from largemargin.estimators.ldm import LDMClassifier
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.targets import Classes
from largemargin.numerics.rounding import UNIT, growth
from largemargin.problem import NotSeparable, Prices, Problem
from largemargin.problem.certificate import Certificate
from largemargin.problem.losses import loss_named
from largemargin.solvers import SOLVERS, Solution, Start, solve

# The support vector machine is solved again, to a tolerance smaller by this factor, until
# the weights that it gives are accurate enough.
CLOSER = 1e-3
# A gap that remains above this part of the last one is due to rounding.
NOTABLY = 0.5
# Number of operations from a score to its component of the gradient.
A_FEW = 8
HULLS_MEET = (
    "lam={} asks for the nearest points of two classes that cannot be separated: their "
    "hulls meet, and no direction is left. Use a larger lam or another kernel."
)


@described_like(LDMClassifier)
class KOMDClassifier(KernelExpansion, MarginClassifier):
    r"""Kernel method for the optimisation of the margin distribution.

    One player chooses a direction, the other a distribution over the rows of each class;
    the payoff is the expected difference of the scores of the classes. The second player
    minimises it, with a price on distributions that are concentrated on few rows [1]_:

    ``(1 - lam) * sum_ij p_i p_j y_i y_j k(x_i, x_j) + lam * r * sum_i p_i^2 / s_i``

    over weights ``p >= 0`` that sum to one in each class, where ``s`` are the sample
    weights. The score of a row is ``sum_i y_i p_i k(x_i, x)`` minus a threshold, the
    midpoint of its weighted means over the classes.

    Parameters
    ----------
    lam : float, default=0.1
        Price of uneven weights, in [0, 1]. A larger value spreads the weights over more
        rows. With 1 all rows have the same weight, which gives the difference of the class
        means; 0 is the hard margin and raises an error if the classes cannot be separated.
    ridge : {"unit", "classes"}, default="unit"
        The scale r of that price: 1, as in the paper, or ``s+ s- / (s+ + s-)`` with the
        sums of weights of the classes, as in EasyMKL, so that the effect of ``lam`` does
        not depend on the number of rows.
    kernel
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of ``"rbf"``, ``"poly"``, ``"sigmoid"`` and ``"laplacian"``. A larger
        value narrows the kernel. ``"scale"`` is ``1 / (n_features * X.var())`` with the
        rows weighted; ``"auto"`` is ``1 / n_features``.
    degree, coef0, tol, max_iter, time_limit, n_jobs, verbose

    Attributes
    ----------
    classes_
    dual_beta_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        The weights ``p`` of the rows.
    objective_
    duality_gap_ : float or ndarray of shape (n_classes,)
        Upper bound on the distance of the objective from its optimum, relative to its size:
        the sum over the classes of ``p . q - min(q)``, where q is the gradient.
    gamma_, coef_, support_, support_vectors_, dual_coef_, low_rank_residual_
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The threshold with its sign reversed.
    margin_mean_, margin_variance_, n_iter_
    history_ : dict or list of dict
        As in :class:`LDMClassifier`, for the support vector machine in Notes.
    n_features_in_, feature_names_in_

    Notes
    -----
    Up to a factor, the weights are the dual variables of a support vector machine with
    squared hinge loss and ``C = (1 - lam) / (2 lam r)``, solved in about ten Newton
    steps. Memory grows with the square of the number of rows, except for
    ``kernel="linear"``, which computes no Gram matrix and stores ``coef_`` instead of
    support vectors. Large Gram matrices are treated as in :class:`LDMClassifier`.

    References
    ----------
    .. [1] F. Aiolli, G. Da San Martino, A. Sperduti. A kernel method for the optimization
       of the margin distribution. ICANN 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import KOMDClassifier
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> model = KOMDClassifier(lam=0.1).fit(X, y)
    >>> model.duality_gap_ <= model.tol
    True
    >>> print(f"{model.dual_beta_[y == 1].sum():.3f}")
    1.000
    """

    _parameter_constraints: dict = {
        **CONSTRAINTS,
        "lam": [Interval(Real, 0, 1, closed="both")],
        "ridge": [StrOptions({"unit", "classes"})],
    }

    def __init__(
        self,
        lam: float = 0.1,
        *,
        ridge: str = "unit",
        kernel: KernelChoice = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-4,
        max_iter: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lam, self.ridge = lam, ridge
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.tol, self.max_iter, self.time_limit = tol, max_iter, time_limit
        self.n_jobs, self.verbose = n_jobs, verbose

    def __largemargin_recipe__(self):
        # The certificate is about the weights of the rows, not about their expansion.
        space = space_of(self, examines=False)
        return Recipe(Classes(), space, self._pose, solve=self._solve)

    def _pose(self, targets, weight, _number):
        """Return the problem with squared hinge loss that has the same dual variables."""
        price = self.lam * self._ridge_scale(targets.sign, weight)
        with np.errstate(divide="ignore", over="ignore"):
            C = np.float64(1.0 - self.lam) / (2.0 * price)
        loss = loss_named("squared_hinge", C)
        return Problem(None, targets, weight, Prices(C), loss=loss)

    def _ridge_scale(self, sign, weight):
        if self.ridge == "unit":
            return 1.0
        less, more = sorted([weight[sign > 0].sum(), weight[sign < 0].sum()])
        return less / (1.0 + less / more)

    def _solve(self, problem, solver, *, tol, max_iter, start=None, **options):
        """Return the weights of the rows as a solution with their own certificate."""
        if problem.prices.C == 0:
            return self._balance(problem, np.ones_like(problem.weight), 1, tol)
        left = SOLVERS[solver].max_iter if max_iter is None else max_iter
        inner_tol, n_iter, best = CLOSER * tol, 0, None
        while n_iter < left:
            options |= {"tol": inner_tol, "max_iter": left - n_iter, "start": start}
            try:
                svm = solve(problem, solver, **options)
            except NotSeparable:
                raise NotSeparable(HULLS_MEET.format(self.lam)) from None
            n_iter += svm.n_iter
            solution = self._balance(problem, svm.beta, n_iter, tol)
            last_gap = np.inf if best is None else best.certificate.gap
            stuck = best is not None and solution.certificate.gap > NOTABLY * last_gap
            best = solution if solution.certificate.gap < last_gap else best or solution
            if best.converged or stuck or options["progress"].is_late:
                break
            inner_tol *= CLOSER
            start = Start(svm.beta, svm.w, svm.offset)
        return replace(best, n_iter=n_iter)

    def _balance(self, problem, beta, n_iter, tol):
        """Return the solution with dual variables as weights, scaled to sum to one."""
        design, y, weight = problem.design, problem.sign, problem.weight
        p = weight * beta
        for sign in -1, 1:
            some = y == sign
            # Without any pull on the rows of a class, all of them count the same.
            own = p[some] if p[some].any() else weight[some]
            p[some] = own / own.sum()
        w = design.combine(y * p)
        measured = design.measure(w)
        certificate = self._certify(problem, p, measured)
        if certificate.relative > tol:
            measured = design.measure_closely(w, measured, np.ones(len(y), bool))
            certificate = self._certify(problem, p, measured)
        offset = -0.5 * (p @ measured.scores)
        point = problem.point(w, measured.scores, offset)
        converged = bool(certificate.relative <= tol)
        intercept = design.offset_outside(w, offset)
        return Solution(*point, p / weight, certificate, n_iter, converged, intercept)

    def _certify(self, problem, p, measured):
        """Return the certificate of weights, the rounding of their scores included."""
        y, weight = problem.sign, problem.weight
        price = self.lam * self._ridge_scale(y, weight)
        gradient = 2.0 * ((1.0 - self.lam) * y * measured.scores + price * p / weight)
        objective = 0.5 * (p @ gradient)
        if not objective > 0:
            raise NotSeparable(HULLS_MEET.format(self.lam))
        errors = 2.0 * (1.0 - self.lam) * measured.errors
        errors += A_FEW * UNIT * np.abs(gradient)
        gap = growth(len(y)) * objective
        for sign in -1, 1:
            some = y == sign
            # A sum of what each weight could still gain, in which nothing cancels.
            gap += p[some] @ (gradient[some] - gradient[some].min())
            gap += p[some] @ errors[some] + errors[some].max()
        return Certificate(objective, gap, objective)
