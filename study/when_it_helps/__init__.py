"""The study of when a margin distribution helps and when not.

Few rows, wrong labels, probabilities, and linear machines with many rows:
``python -m study.when_it_helps``.
"""
