"""Machines known by their expansion over rows: kernels in, scores out."""

from dataclasses import replace
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot

from largemargin._compat import Interval, StrOptions
from largemargin.designs.dense import DenseDesign
from largemargin.designs.kernel import KernelDesign
from largemargin.designs.kernel_rows import KernelRows
from largemargin.designs.linear import MAX_WIDE_NUMBERS
from largemargin.designs.low_rank import expand_over_few
from largemargin.estimators.linear import linear_design
from largemargin.kernels import (
    KERNELS,
    WITHOUT_WIDTH,
    Kernel,
    check_gram,
    definite_part,
    gram_bytes,
    settle_gamma,
)
from largemargin.memory import (
    VECTORS_OF_KERNEL,
    TooLarge,
    check_dense,
    check_width,
    physical_memory,
)
from largemargin.rounding import WIDE_UNIT, growth, wide_product
from largemargin.solvers import CLOSER, Progress, Start, solve
from largemargin.solvers.solution import MAX_STRETCHES

# Larger Gram matrices are replaced by factors of low rank: beyond some 32,000 rows.
MAX_GRAM_BYTES = 4 << 30
# A machine of low rank is examined by a pass over the whole Gram matrix up to so many rows,
# and by a coarser bound beyond.
MAX_EXAMINED_ROWS = 60_000
# Rows of a linear kernel are made dense, in extended precision, up to so many numbers.
MAX_EXPANDED_NUMBERS = 10_000_000


def rounding_at_shift(design, rows, alpha):
    """Return what rounding of a wide combination of rows does to the intercept."""
    if design.shift is None:
        return 0.0
    sizes = np.asarray(abs(rows).T @ np.abs(alpha))
    return (len(alpha) + 2) * WIDE_UNIT * (np.abs(design.shift) @ sizes)


def elements_of(solutions):
    """Return the elements of the solutions, one a line."""
    return np.array([solution.w for solution in solutions])


class KernelExpansion:
    """The part of a classifier that makes Gram matrices and expands elements over rows.

    It reads ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``solver``.
    """

    _parameter_constraints: dict = {
        "kernel": [StrOptions(KERNELS | {"precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), str],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    def _settle_kernel(self, X, weight, counted):
        """Fix the kernel with its width, and return the rows that count, or their Gram."""
        self._factor = self._projector = self.low_rank_residual_ = None
        if self.kernel == "precomputed":
            if sp.issparse(X):
                check_dense(*X.shape, "The Gram matrix")
                X = X.toarray()
            gram = check_gram(X, X.shape[0], "X with kernel='precomputed'")
            self._kernel = Kernel("precomputed")
            return gram if counted.all() else gram[np.ix_(counted, counted)]
        if sp.issparse(X):
            check_width(X.shape[1], n_vectors=VECTORS_OF_KERNEL)
        rows = X if counted.all() else X[counted]
        gamma = 1.0
        if callable(self.kernel) or self.kernel not in WITHOUT_WIDTH:
            gamma = settle_gamma(self.gamma, rows, weight[counted])
        self._kernel = Kernel(self.kernel, gamma, self.degree, self.coef0)
        return rows

    def _design(self, X, weight, counted):
        """Return the Gram matrix of the rows that count, made definite if need be.

        Where that would not fit, return features that nearly have it.
        """
        rows = gram = self._settle_kernel(X, weight, counted)
        if self.kernel != "precomputed":
            if self._needs_low_rank(rows.shape[0]):
                self._factor, self.low_rank_residual_ = self._kernel.low_rank(rows)
                return DenseDesign(self._factor.rows)
            gram = self._kernel.gram(rows)
        gram, self._projector = definite_part(gram, self._kernel)
        if self.kernel == "precomputed":
            return KernelDesign(gram)
        if self._projector is not None:
            error = self._kernel.entry_error(rows, np.float64, np.diagonal(gram))
            return KernelDesign(gram, error + growth(3 * len(gram)))
        is_coarse = gram.dtype != np.float64 or self._kernel.name == "linear"
        source = KernelRows(self._kernel, rows) if is_coarse else None
        return KernelDesign(gram, self._kernel.entry_error(rows, gram.dtype), source)

    def _needs_low_rank(self, n_rows):
        """Return whether the Gram matrix is too large; raise if nothing can be done."""
        n_bytes = gram_bytes(n_rows)
        if n_bytes <= MAX_GRAM_BYTES:
            return False
        if self.solver == "auto" and self._kernel.is_definite:
            return True
        if n_bytes > physical_memory():
            raise TooLarge(
                f"The Gram matrix of {n_rows} rows takes {n_bytes:,} bytes, and this "
                f"machine has {physical_memory():,}. A kernel that is positive "
                "semi-definite, such as 'rbf', gets a machine of low rank with solver="
                "'auto'; a linear machine needs no Gram matrix; or use fewer rows."
            )
        return False

    def _last_elements(self, X, counted):
        """Return the elements of the last fit, expanded over the rows that count."""
        if self.support_.max(initial=-1) >= len(counted):
            return []
        alpha = np.zeros((len(self.dual_coef_), len(counted)))
        alpha[:, self.support_] = self.dual_coef_
        return alpha[:, counted]

    def _keep_elements(self, X, solutions, counted, problems=None, deadline=np.inf):
        """Store the expansions; return the solutions, examined as they are stored.

        Without ``problems`` there is nothing to examine.
        """
        rows = X if counted.all() else X[counted]
        alpha = self._expand(solutions)
        if problems is not None and (self._factor or self._projector is not None):
            solutions = self._examine(problems, solutions, alpha, rows)
            alpha = elements_of(solutions)
        elif problems is not None and self._kernel.name == "linear":
            alpha, solutions = self._expand_again(
                problems, solutions, alpha, rows, Progress(deadline=deadline)
            )
        # Support vectors of an SVM mean something; where all rows are, they do not.
        if self._kernel.is_definite and alpha.all():
            scores = np.array([solution.scores for solution in solutions])
            short = self._kernel.condense(rows, alpha, scores)
            if short is not alpha and problems is not None:
                examined = self._examine(problems, solutions, short, rows)
                if self._still_hold(examined, solutions):
                    alpha, solutions = elements_of(examined), examined
            else:
                alpha = short
        self._products = self._inner_products(alpha, solutions, rows)
        self._factor = self._projector = None
        numbers = np.flatnonzero(counted)
        used = np.any(alpha != 0, axis=0)
        self.support_ = numbers[used]
        self.dual_coef_ = alpha[:, used]
        precomputed = self.kernel == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if precomputed else X[self.support_]
        return solutions

    def _inner_products(self, alpha, solutions, rows):
        """Return the inner products of the elements."""
        if self._kernel.name == "linear":
            coef = np.asarray(alpha @ rows)
            return coef @ coef.T
        return alpha @ np.array([solution.scores for solution in solutions]).T

    def _expand_again(self, problems, solutions, alpha, rows, progress):
        """Return expansions over few rows where forces on all cannot hold the element.

        Forces on long rows may cancel until nothing is left but their rounding.
        """
        unsolved = [
            k
            for k, one in enumerate(solutions)
            if not (one.converged or one.is_late or one.n_iter >= (self.max_iter or np.inf))
        ]
        is_large = np.prod(rows.shape) > MAX_EXPANDED_NUMBERS
        if self.solver == "dual_cd" or is_large or not unsolved or progress.is_late:
            return alpha, solutions
        design = linear_design(rows, np.ones(rows.shape[0], bool), self.fit_intercept)
        alpha, solutions = alpha.copy(), list(solutions)
        for k in unsolved:
            problem, before = problems[k].on(design), solutions[k]
            left = None if self.max_iter is None else self.max_iter - before.n_iter
            found = solve(
                problem,
                "newton",
                tol=CLOSER * self.tol,
                max_iter=left,
                start=Start(before.beta),
                progress=progress,
            )
            found.n_iter += before.n_iter
            short = expand_over_few(rows, found.w)
            for _ in range(MAX_STRETCHES):
                kept = wide_product(rows.T, short, np.longdouble)
                found = replace(found, w=kept.astype(np.float64))
                rounding = rounding_at_shift(design, rows, short)
                examined = found.examined(problem, self.tol, kept, rounding)
                if examined.stretch == 1.0:
                    break
                short = short * examined.stretch
                found = replace(examined, stretch=1.0)
            is_better = examined.certificate.relative < before.certificate.relative
            if examined.stretch == 1.0 and is_better:
                alpha[k], solutions[k] = short, examined
        return alpha, solutions

    def _examine(self, problems, solutions, alpha, rows):
        """Return the solutions with other expansions, examined on the rows themselves."""
        design = problems[0].design
        designs = [design]
        if self._projector is None:
            many = rows.shape[0] > MAX_EXAMINED_ROWS
            designs = [KernelRows(self._kernel, rows, None, self._factor if many else None)]
            if self._factor is None:  # what a narrow matrix leaves in doubt, rows tell
                designs.insert(0, KernelRows(self._kernel, rows, design))
        for design in designs:
            examined = [
                replace(solution, w=w).examined(problem.on(design), self.tol)
                for problem, solution, w in zip(problems, solutions, alpha, strict=True)
            ]
            if self._still_hold(examined, solutions):
                break
        return examined

    def _still_hold(self, examined, before):
        """Return whether certificates are good enough, or no worse than they were."""
        return all(
            new.certificate.relative <= max(self.tol, old.certificate.relative)
            for new, old in zip(examined, before, strict=True)
        )

    def _expand(self, solutions):
        """Return the expansion of each solution over the rows that count."""
        expand = np.asarray if self._factor is None else self._factor.expand
        alpha = np.array([expand(solution.w) for solution in solutions])
        if self._projector is not None:
            alpha = (alpha @ self._projector) @ self._projector.T
        return alpha

    def _score_solutions(self, X_new, X, solutions, counted):
        """Return the scores of new rows by solutions on the rows that count."""
        alpha = self._expand(solutions)
        if self._kernel.name == "precomputed":
            return X_new[:, counted] @ alpha.T
        return self._kernel.scores(X_new, X if counted.all() else X[counted], alpha)

    @property
    def coef_(self):
        """``w`` itself, for a linear kernel."""
        if self._kernel.name != "linear":
            raise AttributeError("coef_ exists for kernel='linear' only.")
        if np.prod(self.support_vectors_.shape) > MAX_WIDE_NUMBERS:
            return np.asarray(self.dual_coef_ @ self.support_vectors_)
        return wide_product(self.support_vectors_.T, self.dual_coef_.T).T

    def _scores(self, X):
        if self._kernel.name == "linear":
            return safe_sparse_dot(X, self.coef_.T, dense_output=True)
        if self._kernel.name == "precomputed":
            return X[:, self.support_] @ self.dual_coef_.T
        return self._kernel.scores(X, self.support_vectors_, self.dual_coef_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


class LinearOrKernelExpansion(KernelExpansion):
    """The same, but a linear kernel works on the rows themselves and has no Gram matrix.

    ``coef_`` then is the element, and no row is kept.
    """

    def _design(self, X, weight, counted):
        if self.kernel != "linear":
            return super()._design(X, weight, counted)
        self._settle_kernel(X, weight, counted)
        return linear_design(X, counted, self.fit_intercept)

    def _keep_elements(self, X, solutions, counted, problems=None, deadline=np.inf):
        if self.kernel != "linear":
            return super()._keep_elements(X, solutions, counted, problems, deadline)
        self._coef = np.array([solution.w for solution in solutions])
        self._products = self._coef @ self._coef.T
        for name in "support_", "support_vectors_", "dual_coef_":
            vars(self).pop(name, None)
        return solutions

    def _last_elements(self, X, counted):
        if self._kernel.name != "linear":
            return super()._last_elements(X, counted)
        return self._coef if self._coef.shape[1] == X.shape[1] else []

    @property
    def coef_(self):
        """``w`` itself, for a linear kernel."""
        if self._kernel.name != "linear":
            raise AttributeError("coef_ exists for kernel='linear' only.")
        return self._coef

    def _scores(self, X):
        if self._kernel.name != "linear":
            return super()._scores(X)
        return safe_sparse_dot(X, self._coef.T, dense_output=True)
