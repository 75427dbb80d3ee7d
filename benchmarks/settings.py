"""What a full run and a quick one measure; the only place where they differ."""

import math
from dataclasses import dataclass
from itertools import product

TOL = 1e-3


@dataclass(frozen=True)
class Settings:
    """The cells of every target, and how patient to be."""

    mode: str
    sets: tuple
    Cs: tuple
    kernel_sets: tuple
    kernel_rows: tuple
    # Active prices, as k_var and k_mean.
    kernel_prices: tuple
    # Seconds that LIBLINEAR gets to come within TOL of the optimum.
    cap: float
    # The same for the parallel peers of linear machines.
    peer_cap: float
    # Gap of the fits of ours whose dual bound every accuracy refers to.
    tight: float
    # Runs longer than this many seconds are not repeated.
    slow: float
    # Seconds that a single kernel fit may take.
    fit_limit: float
    # SVC's objective needs a second, tight fit of ours: up to this many rows.
    reference_rows: int
    memory_cases: tuple
    growth_set: str
    growth_rows: tuple
    growth_Cs: tuple
    growth_C_rows: int
    prediction_support: int
    # Whether kernel machines on 60,000 rows and more are fitted.
    big_kernel: bool
    selection_folds: int
    selection_lambdas: tuple
    # Kind of machine, data set, rows (None: all of them), and seconds for a search.
    searches: tuple
    search_limit: float
    leave_one_out_rows: int
    # Data set and rows (None: all of them) of the default machines.
    default_cases: tuple
    # Data set with values and rows (None: all of them).
    value_searches: tuple
    # Data sets with values: of kernel machines, and of linear ones with all their rows.
    value_sets: tuple
    value_rows: tuple
    linear_value_sets: tuple
    # C of regression, in units of the scale of the values.
    value_Cs: tuple
    flat_Cs: tuple
    # Rows of linear programmes, whose time grows fast with them.
    quantile_rows: tuple
    one_class_sets: tuple
    one_class_rows: tuple
    nus: tuple
    # Seconds that a cell may take; kernel fits and large problems have their own.
    cell_limit: float = 300.0
    # Seconds that a cell is expected to take at most, before the first run.
    max_guess: float = math.inf
    # Seconds after which no further cell is begun, shared by all targets.
    seconds: float = math.inf
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
SEARCHES = (
    ("kernel", "german", None),
    ("kernel", "sonar", None),
    ("kernel", "vehicle", None),
    ("kernel", "digits", None),
    ("kernel", "adult-a", 2000),
    ("linear", "german", None),
    ("linear", "adult-a", 10_000),
    ("linear", "rcv1-1500", None),
    ("linear", "farm-ads", 2000),
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
    kernel_sets=("adult-a", "cod-rna", "ijcnn1", "covtype", "w8a"),
    kernel_rows=(1000, 2000, 5000, 10_000, 20_000),
    kernel_prices=tuple(product((0.01, 0.1, 0.3), (0.0, 0.3))),
    cap=10.0,
    peer_cap=3.0,
    tight=1e-4,
    slow=1.0,
    fit_limit=60.0,
    reference_rows=2000,
    memory_cases=MEMORY_CASES,
    growth_set="covtype",
    growth_rows=(1000, 3000, 10_000, 30_000, 100_000, 300_000, None),
    growth_Cs=(0.01, 0.1, 1, 10, 100, 1000, 10_000),
    growth_C_rows=30_000,
    prediction_support=5000,
    big_kernel=True,
    selection_folds=5,
    selection_lambdas=tuple(2.0**k for k in range(-8, -1)),
    searches=SEARCHES,
    search_limit=120.0,
    leave_one_out_rows=300,
    default_cases=(
        ("german", None),
        ("adult-a", 2000),
        ("adult-a", 10_000),
        ("covtype", 2000),
        ("covtype", 10_000),
        ("cod-rna", 10_000),
        ("ijcnn1", 10_000),
        ("w8a", 10_000),
    ),
    value_searches=(("diabetes", None), ("computers", 1000), ("diamonds", 2000)),
    value_sets=("diamonds", "nox", "computers", "deliveries", "hotel-rates"),
    value_rows=(1000, 2000, 5000, 10_000),
    linear_value_sets=(
        "diabetes",
        "ames",
        "computers",
        "nox",
        "deliveries",
        "hotel-rates",
        "diamonds",
    ),
    value_Cs=(1, 100),
    flat_Cs=(1, 10, 100, 1000),
    quantile_rows=(1000, 5000, 10_000),
    one_class_sets=("cod-rna", "ijcnn1", "adult-a", "covtype"),
    one_class_rows=(1000, 2000, 5000, 10_000),
    nus=(0.01, 0.1, 0.5),
)

QUICK = Settings(
    mode="quick",
    sets=("adult-a", "w8a", "cod-rna", "ijcnn1", "rcv1-1500"),
    Cs=(1, 100),
    kernel_sets=("adult-a", "cod-rna", "ijcnn1"),
    kernel_rows=(1000, 2000),
    kernel_prices=((0.1, 0.0), (0.1, 0.3)),
    cap=2.0,
    peer_cap=0.5,
    tight=1e-5,
    slow=0.3,
    fit_limit=10.0,
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
    big_kernel=False,
    selection_folds=2,
    selection_lambdas=(2**-8, 2**-4),
    searches=(("kernel", "sonar", None), ("linear", "german", None)),
    search_limit=10.0,
    leave_one_out_rows=100,
    default_cases=(("german", None), ("adult-a", 2000)),
    value_searches=(("diabetes", None),),
    value_sets=("computers", "hotel-rates"),
    value_rows=(1000,),
    linear_value_sets=("diabetes", "computers"),
    value_Cs=(1, 100),
    flat_Cs=(1, 100),
    quantile_rows=(1000,),
    one_class_sets=("cod-rna", "ijcnn1"),
    one_class_rows=(1000,),
    nus=(0.1, 0.5),
    cell_limit=30.0,
    max_guess=1.0,
    seconds=130.0,
    process_repeats=2,
)

MODES = {settings.mode: settings for settings in (FULL, QUICK)}
