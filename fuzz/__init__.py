"""A fuzzer: hostile problems, every machine that can pose them, an exact judge.

    python -m fuzz [--fits N] [--seed S] [--jobs J] [--deadline SECONDS] [--json FILE]
                   [--only NAME] [--replay SEED:NUMBER]

``problems`` draws rows, labels, weights and prices, always the same for a seed and a
number. ``machines`` are fitted in processes of their own, ``workers``, so that a fit that
hangs or kills its process is caught. ``judge`` evaluates what each machine kept in 80 bits
and compares it with the claims of the machine, with every other machine that poses the
same problem, and with an interior-point method.
"""
