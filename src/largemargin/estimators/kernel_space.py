"""The space of a kernel, in which an estimator stores the expansion of ``w`` over rows."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import safe_sparse_dot

from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import KernelRows
from largemargin.estimators.linear_space import LinearSpace, elements_of, linear_design
from largemargin.kernels.condensing import condense
from largemargin.kernels.functions import Kernel
from largemargin.kernels.gram import check_gram, definite_part, gram_bytes
from largemargin.kernels.widths import WITHOUT_WIDTH, settle_gamma
from largemargin.numerics.low_rank import expand_over_few
from largemargin.numerics.memory import (
    VECTORS_OF_KERNEL,
    TooLarge,
    check_dense,
    check_width,
    physical_memory,
)
from largemargin.numerics.rounding import (
    MAX_WIDE_NUMBERS,
    WIDE_UNIT,
    growth,
    wide_product,
)
from largemargin.solvers import CLOSER, Progress, Start, solve
from largemargin.solvers.solution import MAX_STRETCHES

# Larger Gram matrices are replaced by factors of low rank: beyond about 32,000 rows.
MAX_GRAM_BYTES = 4 << 30
# Up to this many rows, a low-rank model is examined by a pass over the whole Gram matrix;
# with more rows, by a coarser bound.
MAX_EXAMINED_ROWS = 60_000
# Up to this many numbers, rows of a linear kernel are multiplied in extended precision.
MAX_EXPANDED_NUMBERS = 10_000_000


class KernelSpace:
    """Rows seen through a kernel; an estimator stores expansions as ``dual_coef_``.

    With ``examines=False``, certificates are about something other than the elements.
    """

    parameters = "kernel", "gamma", "degree", "coef0"

    def __init__(self, machine, examines=True):
        self.machine, self.examines = machine, examines
        self.kernel = self.factor = self.projector = self.low_rank_residual = None

    def settle(self, rows):
        """Fix the kernel and its width; return the rows that count, or their Gram."""
        machine, X = self.machine, rows.X
        if machine.kernel == "precomputed":
            if sp.issparse(X):
                check_dense(*X.shape, "The Gram matrix")
                X = X.toarray()
            gram = check_gram(X, X.shape[0], "X with kernel='precomputed'")
            self.kernel = Kernel("precomputed")
            counted = rows.counted
            return gram if counted.all() else gram[np.ix_(counted, counted)]
        if sp.issparse(X):
            check_width(X.shape[1], n_vectors=VECTORS_OF_KERNEL)
        gamma = 1.0
        if callable(machine.kernel) or machine.kernel not in WITHOUT_WIDTH:
            gamma = settle_gamma(machine.gamma, rows.used, rows.weight)
        self.kernel = Kernel(machine.kernel, gamma, machine.degree, machine.coef0)
        return rows.used

    def design(self, rows):
        """Return the Gram matrix, made definite if needed, or low-rank features."""
        used = gram = self.settle(rows)
        if self.kernel.name != "precomputed":
            if self._needs_low_rank(used.shape[0]):
                self.factor, self.low_rank_residual = self.kernel.low_rank(used)
                return DenseDesign(self.factor.rows)
            gram = self.kernel.gram_matrix(used)
        gram, self.projector = definite_part(gram, self.kernel)
        if self.kernel.name == "precomputed":
            return GramDesign(gram)
        if self.projector is not None:
            error = self.kernel.entry_error(used, np.float64, np.diagonal(gram))
            return GramDesign(gram, error + growth(3 * len(gram)))
        is_coarse = gram.dtype != np.float64 or self.kernel.name == "linear"
        source = KernelRows(self.kernel, used) if is_coarse else None
        return GramDesign(gram, self.kernel.entry_error(used, gram.dtype), source)

    def _needs_low_rank(self, n_rows):
        """Return whether the Gram matrix is too large; raise if nothing can be done."""
        n_bytes = gram_bytes(n_rows)
        if n_bytes <= MAX_GRAM_BYTES:
            return False
        if getattr(self.machine, "solver", "auto") == "auto" and self.kernel.is_definite:
            return True
        if n_bytes > physical_memory():
            raise TooLarge(
                f"The Gram matrix of {n_rows} rows takes {n_bytes:,} bytes, and this "
                f"computer has {physical_memory():,}. A kernel that is positive "
                "semi-definite, such as 'rbf', gets a low-rank model with solver='auto'; "
                "a linear model needs no Gram matrix; or use fewer rows."
            )
        return False

    def last_elements(self, machine, rows):
        """Return the elements of the last fit, expanded over the rows that count."""
        # A linear one has stored no rows.
        support = getattr(machine, "support_", None)
        if support is None or support.max(initial=-1) >= len(rows.counted):
            return []
        alpha = np.zeros((len(machine.dual_coef_), len(rows.counted)))
        alpha[:, machine.support_] = machine.dual_coef_
        return alpha[:, rows.counted]

    def keep(self, machine, rows, solutions, problems=None, deadline=np.inf):
        """Store the expansions; return the solutions, examined as they are stored."""
        used, alpha = rows.used, self._expand(solutions)
        if problems is not None and (self.factor or self.projector is not None):
            solutions = self._examine(problems, solutions, alpha, used)
            alpha = elements_of(solutions)
        elif problems is not None and self.kernel.name == "linear":
            progress = Progress(deadline=deadline)
            alpha, solutions = self._expand_again(
                problems, solutions, alpha, used, progress
            )
        # If every row is a support vector, an expansion over fewer rows says the same.
        if self.kernel.is_definite and alpha.all():
            scores = np.array([solution.scores for solution in solutions])
            short = condense(self.kernel, used, alpha, scores)
            if short is not alpha and problems is not None:
                examined = self._examine(problems, solutions, short, used)
                if self._still_hold(examined, solutions):
                    alpha, solutions = elements_of(examined), examined
            else:
                alpha = short
        machine._kernel, machine.low_rank_residual_ = self.kernel, self.low_rank_residual
        if self.kernel.name == "linear":
            coef = np.asarray(alpha @ used)
            machine._products = coef @ coef.T
        else:
            machine._products = alpha @ np.array([one.scores for one in solutions]).T
        matters = np.any(alpha != 0, axis=0)
        machine.support_ = np.flatnonzero(rows.counted)[matters]
        machine.dual_coef_ = alpha[:, matters]
        is_given = self.kernel.name == "precomputed"
        machine.support_vectors_ = (
            np.empty((0, 0)) if is_given else rows.X[machine.support_]
        )
        return solutions

    def _expand_again(self, problems, solutions, alpha, rows, progress):
        """Return expansions over few rows if those over all rows are too inaccurate.

        Coefficients of long rows may cancel until only their rounding is left.
        """
        machine, max_iter = self.machine, self.machine.max_iter
        unsolved = [
            k
            for k, one in enumerate(solutions)
            if not (one.converged or one.is_late or one.n_iter >= (max_iter or np.inf))
        ]
        is_large = np.prod(rows.shape) > MAX_EXPANDED_NUMBERS
        if machine.solver == "dual_cd" or is_large or not unsolved or progress.is_late:
            return alpha, solutions
        design = linear_design(rows, problems[0].fit_intercept)
        alpha, solutions = alpha.copy(), list(solutions)
        for k in unsolved:
            problem, before = problems[k].on(design), solutions[k]
            left = None if max_iter is None else max_iter - before.n_iter
            options = {"max_iter": left, "start": Start(before.beta), "progress": progress}
            found = solve(problem, "newton", tol=CLOSER * machine.tol, **options)
            found.n_iter += before.n_iter
            short = expand_over_few(rows, found.w)
            for _ in range(MAX_STRETCHES):
                kept = wide_product(rows.T, short, np.longdouble)
                found = replace(found, w=kept.astype(np.float64))
                rounding = 0.0
                if design.shift is not None:
                    sizes = np.asarray(abs(rows).T @ np.abs(short))
                    rounding = (len(short) + 2) * WIDE_UNIT * (np.abs(design.shift) @ sizes)
                examined = found.examined(problem, machine.tol, kept, rounding)
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
        if not self.examines:
            return [replace(one, w=w) for one, w in zip(solutions, alpha, strict=True)]
        design = problems[0].design
        designs = [design]
        if self.projector is None:
            many = rows.shape[0] > MAX_EXAMINED_ROWS
            designs = [KernelRows(self.kernel, rows, None, self.factor if many else None)]
            if self.factor is None:  # rows settle what a float32 matrix leaves open
                designs.insert(0, KernelRows(self.kernel, rows, design))
        for design in designs:
            examined = [
                replace(solution, w=w).examined(problem.on(design), self.machine.tol)
                for problem, solution, w in zip(problems, solutions, alpha, strict=True)
            ]
            if self._still_hold(examined, solutions):
                break
        return examined

    def _still_hold(self, examined, before):
        """Return whether certificates are good enough or not worse than before."""
        return all(
            new.certificate.relative <= max(self.machine.tol, old.certificate.relative)
            for new, old in zip(examined, before, strict=True)
        )

    def _expand(self, solutions):
        """Return the expansion of each solution over the rows that count."""
        expand = np.asarray if self.factor is None else self.factor.expand
        alpha = np.array([expand(solution.w) for solution in solutions])
        if self.projector is not None:
            alpha = (alpha @ self.projector) @ self.projector.T
        return alpha

    def settled(self, machine):
        """Return the width of the kernel in the last fit."""
        is_given = machine._kernel.name == "precomputed"
        return {} if is_given else {"gamma": machine._kernel.gamma}

    def score(self, X, rows, solutions):
        """Return the scores, without intercepts, of new rows by solutions on the rows."""
        alpha = self._expand(solutions)
        if self.kernel.name == "precomputed":
            return X[:, rows.counted] @ alpha.T
        return self.kernel.scores(X, rows.used, alpha)


class ExplicitSpace(LinearSpace):
    """A linear kernel without a Gram matrix: ``w`` is stored, and no rows."""

    parameters = KernelSpace.parameters + LinearSpace.parameters
    kernel = Kernel("linear")

    def settle(self, rows):
        """Return the rows that count, or raise if they have too many features."""
        if sp.issparse(rows.X):
            check_width(rows.X.shape[1], n_vectors=VECTORS_OF_KERNEL)
        return rows.used

    def last_elements(self, machine, rows):
        """Return the elements of the last fit."""
        is_same = machine._kernel.name == "linear"
        return super().last_elements(machine, rows) if is_same else []

    def keep(self, machine, rows, solutions, problems=None, deadline=np.inf):
        """Store the elements, which were examined as they are."""
        for name in "support_", "support_vectors_", "dual_coef_":
            vars(machine).pop(name, None)
        machine._kernel, machine.low_rank_residual_ = self.kernel, None
        machine._coef = elements_of(solutions)
        machine._products = machine._coef @ machine._coef.T
        return solutions


def space_of(machine, **options):
    """Return the space of a kernel, which is explicit for a linear one."""
    if machine.kernel == "linear":
        return ExplicitSpace(getattr(machine, "fit_intercept", True))
    return KernelSpace(machine, **options)


class KernelExpansion:
    """The part of a fitted classifier that scores by a kernel.

    ONNX graphs are made from ``_kernel``, the kernel with its width, and margins are
    normalised by ``_products``, the inner products of the vectors ``w`` of all problems.
    """

    _kernel: Kernel
    _products: np.ndarray

    @property
    def coef_(self):
        """``w`` itself, for a linear kernel."""
        if self._kernel.name != "linear":
            raise AttributeError("coef_ exists for kernel='linear' only.")
        if not hasattr(self, "support_"):  # no rows were stored
            return self._coef
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
