"""Silhouettes of vehicles."""

import csv

import numpy as np

from benchmarks.datasets.many_classes import ManyClasses, existing


class Vehicle(ManyClasses):
    """Statlog's vehicle: 846 rows, 18 features, 4 classes."""

    name = "vehicle"

    def read(self, directory):
        """Return the rows of the table; the last column is the class."""
        with open(existing(directory, "vehicle.csv"), newline="") as stream:
            _, *rows = csv.reader(stream)
        X = np.array([row[:-1] for row in rows], dtype=float)
        return X, np.array([row[-1] for row in rows])
