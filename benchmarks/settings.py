"""What a full run and a quick one measure; the only place where they differ."""

import math
from dataclasses import dataclass

TOL = 1e-3


@dataclass(frozen=True)
class Settings:
    """The cells of every target, and how patient to be."""

    mode: str
    sets: tuple
    Cs: tuple
    kernel_sets: tuple
    kernel_rows: tuple
    # Seconds that LIBLINEAR gets to come within TOL of the optimum.
    cap: float
    # Gap of the fits of ours whose dual bound every accuracy refers to.
    tight: float
    # Runs longer than this many seconds are not repeated.
    slow: float
    # SVC's objective needs a second, tight fit of ours: up to this many rows.
    reference_rows: int
    memory_cases: tuple
    growth_set: str
    growth_rows: tuple
    growth_Cs: tuple
    growth_C_rows: int
    prediction_support: int
    # Rows of ours and of SVC, and those held out from both.
    big_kernel_rows: tuple | None
    selection_folds: int
    selection_lambdas: tuple
    leave_one_out_rows: int
    # Seconds after which no further cell of a target is begun.
    patience: float = math.inf
    repeats: int = 3
    process_repeats: int = 5


# Kind of machine, data set, rows (None: all of them).
MEMORY_CASES = (
    ("linear", "covtype", None),
    ("linear", "news20-rebuilt", None),
    ("linear", "w8a", None),
    ("kernel", "covtype", 10_000),
    ("kernel", "adult-a", 10_000),
)

FULL = Settings(
    mode="full",
    sets=(
        "adult-a",
        "w8a",
        "cod-rna",
        "ijcnn1",
        "skin",
        "covtype",
        "farm-ads",
        "news20-rebuilt",
        "rcv1-1500",
    ),
    Cs=(1, 10, 100),
    kernel_sets=("adult-a", "cod-rna", "ijcnn1", "covtype"),
    kernel_rows=(1000, 2000, 5000, 10_000, 20_000),
    cap=60.0,
    tight=1e-4,
    slow=10.0,
    reference_rows=5000,
    memory_cases=MEMORY_CASES,
    growth_set="covtype",
    growth_rows=(1000, 3000, 10_000, 30_000, 100_000, 300_000, None),
    growth_Cs=(0.01, 0.1, 1, 10, 100, 1000, 10_000),
    growth_C_rows=30_000,
    prediction_support=5000,
    big_kernel_rows=(200_000, 30_000, 20_000),
    selection_folds=5,
    selection_lambdas=tuple(2.0**k for k in range(-8, -1)),
    leave_one_out_rows=500,
)

QUICK = Settings(
    mode="quick",
    sets=("adult-a", "w8a", "cod-rna", "ijcnn1", "rcv1-1500"),
    Cs=(1, 100),
    kernel_sets=("adult-a", "cod-rna", "ijcnn1"),
    kernel_rows=(1000, 2000),
    cap=2.0,
    tight=1e-5,
    slow=1.0,
    reference_rows=1000,
    memory_cases=(
        ("linear", "ijcnn1", None),
        ("linear", "w8a", None),
        ("kernel", "adult-a", 5000),
    ),
    growth_set="adult-a",
    growth_rows=(1000, 3000, 10_000, None),
    growth_Cs=(0.01, 1, 100),
    growth_C_rows=10_000,
    prediction_support=1000,
    big_kernel_rows=None,
    selection_folds=2,
    selection_lambdas=(2**-8, 2**-4),
    leave_one_out_rows=100,
    patience=17.0,
    process_repeats=2,
)
