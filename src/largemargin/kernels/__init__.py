"""Mercer kernels: their values, widths, and Gram matrices."""
