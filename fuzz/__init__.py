"""A fuzzer: hostile problems, fitted by every estimator, judged in extended precision.

    python -m fuzz [--fits N] [--seed S] [--jobs J] [--deadline SECONDS] [--json FILE]
                   [--only NAME] [--replay SEED:NUMBER]

``problems`` draws rows, labels, weights and prices, always the same for a seed and a
number. ``machines`` are estimators with their settings. They are fitted in separate
processes, ``workers``, so that a fit that hangs or kills its process is caught. ``judge``
evaluates in 80 bits what each machine stores. It compares this with the attributes of the
machine, with other machines that solve the same problem, and with an interior-point method.
"""
