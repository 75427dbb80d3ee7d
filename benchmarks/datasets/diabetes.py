"""Progression of diabetes."""

from sklearn.datasets import load_diabetes

from benchmarks.datasets.value_table import ValueTable


class Diabetes(ValueTable):
    """scikit-learn's diabetes: ten numbers for each of 442 patients."""

    name = "diabetes"
    n_rows = 442

    def read(self):
        """Return what scikit-learn has."""
        return load_diabetes(return_X_y=True)
