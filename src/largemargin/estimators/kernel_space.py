"""The space of a kernel, in which an estimator stores the expansion of ``w`` over rows."""

from copy import copy
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from largemargin.designs.dense import DenseDesign
from largemargin.designs.gram import GramDesign
from largemargin.designs.kernel_rows import KernelRows, TiledDesign
from largemargin.estimators.linear_space import LinearSpace, elements_of, linear_design
from largemargin.estimators.recipe import Found, products_of
from largemargin.kernels.condensing import condense
from largemargin.kernels.functions import Kernel, KernelErrors
from largemargin.kernels.gram import (
    check_gram,
    definite_part,
    gram_block,
    gram_bytes,
    gram_type,
)
from largemargin.kernels.widths import WITHOUT_WIDTH, settle_gamma
from largemargin.numerics.low_rank import expand_over_few
from largemargin.numerics.memory import (
    SETTING,
    VECTORS_OF_KERNEL,
    TooLarge,
    check_dense,
    check_width,
    max_bytes,
    size,
)
from largemargin.numerics.rounding import WIDE_UNIT, growth, wide_product
from largemargin.solvers import CLOSER, Progress, Start, solve
from largemargin.solvers.small_kernel import solve_small_kernel
from largemargin.solvers.solution import MAX_STRETCHES

# Larger Gram matrices, beyond about 32,000 rows, are not stored. Solvers then compute them
# tile by tile for each product,
MAX_GRAM_BYTES = 4 << 30
# up to this many rows, or if there is a time limit. Otherwise the model is of low rank.
MAX_POLISHED_ROWS = 60_000
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
        self.dtype = np.float64  # of the kernel values that scores come from
        self.is_narrowed = False
        # Of parts of rows: which rows count, their places in the Gram matrix, this matrix
        # if it fits, and its error.
        self.counted = self.places = self.shared_gram = self.shared_error = None
        # Parts share this list, so that one warning of an indefinite kernel is for all.
        self.cut_off: list[bool] = []

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

    def share(self, rows):
        """Return the space of parts of the rows, which have one kernel and Gram matrix."""
        used = self.settle(rows)
        space, kernel = copy(self), self.kernel
        space.counted = rows.counted
        if kernel.name == "precomputed":
            space.shared_gram, space.places = used, np.arange(len(used))
            return space
        # The others lose the negative part of each block.
        may_be_shared = kernel.is_definite or callable(kernel.name)
        if may_be_shared and gram_bytes(used.shape[0]) <= min(MAX_GRAM_BYTES, max_bytes()):
            # Rows of a class come together, so that blocks are read from few cache lines.
            order = np.argsort(rows.labels, kind="stable")
            space.places = np.argsort(order)
            # Entries may be computed otherwise, and less closely, than those of few rows.
            space.shared_gram, errors = kernel.gram_and_errors(used[order])
            space.shared_error = errors.of_gram
        return space

    def solve_small(self, rows, members, problem, tol, progress):
        """Return what is found on few rows of a shared Gram matrix, else None."""
        if self.shared_gram is None or not (self.examines and self.kernel.is_positive):
            return None
        given = self.shared_error, problem, tol, progress
        solution = solve_small_kernel(self.shared_gram, self.places[members], *given)
        if solution is None:
            return None
        alpha, places = solution.w[None], np.flatnonzero(rows.counted)[members]
        return Found(places, alpha, [solution], alpha @ solution.scores[:, None])

    def design(self, rows, few_digits=False):
        """Return a design of the rows: the first of these that is possible.

        It has their Gram matrix, made definite if needed; or products with one that is not
        stored; or features of low rank. ``few_digits`` is whether a float32 matrix is
        worth a try where float64 is usual.
        """
        gram, errors = self._gram(rows, few_digits and self.examines)
        self.dtype = np.float32 if gram is None else gram.dtype
        is_own = gram is not None and self.kernel.is_definite
        usual = gram_type(len(rows.weight))
        self.is_narrowed = few_digits and is_own and self.dtype != usual
        if gram is None and self._can_be_polished(rows):
            return TiledDesign(self.kernel, rows.used)
        if gram is None:
            self.factor, self.low_rank_residual = self.kernel.low_rank(rows.used)
            return DenseDesign(self.factor.rows)
        gram, self.projector = definite_part(gram, self.kernel, warns=not self.cut_off)
        if self.projector is not None:
            self.cut_off.append(True)
        if self.kernel.name == "precomputed":
            return GramDesign(gram)
        used = rows.used
        if self.projector is not None:
            error = self.kernel.entry_error(used, np.float64, np.diagonal(gram))
            return GramDesign(gram, error + growth(3 * len(gram)))
        is_coarse = gram.dtype != np.float64 or self.kernel.name == "linear"
        source = None
        if is_coarse:
            source = KernelRows(self.kernel, used, entry_error=errors.of_scores)
        return GramDesign(gram, errors.of_gram, source)

    def _gram(self, rows, few_digits):
        """Return the Gram matrix of the rows that count, None if it is too large.

        Bounds of the errors of the kernel's values come with it, except for a matrix from
        the user.
        """
        if self.shared_gram is not None:
            members = self.places[rows.counted[self.counted]]
            errors = KernelErrors(self.shared_error, None)
            return gram_block(self.shared_gram, members), errors
        used = self.settle(rows) if self.counted is None else rows.used
        if self.kernel.name == "precomputed":
            return used, None
        if self._needs_low_rank(used.shape[0]):
            return None, None
        return self.kernel.gram_and_errors(used, few_digits and self.kernel.is_definite)

    def _can_be_polished(self, rows):
        """Return whether products with a Gram matrix that is not stored are affordable."""
        has_limit = self.machine.time_limit is not None
        return self.examines and (has_limit or len(rows.weight) <= MAX_POLISHED_ROWS)

    def _needs_low_rank(self, n_rows):
        """Return whether the Gram matrix is too large; raise if nothing can be done."""
        n_bytes = gram_bytes(n_rows)
        if n_bytes <= min(MAX_GRAM_BYTES, max_bytes()):
            return False
        if getattr(self.machine, "solver", "auto") == "auto" and self.kernel.is_definite:
            return True
        if n_bytes > max_bytes():
            raise TooLarge(
                f"The Gram matrix of {n_rows} rows takes {size(n_bytes)}; expected at most "
                f"{size(max_bytes())}, the limit of one fit ({SETTING}). "
                "A kernel that is positive semi-definite, such as 'rbf', needs no Gram "
                "matrix with solver='auto', nor does a linear model; or use fewer rows."
            )
        return False

    def last_elements(self, machine, rows, problems):
        """Return the elements of the last fit, expanded over the rows that count."""
        # A linear one has stored no rows.
        support = getattr(machine, "support_", None)
        if support is None or support.max(initial=-1) >= len(rows.counted):
            return []
        coefficients = machine.dual_coef_[problems]
        alpha = np.zeros((len(coefficients), len(rows.counted)))
        alpha[:, machine.support_] = coefficients
        return alpha[:, rows.counted]

    def finish(self, rows, solutions, problems=None, deadline=np.inf):
        """Return the expansions, and the solutions, examined as they are stored."""
        used, alpha = rows.used, self.expand(solutions)
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
            short = condense(self.kernel, used, alpha, scores, self.dtype)
            if short is not alpha and problems is not None:
                examined = self._examine(problems, solutions, short, used)
                if self._still_hold(examined, solutions):
                    alpha, solutions = elements_of(examined), examined
            else:
                alpha = short
        if self.kernel.name == "linear":
            coef = np.asarray(alpha @ used)
            products = coef @ coef.T
        else:
            products = alpha @ np.array([one.scores for one in solutions]).T
        places = np.flatnonzero(rows.counted)
        return Found(places, alpha, solutions, products, self.low_rank_residual)

    def store(self, machine, rows, found):
        """Store the expansions; those of pairs grouped by class, as in ``SVC``."""
        machine._kernel = self.kernel
        vars(machine).pop("gamma_", None)
        if not callable(self.kernel.name) and self.kernel.name not in WITHOUT_WIDTH:
            machine.gamma_ = self.kernel.gamma
        residuals = [one.residual for one in found if one.residual is not None]
        machine.low_rank_residual_ = max(residuals, default=None)
        machine._products = products_of(found)
        matters = np.zeros(len(rows.counted), dtype=bool)
        for one in found:
            matters[one.places] |= np.any(one.elements != 0, axis=0)
        machine.support_ = support = np.flatnonzero(matters)
        vars(machine).pop("_class_ends", None)
        if len(found) > 1:
            labels = rows.y[support]
            machine.support_ = support = support[np.argsort(labels, kind="stable")]
            machine._class_ends = np.searchsorted(
                np.sort(labels), np.unique(rows.labels), side="right"
            )
        columns = np.zeros(len(matters), dtype=int)
        columns[support] = np.arange(len(support))
        machine.dual_coef_ = np.zeros(
            (sum(len(one.elements) for one in found), len(support))
        )
        row = 0
        for one in found:
            used, stop = matters[one.places], row + len(one.elements)
            machine.dual_coef_[row:stop, columns[one.places[used]]] = one.elements[:, used]
            row = stop
        is_given = self.kernel.name == "precomputed"
        machine.support_vectors_ = np.empty((0, 0)) if is_given else rows.X[support]

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
            designs = [KernelRows(self.kernel, rows, None, self.factor)]
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

    def expand(self, solutions):
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

    def score(self, X, rows, parts):
        """Return the scores, without intercepts, of new rows by expansions over rows.

        Kernel values with the rows of each class are computed once for all parts.
        """
        labels, ends = rows.labels, np.cumsum([len(elements) for _, elements in parts])
        is_given, used = self.kernel.name == "precomputed", rows.used
        values = X[:, rows.counted] if is_given else None
        # The rows of one class are in the same parts.
        blocks = [np.ones(len(labels), dtype=bool)]
        if not isinstance(parts[0][0], slice):
            blocks = [labels == label for label in np.unique(labels)]
        out = np.zeros((X.shape[0], ends[-1]))
        for block in blocks:
            columns, coefficients = [], []
            for (members, elements), end in zip(parts, ends, strict=True):
                own = block[members]
                if own.any():
                    columns.append(np.arange(end - len(elements), end))
                    coefficients.append(elements[:, own])
            if columns:
                columns, alpha = np.concatenate(columns), np.concatenate(coefficients)
                if is_given:
                    out[:, columns] += values[:, block] @ alpha.T
                else:
                    out[:, columns] += self.kernel.scores(X, used[block], alpha)
        return out


class ExplicitSpace(LinearSpace):
    """A linear kernel without a Gram matrix: ``w`` is stored, and no rows."""

    parameters = KernelSpace.parameters + LinearSpace.parameters
    kernel = Kernel("linear")

    def settle(self, rows):
        """Return the rows that count, or raise if they have too many features."""
        if sp.issparse(rows.X):
            check_width(rows.X.shape[1], n_vectors=VECTORS_OF_KERNEL)
        return rows.used

    def last_elements(self, machine, rows, problems):
        """Return the elements of some problems of the last fit."""
        is_same = machine._kernel.name == "linear"
        return super().last_elements(machine, rows, problems) if is_same else []

    def store(self, machine, rows, found):
        """Store the elements."""
        for name in "support_", "support_vectors_", "dual_coef_", "_class_ends", "gamma_":
            vars(machine).pop(name, None)
        machine._kernel, machine.low_rank_residual_ = self.kernel, None
        machine._coef = np.concatenate([one.elements for one in found])
        machine._products = products_of(found)


def space_of(machine, **options):
    """Return the space of a kernel, which is explicit for a linear one."""
    if machine.kernel == "linear":
        return ExplicitSpace(getattr(machine, "fit_intercept", True))
    return KernelSpace(machine, **options)
