"""Kernel functions, their widths, and Gram matrices."""

# The first five in the order of their numbers in LIBSVM.
KERNELS = "linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine"
