"""The equivalent SVM of a kernel problem on explicit rows, for many prices on one Gram.

With weights s, ``diag(root s) G diag(root s) = V L V'`` is the same at all prices. In this
basis the matrix of ``equivalent_svm``, if only the variance is squared, is

    H = Z Z',   Z = [diag(1 / root s) V diag(root(L / (1 + spread L))),  R T'^-1]

with ``K = T T'``: no price needs an inverse or a product of matrices. Descent on the rows
of Z then takes few sweeps, see ``equivalent_rows``.
"""

from typing import NamedTuple, Self

import numpy as np

from largemargin.designs.gram import MANY_INVERSES
from largemargin.numerics.rounding import UNIT
from largemargin.problem.intercept import squares_hold_it
from largemargin.solvers.equivalent_rows import descend_on_rows
from largemargin.solvers.lifting import lift
from largemargin.solvers.solution import EASY, Run, Solution

# Leave the rest to other methods after this many visits per row.
MAX_VISITS = 60
# A solution of the SVM has a larger gap for the problem itself.
ON_THE_SAFE_SIDE = 0.5


class SpectralRows(NamedTuple):
    """The rows Z, their squared lengths, and by what ``Z' forces`` is the intercept."""

    rows: np.ndarray
    norms: np.ndarray
    intercept: np.ndarray


class Basis(NamedTuple):
    """What all prices share: eigenvalues and eigenvectors, and N in this basis."""

    values: np.ndarray
    vectors: np.ndarray  # divided by the roots of the weights
    free: np.ndarray
    left_out: np.ndarray  # the products of the columns of N outside of the basis

    @classmethod
    def of(cls, spectrum, sign, fit_intercept) -> Self:
        """Return the basis without eigenvalues that are rounding errors."""
        largest = spectrum.values.max(initial=0.0)
        first = int(np.searchsorted(spectrum.values, len(sign) * UNIT * largest))
        columns = [-np.ones_like(sign), sign] if fit_intercept else [sign]
        free = spectrum.vectors.T @ (spectrum.roots * columns).T
        return cls(
            spectrum.values[first:],
            spectrum.vectors[:, first:] / spectrum.roots[:, None],
            free[first:],
            free[:first].T @ free[:first],
        )

    def rows_at(self, spread: float) -> SpectralRows | None:
        """Return the rows at a price of the variance, None if rounding hides K."""
        (n_rows, rank), n_free = self.vectors.shape, self.free.shape[1]
        softness = 1.0 / (1.0 + spread * self.values)
        moved = softness[:, None] * self.free
        try:
            root = np.linalg.cholesky(spread * (self.free.T @ moved + self.left_out))
        except np.linalg.LinAlgError:
            return None
        # F - N is one for the intercept and zero for the mean margin.
        residual = self.vectors @ ((spread * self.values)[:, None] * moved)
        residual[:, 0] += n_free == 2
        back = np.linalg.inv(root).T
        rows = np.empty((n_rows, rank + n_free))
        np.multiply(self.vectors, np.sqrt(self.values * softness), out=rows[:, :rank])
        rows[:, rank:] = residual @ back
        intercept = back[0] if n_free == 2 else np.zeros(1)
        return SpectralRows(rows, np.einsum("ij,ij->i", rows, rows), intercept)


def spectrum_can_solve(problem, run: Run) -> bool:
    """Return whether many prices of the variance share rows of two classes."""
    is_many = run.memory.n_spreads >= MANY_INVERSES
    if not (is_many and problem.design.may_have_spectrum and run.tol >= EASY):
        return False
    return problem.is_plain_ldm and squares_hold_it(problem)


def spectral_rows(problem) -> SpectralRows | None:
    """Return the rows of the equivalent SVM, or None if rounding hides the intercept."""
    design, sign, weight = problem.design, problem.sign, problem.weight
    spectrum = design.spectrum(weight)
    owners, is_free = (weight, sign), problem.fit_intercept
    basis = design.once_for(
        (Basis, is_free), owners, lambda: Basis.of(spectrum, sign, is_free)
    )
    name = SpectralRows, problem.spread, is_free
    return design.once_for(name, owners, lambda: basis.rows_at(problem.spread))


def solve_on_spectrum(problem, run: Run) -> Solution | None:
    """Minimise by coordinate descent on the equivalent SVM; None if that is slow."""
    svm = spectral_rows(problem)
    run.progress.check()
    if svm is None or not np.isfinite(svm.norms).all():
        return None
    rows, n_rows = svm.rows, len(svm.rows)
    beta = np.zeros(n_rows)
    if run.start is not None:
        beta = np.clip(run.start.beta, *problem.box)
    v = problem.forces(beta) @ rows
    numbers = problem.reward, problem.ridge, problem.loss.kink, problem.box[1]
    state = np.arange(n_rows), beta, v
    goal, limit = ON_THE_SAFE_SIDE * run.tol, min(MAX_VISITS, run.max_iter) * n_rows
    visits, gap, _, scale = descend_on_rows(
        rows, svm.norms, problem.sign, problem.weight, numbers, *state, goal, limit
    )
    if not gap <= goal * scale:
        return None
    offset = svm.intercept @ v[-len(svm.intercept) :]
    lifted = lift(problem, beta, float(offset), problem.sign * (rows @ v))
    run.progress(lifted.certificate)
    solution = Solution.of(problem, lifted, -(-visits // n_rows), run.tol)
    return solution if solution.converged else None
