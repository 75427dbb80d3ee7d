"""The choice of a solver that the user never has to make."""

from largemargin.designs.kernel import KernelDesign
from largemargin.designs.linear import MAX_FACTORED
from largemargin.solvers.kernel_dual import solve_kernel_dual
from largemargin.solvers.newton import solve_newton

# Up to this many rows a machine with more features than rows is solved on its Gram matrix.
MAX_GRAM_ROWS = 5000


def solve_auto(problem, **options):
    """Solve on the smaller side of the data: features, or rows and their Gram matrix."""
    design = problem.design
    if isinstance(design, KernelDesign):
        return solve_kernel_dual(problem, **options)
    if design.n_features > MAX_FACTORED and design.n_rows <= MAX_GRAM_ROWS:
        return _solve_on_gram(problem, **options)
    return solve_newton(problem, **options)


def _solve_on_gram(problem, *, start=None, **options):
    """Solve for the expansion of ``w`` over the rows, which exists by Theorem 1."""
    if start is not None:
        start = start.without_element()
    on_gram = problem.on(problem.design.as_kernel())
    solution = solve_kernel_dual(on_gram, start=start, **options)
    solution.w = problem.design.combine(solution.w)
    return solution
