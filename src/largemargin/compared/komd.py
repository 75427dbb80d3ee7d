"""Kernel method for the optimisation of the margin distribution (KM-OMD)."""

from dataclasses import replace
from numbers import Real

import numpy as np

from largemargin._compat import Interval, StrOptions
from largemargin.estimators.base import CertifiedClassifier
from largemargin.estimators.kernel_space import KernelExpansion, space_of
from largemargin.estimators.recipe import Recipe
from largemargin.estimators.targets import Classes
from largemargin.numerics.rounding import UNIT, growth
from largemargin.problem import NotSeparable, Prices, Problem
from largemargin.problem.certificate import Certificate
from largemargin.problem.losses import HINGE, Band
from largemargin.solvers import SOLVERS, Solution, Start, solve

# The machine behind is solved anew, more closely by this factor, until the weights it
# gives are close enough.
CLOSER = 1e-3
NOTABLY = 0.5
# Operations that make a gradient of its scores.
A_FEW = 8
HULLS_MEET = (
    "lam={} asks for the nearest points of two classes that cannot be told apart: their "
    "hulls meet, and no direction is left. Use a larger lam or another kernel."
)


class KOMDClassifier(KernelExpansion, CertifiedClassifier):
    r"""Kernel method for the optimisation of the margin distribution.

    One player picks a direction, the other a distribution over the rows of either class;
    the payoff is the expected gap of their scores. The second player minimises, with a
    price on distributions that lean on few rows [1]_: over weights ``p >= 0`` whose sum is
    one in each class,

    ``(1 - lam) * sum_ij p_i p_j y_i y_j k(x_i, x_j) + lam * r * sum_i p_i^2 / s_i``

    is least, where ``s`` are the sample weights. The score of a row is
    ``sum_i y_i p_i k(x_i, x)``, less the middle of its weighted means over the classes.

    Parameters
    ----------
    lam : float, default=0.1
        Price of uneven weights, in [0, 1]. 1 gives all rows the same weight, which is the
        difference of the class means; 0 is the hard margin, an error if the classes cannot
        be separated. Raising it lets more rows count.

    ridge : {"unit", "classes"}, default="unit"
        The scale r of that price: 1, as in the paper, or ``s+ s- / (s+ + s-)`` with the
        sums of weights of the classes, as in EasyMKL, where ``lam`` means the same for any
        number of rows.

    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "precomputed"} \
            or callable, default="rbf"
        As in :class:`LDMClassifier`, but ``"linear"`` makes no Gram matrix.

    gamma, degree, coef0 :
        As in :class:`LDMClassifier`.

    tol : float, default=1e-4
        Certified distance from the optimum at which to stop, relative to the objective.

    max_iter : int, default=None
        Limit of Newton steps; None means 500.

    time_limit : float, default=None
        Seconds after which a fit stops with the best solution found so far and a warning
        that states its gap. What cannot be stopped half-way, such as the Gram matrix, is
        finished first. None sets no limit.

    n_jobs : int, default=None
        Threads over the classes when there are more than two.

    verbose : int, default=0
        Whether to send each step to the ``largemargin`` logger, at level INFO.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.

    dual_beta_ : ndarray of shape (n_samples,) or (n_classes, n_samples)
        The weights ``p`` of the rows.

    objective_, duality_gap_ : float or ndarray of shape (n_classes,)
        The minimised objective, and how far from its optimum it is at the most: the sum
        over the classes of ``p . q - min(q)``, q the gradient, divided by the objective.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        ``w``, for ``kernel="linear"`` only.

    support_, support_vectors_, dual_coef_ : ndarray
        The rows that matter and the expansion of ``w`` over them, for other kernels.

    low_rank_residual_ : float or None
        As in :class:`LDMClassifier`.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        The threshold, with its sign turned.

    margin_mean_, margin_variance_, n_iter_, history_ :
        As in :class:`LDMClassifier`; the history is that of the machine behind, see Notes.

    n_features_in_ : int
        Number of features.

    Notes
    -----
    Up to their length the weights are the dual variables of a support vector machine with
    squared hinge loss, ``C = (1 - lam) / (2 lam r)``, which is what is solved: some ten
    Newton steps. Memory grows with the square of the number of rows, but for a linear
    kernel, which needs no more than the rows. Where the Gram matrix would take more than
    4 GiB a machine of low rank is solved instead, as in :class:`LDMClassifier`.

    References
    ----------
    .. [1] F. Aiolli, G. Da San Martino, A. Sperduti. A kernel method for the optimization
       of the margin distribution. ICANN 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from largemargin import KOMDClassifier
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> machine = KOMDClassifier(lam=0.1).fit(X, y)
    >>> machine.duality_gap_ <= machine.tol
    True
    >>> print(f"{machine.dual_beta_[y == 1].sum():.3f}")
    1.000
    """

    _parameter_constraints: dict = {
        **CertifiedClassifier._parameter_constraints,
        **KernelExpansion._parameter_constraints,
        "lam": [Interval(Real, 0, 1, closed="both")],
        "ridge": [StrOptions({"unit", "classes"})],
    }

    def __init__(
        self,
        lam=0.1,
        *,
        ridge="unit",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        tol=1e-4,
        max_iter=None,
        time_limit=None,
        n_jobs=None,
        verbose=0,
    ):
        self.lam = lam
        self.ridge = ridge
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __largemargin_recipe__(self):
        # What is certified are the weights of the rows, not the elements they make.
        space = space_of(self, examines=False)
        return Recipe(Classes(), space, self._pose, solve=self._solve)

    def _pose(self, targets, weight):
        """Return the machine with squared hinge loss that has the same dual variables."""
        price = self.lam * self._ridge_scale(targets.sign, weight)
        with np.errstate(divide="ignore", over="ignore"):
            C = np.float64(1.0 - self.lam) / (2.0 * price)
        loss = Band() if np.isfinite(C) else HINGE
        return Problem(None, targets, weight, Prices(C), loss=loss)

    def _ridge_scale(self, sign, weight):
        if self.ridge == "unit":
            return 1.0
        positive, negative = weight[sign > 0].sum(), weight[sign < 0].sum()
        return positive * negative / (positive + negative)

    def _solve(self, problem, solver, *, tol, max_iter, start=None, **options):
        """Return the weights of the rows as a solution with their own certificate."""
        if problem.prices.C == 0:
            return self._balance(problem, np.ones_like(problem.weight), 1, tol)
        left = SOLVERS[solver].max_iter if max_iter is None else max_iter
        inner_tol, n_iter, best = CLOSER * tol, 0, None
        while n_iter < left:
            machine = self._solve_machine(
                problem,
                solver,
                tol=inner_tol,
                max_iter=left - n_iter,
                start=start,
                **options,
            )
            n_iter += machine.n_iter
            solution = self._balance(problem, machine.beta, n_iter, tol)
            # Where asking for more gives hardly more, rounding is all that is left.
            last_gap = np.inf if best is None else best.certificate.gap
            stuck = best is not None and solution.certificate.gap > NOTABLY * last_gap
            best = solution if solution.certificate.gap < last_gap else best or solution
            if best.converged or stuck or options["progress"].is_late:
                break
            inner_tol *= CLOSER
            start = Start(machine.beta, machine.w, machine.offset)
        return replace(best, n_iter=n_iter)

    def _solve_machine(self, problem, solver, **options):
        try:
            return solve(problem, solver, **options)
        except NotSeparable:
            raise NotSeparable(HULLS_MEET.format(self.lam)) from None

    def _balance(self, problem, beta, n_iter, tol):
        """Return the solution whose weights are dual variables, scaled to sum to one."""
        design, y, weight = problem.design, problem.sign, problem.weight
        p = weight * beta
        for sign in -1, 1:
            p[y == sign] /= p[y == sign].sum()
        w = design.combine(y * p)
        measured = design.measure(w)
        certificate = self._certify(problem, p, measured)
        if certificate.relative > tol:
            measured = design.measure_closely(w, measured, np.ones(len(y), bool))
            certificate = self._certify(problem, p, measured)
        scores = measured.scores
        offset = -0.5 * (p @ scores)
        point = problem.point(w, scores, offset)
        return Solution(
            w,
            offset,
            scores,
            point.margins,
            p / weight,
            certificate,
            n_iter,
            bool(certificate.relative <= tol),
            design.offset_outside(w, offset),
        )

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
            # Summed over what each weight could still gain, so that nothing cancels.
            gap += p[some] @ (gradient[some] - gradient[some].min())
            gap += p[some] @ errors[some] + errors[some].max()
        return Certificate(objective, gap, objective)
