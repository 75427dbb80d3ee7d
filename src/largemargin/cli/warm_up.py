"""``largemargin warm-up``: compile all loops now, not in the first fit."""

import time

import click

from largemargin.cli import terminal
from largemargin.cli.options import report_options
from largemargin.estimators.table import MACHINES

# With fewer rows, the sweeps of some solvers would not run.
N_ROWS, N_FEATURES = 320, 5


@click.command(epilog="Example: largemargin warm-up")
@report_options
def main(as_json, quiet):
    """Compile all loops now, so that later commands start faster.

    Fits tiny models with every solver, on dense and sparse rows of both precisions, to fill
    the cache of compiled loops. This takes about a minute, or seconds if the cache is full.
    """
    begin = time.perf_counter()
    with terminal.bar("compiling", quiet=quiet) as move:
        read_some_text()
        multiply_some_vectors()
        tasks = list(warming_fits())
        for done, (machine, X, y) in enumerate(tasks, 1):
            machine.fit(X, y).predict(X)
            move(done, len(tasks))
    facts = {"fits": len(tasks), "seconds": round(time.perf_counter() - begin, 2)}
    terminal.show(facts, as_json=as_json, quiet=quiet)


def read_some_text():
    """Compile the reader of LIBSVM text."""
    import io

    from largemargin.tables.libsvm import read_rows

    read_rows(io.BytesIO(b"1 1:0.5 2:1e-3\n-1 2:3\n"))


def multiply_some_vectors():
    """Compile products on large Gram matrices, and on rows with thousands of features."""
    import numpy as np
    import scipy.sparse as sp

    from largemargin.estimators.linear_space import design_of
    from largemargin.kernels.gram import gram_products

    for dtype in (np.float64, np.float32):
        gram_products(np.eye(8, dtype=dtype), np.ones((4, 8)))
        for rows in np.eye(8, dtype=dtype), sp.csr_matrix(np.eye(8, dtype=dtype)):
            design_of(rows).squared_columns(np.ones(8))


def warming_fits():
    """Yield every estimator, not fitted, with every kind of rows."""
    import numpy as np
    import scipy.sparse as sp

    import largemargin

    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    values = X[:, 0] + 0.5 * rng.normal(size=N_ROWS)
    y = np.where(values > 0, 1, -1)
    variants = [(one, options) for one in MACHINES for options in one.variants]
    targets = {"classes": y, "values": values, "outliers": None}
    for dtype in (np.float64, np.float32):
        for one, options in variants:
            # Zero is no place of a class without an intercept.
            used = X + 3.0 if one.task == "outliers" else X
            # Gram matrices of many rows are float32.
            is_gram = options.get("kernel") == "precomputed"
            for rows in [used @ used.T] if is_gram else [used, sp.csr_matrix(used)]:
                machine = getattr(largemargin, one.name)(**options)
                yield machine, rows.astype(dtype), targets[one.task]
        # Pairs of classes are on blocks of a Gram matrix.
        pairs = largemargin.LDMClassifier(kernel="precomputed")
        yield pairs, (X @ X.T).astype(dtype), np.arange(N_ROWS) % 3
