"""Small handwritten digits."""

from sklearn.datasets import load_digits

from benchmarks.datasets.many_classes import ManyClasses


class Digits(ManyClasses):
    """scikit-learn's digits: 1,797 rows, 64 features, 10 classes."""

    name = "digits"

    def read(self, directory):
        """Return what scikit-learn has."""
        return load_digits(return_X_y=True)
