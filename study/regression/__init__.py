"""The study of regression: support vector machines, ridge regressions and candidates.

It chooses the defaults on one half of the sets and reports on the other: ``python -m
study.regression``.
"""
