"""The study behind the defaults: candidates for them on many data sets.

It chooses on one half of the sets and reports on the other: ``python -m study.defaults``.
"""
