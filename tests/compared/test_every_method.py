"""What every compared method does alike."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from largemargin import KOMDClassifier, MAMCClassifier, ODMClassifier, margin_distribution
from largemargin.estimators.table import METHODS


@pytest.mark.parametrize("machine", [ODMClassifier, KOMDClassifier, MAMCClassifier])
def test_a_refit_with_a_linear_kernel_forgets_the_rows_of_the_last_fit(moons, machine):
    X, y, _ = moons
    refitted = machine().fit(X, y).set_params(kernel="linear").fit(X, y)
    length = margin_distribution(refitted, X, y).lengths[0]
    assert_allclose(length, np.linalg.norm(refitted.coef_))
    assert not hasattr(refitted, "dual_coef_")


ALL = [
    method.machine(kernel)
    for name, method in METHODS.items()
    if name not in ("ldm", "svm")
    for kernel in method.machines
]


@pytest.mark.parametrize("method", ALL, ids=str)
def test_sparse_rows_give_what_dense_rows_give(iris, method):
    X, y = iris
    X = np.where(X > 3, X, 0.0)
    sparse = sp.csr_matrix(X)
    sparse.indices = sparse.indices.astype(np.int64)
    sparse.indptr = sparse.indptr.astype(np.int64)
    dense_scores = method.fit(X, y).decision_function(X)
    assert_allclose(
        method.fit(sparse, y).decision_function(sparse), dense_scores, atol=1e-6
    )


@pytest.mark.parametrize("method", ALL, ids=str)
def test_labels_may_be_words_and_classes_many(iris, method):
    X, y = iris
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    assert method.fit(X, words).score(X, words) > 0.6
    assert method.decision_function(X).shape == (150, 3)


@pytest.mark.parametrize("method", ALL, ids=str)
def test_a_fit_that_fails_leaves_the_last_one_as_it_was(iris, method):
    X, y = iris
    before = method.fit(X, y).decision_function(X)
    with pytest.raises(ValueError, match="one class"):
        method.fit(X[:10], np.zeros(10))
    assert_allclose(method.decision_function(X), before)
