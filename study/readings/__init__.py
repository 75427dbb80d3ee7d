"""The study of the paper's scaling: which way to read its sums and means fits its tables.

``python -m study.readings`` runs it, on the paper's regular sets with the linear kernel.
"""
