"""The conditions under which methods are compared, on sets of the study of defaults."""

from dataclasses import dataclass

from study.defaults.sets import TABLE
from study.defaults.tasks import sizes

# Of the sets with more than two classes there are fewer, so that larger ones are taken too.
FEWEST_ROWS, MOST_ROWS, MOST_ROWS_OF_MANY_CLASSES = 400, 800, 1500
MAX_TRAIN = 600
# Twenty rows of more classes have no class of five rows, which five folds need.
MOST_CLASSES_OF_FEW_ROWS = 5
LINEAR_SETS = "spambase", "magic", "wa_churn"

SELF_TUNED, FIXED = "loo, squared, k 0.1", "C 1, hinge, k 0.3/0.3"
# The same rule without a price is an SVM too: the difference is what the price gives.
SELF_TUNED_SVM = "loo, squared, k 0"
KERNEL_METHODS = "SVC", "SVC search", SELF_TUNED_SVM, SELF_TUNED
LINEAR_METHODS = (
    *("LinearSVC", "LinearSVC search"),
    *("linear loo, squared, k 0", "linear loo, squared, k 0.1"),
)


def is_small(known):
    """Return whether a set has about as many rows as this study is about."""
    most = MOST_ROWS if known.classes == 2 else MOST_ROWS_OF_MANY_CLASSES
    return FEWEST_ROWS <= known.rows <= most


SMALL_SETS = tuple(one.name for one in TABLE if is_small(one))
SETS_OF_FEW_CLASSES = tuple(
    one.name for one in TABLE if is_small(one) and one.classes <= MOST_CLASSES_OF_FEW_ROWS
)


@dataclass(frozen=True)
class Condition:
    """Training rows of some number and quality.

    Parameters
    ----------
    sets, methods : tuple of str
        Names of the study of defaults.

    rows : int, default=None
        Number of training rows; None means half of the set, within limits.

    many_rows : bool, default=False
        Whether the limits are those of the study of defaults.

    flipped : float, default=0.0
        Share of the training labels that are replaced by another class.

    has_probabilities : bool, default=False
        Whether calibrated probabilities are measured too.
    """

    sets: tuple
    methods: tuple
    rows: int | None = None
    many_rows: bool = False
    flipped: float = 0.0
    has_probabilities: bool = False

    def sizes(self, known):
        """Return how many rows of a set are trained and tested on."""
        if self.many_rows:
            return sizes(known)
        n_train = self.rows or min(known.rows // 2, MAX_TRAIN)
        return n_train, known.rows - n_train


CONDITIONS = {
    **{
        f"{rows} rows": Condition(SETS_OF_FEW_CLASSES, KERNEL_METHODS, rows=rows)
        for rows in (20, 50, 100, 200)
    },
    "half of the rows": Condition(
        SMALL_SETS, (*KERNEL_METHODS, FIXED), has_probabilities=True
    ),
    "10 % flipped": Condition(SMALL_SETS, (*KERNEL_METHODS, FIXED), flipped=0.1),
    "20 % flipped": Condition(SMALL_SETS, (*KERNEL_METHODS, FIXED), flipped=0.2),
    "linear": Condition(LINEAR_SETS, LINEAR_METHODS, many_rows=True),
}
