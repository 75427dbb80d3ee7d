"""Benchmarks: this library and others on the same problems, at the same accuracy.

    python -m benchmarks [--quick] [--plan] [--sets A,B] [--rows M,N] [--again] [target ...]

``datasets``, ``objectives`` and ``competitors`` have one class per file. Each file of
``targets`` has what one claim needs: its cells (the combinations of settings to measure),
how to measure a cell, and what is claimed. ``runs.py`` measures cells by ``workers``, in
processes that are replaced if they crash or take too long.
"""
