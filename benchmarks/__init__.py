"""Benchmarks: ratios measured side by side, each with the accuracy that was reached.

    python -m benchmarks [--quick] [--data DIR] [--output DIR] [target ...]

``datasets``, ``objectives`` and ``competitors`` have one class a file. A file of
``targets`` holds what one claim needs: its cells, how a cell is measured, what is claimed.
"""
